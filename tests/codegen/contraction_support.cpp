#include "codegen/contraction_support.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cutaway::codegen::testing {

std::string find_clang() {
  const char* set = std::getenv("CUTAWAY_CLANG");
  const std::string clang = set ? set : "clang-19";
  return std::system((clang + " --version > /dev/null 2>&1").c_str()) == 0 ? clang : "";
}

Guarded::Guarded(size_t bytes) : size_(bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  mapped_ = (bytes + page - 1) / page * page + page;
  map_ = static_cast<char*>(mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(map_ + mapped_ - page, page, PROT_NONE);
  data_ = map_ + mapped_ - page - bytes;
}
Guarded::~Guarded() {
  if (map_) munmap(map_, mapped_);
}
Guarded::Guarded(Guarded&& o) noexcept : map_(o.map_), mapped_(o.mapped_), data_(o.data_), size_(o.size_) {
  o.map_ = nullptr;
}

Library::Library(const std::vector<std::string>& texts, const std::string& flags) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "cutaway-test-XXXXXX").string();
  const char* made = mkdtemp(pattern.data());
  if (!made) {
    error = "no temporary folder";
    return;
  }
  const fs::path folder = made;
  std::string command = find_clang() + " -std=gnu11 -w -shared -fPIC -fwrapv " + flags;
  for (size_t i = 0; i < texts.size(); ++i) {
    const fs::path source = folder / ("unit" + std::to_string(i) + ".c");
    std::ofstream(source) << texts[i];
    command += " " + source.string();
  }
  const fs::path object = folder / "kernels.so";
  const fs::path log = folder / "log";
  if (std::system((command + " -o " + object.string() + " 2> " + log.string()).c_str()) != 0) {
    std::ifstream in(log);
    error.assign(std::istreambuf_iterator<char>(in), {});
    error = "compiling failed: " + error.substr(0, 4000);
  } else if (handle_ = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL); !handle_) {
    error = dlerror();
  }
  if (!std::getenv("CUTAWAY_KEEP_KERNELS")) fs::remove_all(folder);
}
Library::~Library() {
  if (handle_) dlclose(handle_);
}
KernelFunction Library::find(const std::string& symbol) const {
  return reinterpret_cast<KernelFunction>(dlsym(handle_, symbol.c_str()));
}

std::string prelude() {
  return R"(static inline float cw_load_f16(const void* p, long i) {
  _Float16 h;
  __builtin_memcpy(&h, (const char*)p + 2 * i, 2);
  return (float)h;
}
static inline float cw_load_bf16(const void* p, long i) {
  unsigned short h;
  __builtin_memcpy(&h, (const char*)p + 2 * i, 2);
  unsigned int u = (unsigned int)h << 16;
  float f;
  __builtin_memcpy(&f, &u, 4);
  return f;
}
)";
}

Layout random_layout(const std::vector<int64_t>& extents, const std::vector<bool>& broadcast, bool shuffle,
                     std::mt19937& random) {
  std::vector<size_t> order(extents.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (shuffle) std::shuffle(order.begin(), order.end(), random);
  Layout out;
  out.strides.assign(extents.size(), 0);
  out.offset = static_cast<int64_t>(random() % 4);
  int64_t step = 1, last = 0;
  bool empty = false;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t d = order[i];
    empty |= extents[d] == 0;
    if (d < broadcast.size() && broadcast[d]) continue;
    out.strides[d] = step;
    last += step * (extents[d] - 1);
    step = step * std::max<int64_t>(extents[d], 1) + (shuffle ? static_cast<int64_t>(random() % 3) : 0);
  }
  out.elements = out.offset + (empty ? 0 : last + 1);
  return out;
}

namespace {

template <class T> T at(const void* p, int64_t i) {
  T x;
  std::memcpy(&x, static_cast<const char*>(p) + i * static_cast<int64_t>(sizeof x), sizeof x);
  return x;
}

double half(uint16_t h) {
  const int exponent = (h >> 10) & 31, fraction = h & 1023;
  const double size = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return h & 0x8000 ? -size : size;
}

} // namespace

void fill_random(Elem elem, void* p, size_t elements, std::mt19937& random) {
  const auto bytes = static_cast<size_t>(elem_bytes(elem));
  for (size_t i = 0; i < elements; ++i) {
    const double x = static_cast<double>(random() % 20001) / 10000.0 - 1.0;
    uint64_t bits = random();
    bits = bits << 32 | random();
    if (elem == Elem::f32) bits = std::bit_cast<uint32_t>(static_cast<float>(x));
    if (elem == Elem::f64) bits = std::bit_cast<uint64_t>(x);
    if (elem == Elem::f16) bits = (bits & 0x83ff) | (8 + bits / 65536 % 8) << 10;
    if (elem == Elem::bf16) bits = std::bit_cast<uint32_t>(static_cast<float>(x)) >> 16;
    std::memcpy(static_cast<char*>(p) + i * bytes, &bits, bytes);
  }
}

double read_as_double(Elem elem, const void* p, int64_t i) {
  switch (elem) {
  case Elem::f32:
    return at<float>(p, i);
  case Elem::f64:
    return at<double>(p, i);
  case Elem::f16:
    return half(at<uint16_t>(p, i));
  case Elem::bf16:
    return std::bit_cast<float>(static_cast<uint32_t>(at<uint16_t>(p, i)) << 16);
  default:
    return static_cast<double>(read_as_int(elem, p, i));
  }
}

int64_t read_as_int(Elem elem, const void* p, int64_t i) {
  switch (elem) {
  case Elem::i8:
    return at<int8_t>(p, i);
  case Elem::u8:
    return at<uint8_t>(p, i);
  case Elem::i16:
    return at<int16_t>(p, i);
  case Elem::u16:
    return at<uint16_t>(p, i);
  case Elem::i32:
    return at<int32_t>(p, i);
  case Elem::u32:
    return at<uint32_t>(p, i);
  case Elem::i64:
    return at<int64_t>(p, i);
  case Elem::u64:
    return static_cast<int64_t>(at<uint64_t>(p, i));
  default:
    return 0;
  }
}

// A null operand is a tap outside the image.
void Sum::take(Elem xe, const void* x, int64_t xi, Elem we, const void* w, int64_t wi) {
  if (acc == Elem::f32) {
    volatile float product =
        static_cast<float>(x ? read_as_double(xe, x, xi) : 0) * static_cast<float>(read_as_double(we, w, wi));
    volatile float sum = static_cast<float>(f) + product;
    f = sum;
  } else if (acc == Elem::f64) {
    volatile double product = (x ? read_as_double(xe, x, xi) : 0) * read_as_double(we, w, wi);
    volatile double sum = f + product;
    f = sum;
  } else {
    u += static_cast<uint64_t>(x ? read_as_int(xe, x, xi) : 0) * static_cast<uint64_t>(read_as_int(we, w, wi));
  }
}

bool Sum::equals(const void* p, int64_t i) const {
  switch (acc) {
  case Elem::f32: {
    const float a = at<float>(p, i), b = static_cast<float>(f);
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
  }
  case Elem::f64: {
    const double a = at<double>(p, i);
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(f) || (std::isnan(a) && std::isnan(f));
  }
  case Elem::i32:
  case Elem::u32:
    return at<uint32_t>(p, i) == static_cast<uint32_t>(u);
  default:
    return at<uint64_t>(p, i) == u;
  }
}

std::string Sum::str() const {
  return acc == Elem::f32 || acc == Elem::f64 ? std::to_string(f) : std::to_string(u);
}

} // namespace cutaway::codegen::testing
