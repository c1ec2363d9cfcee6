#pragma once
#include "codegen/contraction/contraction.h"

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

// Compiling printed C with an external Clang, running it in memory whose end is guarded, and the scalar reference.
namespace cutaway::codegen::testing {

// Clang's command: $CUTAWAY_CLANG, else clang-19; empty where there is none.
std::string find_clang();

// Bytes that end where an inaccessible page begins, so that reading past them is a crash.
class Guarded {
 public:
  explicit Guarded(size_t bytes);
  ~Guarded();
  Guarded(Guarded&& other) noexcept;
  Guarded& operator=(Guarded&&) = delete;
  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  char* map_ = nullptr;
  size_t mapped_ = 0;
  char* data_ = nullptr;
  size_t size_ = 0;
};

using KernelFunction = void (*)(void* const*, long, long, void*);

// A shared object made of C texts, one a translation unit; null text of `error` where all went well.
class Library {
 public:
  Library(const std::vector<std::string>& texts, const std::string& flags);
  ~Library();
  Library(const Library&) = delete;
  KernelFunction find(const std::string& symbol) const;
  std::string error;

 private:
  void* handle_ = nullptr;
};

// What a translation unit needs before the kernels: the loads of half types.
std::string prelude();

// A dense array whose dims lie in a random order, with gaps; extents of `broadcast` dims get stride 0.
struct Layout {
  std::vector<int64_t> strides;
  int64_t offset = 0, elements = 0;
};
Layout random_layout(const std::vector<int64_t>& extents, const std::vector<bool>& broadcast, bool shuffle,
                     std::mt19937& random);

void fill_random(Elem elem, void* p, size_t elements, std::mt19937& random);
double read_as_double(Elem elem, const void* p, int64_t i);
int64_t read_as_int(Elem elem, const void* p, int64_t i);

// acc = acc + x * w in the accumulator's type, each rounded; integers wrap.
struct Sum {
  Elem acc = Elem::f32;
  double f = 0;
  uint64_t u = 0;
  void take(Elem xe, const void* x, int64_t xi, Elem we, const void* w, int64_t wi);
  // Whether the stored accumulator at `p` has these bits (any NaN equals any NaN).
  bool equals(const void* p, int64_t i) const;
  std::string str() const;
};

} // namespace cutaway::codegen::testing
