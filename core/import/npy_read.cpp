#include "import/tensor_files.h"

#include "import/mapped_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace cutaway {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr size_t max_header = 1 << 20;
constexpr size_t max_rank = 64;

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> dims;
};

// Reads the header's Python dict literal: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<Header> parse() {
    Header h;
    bool descr = false, order = false, shape = false;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = text();
      if (!key || !take(':')) return std::nullopt;
      if (*key == "descr" && !descr) {
        const auto value = text();
        if (!value) return std::nullopt;
        h.descr = *value, descr = true;
      } else if (*key == "fortran_order" && !order) {
        if (word("True"))
          h.fortran = true;
        else if (!word("False"))
          return std::nullopt;
        order = true;
      } else if (*key == "shape" && !shape) {
        if (!tuple(h.dims)) return std::nullopt;
        shape = true;
      } else {
        return std::nullopt;
      }
      if (!take(',')) {
        if (take('}')) break;
        return std::nullopt;
      }
    }
    return descr && order && shape ? std::optional(h) : std::nullopt;
  }

 private:
  void blanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0]))) rest_.remove_prefix(1);
  }
  bool take(char c) {
    blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view w) {
    blanks();
    if (rest_.substr(0, w.size()) != w) return false;
    rest_.remove_prefix(w.size());
    return true;
  }
  std::optional<std::string> text() {
    blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string out(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return out;
  }
  bool tuple(std::vector<int64_t>& dims) {
    if (!take('(')) return false;
    while (!take(')')) {
      blanks();
      int64_t n = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
      if (error != std::errc() || n < 0 || dims.size() == max_rank) return false;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      take('L'); // Python 2 wrote long integers so
      dims.push_back(n);
      if (!take(',')) return take(')');
    }
    return true;
  }

  std::string_view rest_;
};

// Element type by kind and size of the type string ("f4"), byte order apart.
struct Row {
  const char* code;
  DType dtype;
};
constexpr Row rows[] = {
    {"b1", DType::boolean}, {"i1", DType::i8},  {"i2", DType::i16}, {"i4", DType::i32},
    {"i8", DType::i64},     {"u1", DType::u8},  {"u2", DType::u16}, {"u4", DType::u32},
    {"u8", DType::u64},     {"f2", DType::f16}, {"f4", DType::f32}, {"f8", DType::f64},
};

struct Element {
  DType dtype = DType::f32;
  int64_t size = 0; // bytes in the file
  bool swap = false;
};

Result<Element> parse_descr(const std::string& descr) {
  const char order = descr.empty() ? '?' : descr[0];
  if (order == '<' || order == '>' || order == '|' || order == '=') {
    const std::string code = descr.substr(1);
    for (const Row& row : rows)
      if (code == row.code) return Element{row.dtype, dtype_size(row.dtype), order == '>'};
    int64_t n = 0;
    const auto [end, error] = std::from_chars(code.data() + (code.empty() ? 0 : 1), code.data() + code.size(), n);
    if (!code.empty() && code[0] == 'U' && error == std::errc() && end == code.data() + code.size() && n >= 0 &&
        n < (1 << 28))
      return Element{DType::string, n * 4, order == '>'};
  }
  const std::string shown = descr.size() > 40 ? descr.substr(0, 40) + "..." : descr;
  return unsupported(
      "", "elements of NumPy type '" + shown + "' cannot be read",
      "convert to bool, an integer, float16, float32 or float64; for bfloat16 and smaller floats give a .pb");
}

void append_utf8(std::string& out, uint32_t c) {
  const auto put = [&](uint32_t v) { out += static_cast<char>(v); };
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  }
}

// Calls visit(place in the file, row-major place) for every element of a column-major file.
template <class Visit> void each_fortran(const std::vector<int64_t>& dims, int64_t count, Visit visit) {
  std::vector<int64_t> stride(dims.size(), 1), at(dims.size(), 0);
  for (size_t d = dims.size(); d-- > 1;) stride[d - 1] = stride[d] * dims[d];
  int64_t to = 0;
  for (int64_t from = 0; from < count; ++from) {
    visit(from, to);
    for (size_t d = 0; d < dims.size(); ++d) {
      to += stride[d];
      if (++at[d] < dims[d]) break;
      to -= stride[d] * dims[d];
      at[d] = 0;
    }
  }
}

// Copies elements into row-major order and this machine's byte order.
void copy_elements(const std::byte* from, std::byte* to, const Header& h, const Element& e, int64_t count) {
  const auto size = static_cast<size_t>(e.size);
  if (count == 0) return;
  if (!h.fortran) {
    std::memcpy(to, from, static_cast<size_t>(count) * size);
  } else {
    each_fortran(h.dims, count, [&](int64_t i, int64_t k) {
      std::memcpy(to + static_cast<size_t>(k) * size, from + static_cast<size_t>(i) * size, size);
    });
  }
  const size_t unit = e.dtype == DType::string ? 4 : size;
  if (e.swap && unit > 1)
    for (std::byte* p = to; p < to + static_cast<size_t>(count) * size; p += unit) std::reverse(p, p + unit);
}

Tensor text_tensor(const std::vector<std::byte>& bytes, const Header& h, const Element& e, int64_t count) {
  std::vector<std::string> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) {
    const std::byte* at = bytes.data() + i * static_cast<size_t>(e.size);
    std::vector<uint32_t> points(static_cast<size_t>(e.size) / 4);
    if (!points.empty()) std::memcpy(points.data(), at, points.size() * 4);
    while (!points.empty() && points.back() == 0) points.pop_back();
    for (uint32_t c : points) append_utf8(values[i], c);
  }
  return Tensor::of_strings(h.dims, std::move(values));
}

Diagnostic damaged(const std::string& what) {
  return bad_input("", "the .npy file is damaged: " + what, "write it again with numpy.save");
}

Result<Tensor> read_elements(std::string_view data, const Header& h) {
  const auto element = parse_descr(h.descr);
  if (!element) return element.error();
  const auto count = count_of(h.dims);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, element->size, &bytes)) return damaged("its shape overflows");
  // Elements of no bytes (texts of no letters) cost memory all the same.
  if (bytes != static_cast<int64_t>(data.size()) || (element->size == 0 && *count > (1 << 20))) {
    return damaged("its shape needs " + std::to_string(bytes) + " bytes, it holds " + std::to_string(data.size()));
  }
  const auto* from = reinterpret_cast<const std::byte*>(data.data());
  if (element->dtype == DType::string) {
    std::vector<std::byte> copy(static_cast<size_t>(bytes));
    copy_elements(from, copy.data(), h, *element, *count);
    return text_tensor(copy, h, *element, *count);
  }
  auto memory = allocate_aligned(bytes);
  if (!memory) return over_limit("", "there is no memory for its " + std::to_string(bytes) + " bytes");
  copy_elements(from, memory.get(), h, *element, *count);
  if (element->dtype == DType::boolean)
    for (int64_t i = 0; i < *count; ++i) memory.get()[i] = std::byte{memory.get()[i] != std::byte{0}};
  const std::byte* start = memory.get();
  return Tensor(element->dtype, h.dims, start, std::move(memory));
}

} // namespace

Result<Tensor> read_npy(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  const std::string_view text = (*file)->text();
  if (text.substr(0, magic.size()) != magic)
    return bad_input("", "this is not a .npy file", "write it with numpy.save");
  if (text.size() < 10) return damaged("it ends in its header");
  const int version = text[6];
  if (version < 1 || version > 3)
    return unsupported("", "the .npy format's version " + std::to_string(version) + " is not known");
  const size_t width = version == 1 ? 2 : 4, start = 8 + width;
  if (text.size() < start) return damaged("it ends in its header");
  size_t length = 0;
  for (size_t i = 0; i < width; ++i) length |= static_cast<size_t>(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  if (length > max_header || length > text.size() - start)
    return damaged("its header is " + std::to_string(length) + " bytes long");
  const auto header = HeaderParser(text.substr(start, length)).parse();
  if (!header) return damaged("its header is not understood");
  try {
    return read_elements(text.substr(start + length), *header);
  } catch (const std::bad_alloc&) {
    return over_limit("", "there is not enough memory to read it");
  }
}

} // namespace cutaway
