#include "import/tensor_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace cutaway {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

// Code points of UTF-8 text; broken bytes become U+FFFD.
std::vector<uint32_t> code_points(const std::string& text) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
    uint32_t point = n < 2 ? c : c & (0xFFu >> (n + 1));
    bool ok = n > 0 && i + n <= text.size();
    for (size_t k = 1; ok && k < n; ++k) {
      const auto tail = static_cast<unsigned char>(text[i + k]);
      ok = tail >> 6 == 2;
      point = point << 6 | (tail & 0x3F);
    }
    out.push_back(ok ? point : 0xFFFD);
    i += ok ? n : 1;
  }
  return out;
}

std::string descr_of(DType dtype, size_t letters) {
  switch (dtype) {
  case DType::bf16: return "<u2";
  case DType::f8e4m3fn:
  case DType::f8e4m3fnuz:
  case DType::f8e5m2:
  case DType::f8e5m2fnuz:
  case DType::f8e8m0:
  case DType::f4e2m1:
  case DType::u4:
  case DType::u2: return "|u1";
  case DType::i4:
  case DType::i2: return "|i1";
  case DType::string: return "<U" + std::to_string(letters);
  default: break;
  }
  const char kind = dtype == DType::boolean ? 'b' : is_float(dtype) ? 'f' : is_signed_integer(dtype) ? 'i' : 'u';
  const int64_t size = dtype_size(dtype);
  return (size == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(size);
}

std::string header_of(const Tensor& tensor, size_t letters) {
  std::string dict = "{'descr': '" + descr_of(tensor.dtype(), letters) + "', 'fortran_order': False, 'shape': (";
  for (int64_t d : tensor.dims()) dict += std::to_string(d) + ", ";
  if (tensor.rank() > 1)
    dict.resize(dict.size() - 2);
  else if (tensor.rank() == 1)
    dict.resize(dict.size() - 1);
  dict += "), }";
  // Prefix, dict, blanks and newline fill a multiple of 64 bytes, so that the elements lie aligned.
  const bool long_form = dict.size() + 80 > 0xFFFF;
  const size_t prefix = magic.size() + 2 + (long_form ? 4 : 2);
  dict.append((64 - (prefix + dict.size() + 1) % 64) % 64, ' ');
  dict += '\n';
  std::string out(magic);
  out += long_form ? '\x02' : '\x01';
  out += '\0';
  for (size_t i = 0; i < (long_form ? 4u : 2u); ++i) out += static_cast<char>(dict.size() >> (8 * i) & 0xFF);
  return out + dict;
}

bool write_all(int fd, const char* data, size_t size) {
  while (size) {
    const ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

// Header and elements into a file beside `path`, which then takes its name.
Status write_beside(const std::string& path, const std::string& header, const char* data, size_t size) {
  std::string beside = path + ".XXXXXX";
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  const auto failed = [&] { return bad_input("", "cannot write '" + path + "': " + std::strerror(errno)); };
  if (fd < 0) return failed();
  bool ok = write_all(fd, header.data(), header.size()) && write_all(fd, data, size) && ::fchmod(fd, 0644) == 0;
  ok = (::close(fd) == 0) && ok && ::rename(beside.c_str(), path.c_str()) == 0;
  if (ok) return {};
  Status status = failed();
  ::unlink(beside.c_str());
  return status;
}

} // namespace

Status write_npy(const std::string& path, const Tensor& tensor) {
  if (!tensor.valid()) return bad_input("", "there is no value to write to '" + path + "'");
  if (tensor.dtype() != DType::string) {
    const Tensor full = tensor.aligned();
    return write_beside(path, header_of(full, 0), reinterpret_cast<const char*>(full.data()),
                        static_cast<size_t>(full.bytes()));
  }
  std::vector<std::vector<uint32_t>> rows_of_text;
  size_t letters = 1;
  for (const std::string& s : tensor.strings()) {
    rows_of_text.push_back(code_points(s));
    letters = std::max(letters, rows_of_text.back().size());
  }
  if (letters * rows_of_text.size() > (size_t{1} << 28))
    return over_limit("", "the texts take over 1 GiB as a .npy file");
  std::vector<uint32_t> flat(letters * rows_of_text.size(), 0);
  for (size_t i = 0; i < rows_of_text.size(); ++i)
    std::copy(rows_of_text[i].begin(), rows_of_text[i].end(), flat.begin() + static_cast<std::ptrdiff_t>(i * letters));
  return write_beside(path, header_of(tensor, letters), reinterpret_cast<const char*>(flat.data()), flat.size() * 4);
}

} // namespace cutaway
