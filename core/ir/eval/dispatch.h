#pragma once
#include "base/prelude/cw_math.h"
#include "ir/eval.h"

#include <algorithm>
#include <type_traits>

namespace cutaway::eval_impl {

// How elements of a dtype lie in memory (Stored) and what is computed in (Native): halves compute in float and round once.
template <class T> struct Plain {
  using Stored = T;
  using Native = T;
  static T load(T v) { return v; }
  static T store(T v) { return v; }
};
struct Half {
  using Stored = uint16_t;
  using Native = float;
  static float load(uint16_t v) { return cw_f16_to_f32(v); }
  static uint16_t store(float v) { return cw_f32_to_f16(v); }
};
struct BFloat {
  using Stored = uint16_t;
  using Native = float;
  static float load(uint16_t v) { return cw_bf16_to_f32(v); }
  static uint16_t store(float v) { return cw_f32_to_bf16(v); }
};

// Calls f with the traits of a computable dtype; false for the rest.
template <class F> bool visit_float(DType t, F&& f) {
  switch (t) {
  case DType::f64: return f(Plain<double>()), true;
  case DType::f32: return f(Plain<float>()), true;
  case DType::f16: return f(Half()), true;
  case DType::bf16: return f(BFloat()), true;
  default: return false;
  }
}
template <class F> bool visit_integer(DType t, F&& f) {
  switch (t) {
  case DType::i64: return f(Plain<int64_t>()), true;
  case DType::i32: return f(Plain<int32_t>()), true;
  case DType::i16: return f(Plain<int16_t>()), true;
  case DType::i8: return f(Plain<int8_t>()), true;
  case DType::u64: return f(Plain<uint64_t>()), true;
  case DType::u32: return f(Plain<uint32_t>()), true;
  case DType::u16: return f(Plain<uint16_t>()), true;
  case DType::u8: return f(Plain<uint8_t>()), true;
  default: return false;
  }
}
template <class F> bool visit_number(DType t, F&& f) { return visit_float(t, f) || visit_integer(t, f); }

// What one evaluation works with.
struct Call {
  Op op;
  const Attrs& attrs;
  std::span<const Tensor> in;      // aligned, in full
  std::span<const Type> out_types; // float dtypes f64 already where the oracle asks
  bool oracle = false;

  std::vector<int64_t> out_dims(size_t i = 0) const { return static_dims(out_types[i].shape); }
  Tensor make(size_t i = 0) const { return Tensor(out_types[i].dtype, out_dims(i)); }
  Diagnostic refuse(DType t) const { return unsupported(op_name(op), std::string("has no meaning for ") + dtype_name(t)); }
};
using Tensors = Result<std::vector<Tensor>>;

template <class T> const T* data(const Tensor& t) { return reinterpret_cast<const T*>(t.data()); }

Tensors elementwise(const Call& c);
Tensors cast(const Call& c);
Tensors reduce(const Call& c);
Tensors scan(const Call& c);
Tensors movement(const Call& c);
Tensors indexed(const Call& c);
Tensors contraction(const Call& c);
Tensors window(const Call& c);
Tensors topk(const Call& c);
Tensors recurrent(const Call& c);

// Row-major strides.
std::vector<int64_t> strides_of(const std::vector<int64_t>& dims);

// Walks all index tuples of dims in row-major order, keeping one linear position per stride list.
class Odometer {
 public:
  Odometer(std::vector<int64_t> dims, std::vector<std::vector<int64_t>> strides)
      : dims_(std::move(dims)), strides_(std::move(strides)), index_(dims_.size(), 0), at_(strides_.size(), 0) {}
  int64_t at(size_t k) const { return at_[k]; }
  const std::vector<int64_t>& index() const { return index_; }
  void next() {
    for (size_t d = dims_.size(); d-- > 0;) {
      const bool wraps = ++index_[d] == dims_[d];
      for (size_t k = 0; k < at_.size(); ++k) at_[k] += wraps ? -(dims_[d] - 1) * strides_[k][d] : strides_[k][d];
      if (!wraps) return;
      index_[d] = 0;
    }
  }

 private:
  std::vector<int64_t> dims_;
  std::vector<std::vector<int64_t>> strides_;
  std::vector<int64_t> index_, at_;
};

} // namespace cutaway::eval_impl
