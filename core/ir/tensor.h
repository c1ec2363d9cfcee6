#pragma once
#include "ir/types.h"

#include <cstring>
#include <memory>
#include <vector>

namespace cutaway {

// An immutable tensor in host memory: dtype, static dims, row-major elements. The bytes are shared and may lie unaligned
// in a mapped file: read them through `get` or memcpy, or call `aligned()` first. A splat stores one element for all.
class Tensor {
 public:
  Tensor() = default;
  // Fresh zero-initialised memory, 64-byte aligned. The caller keeps within the limits (see `fits`).
  Tensor(DType dtype, std::vector<int64_t> dims);
  // Bytes owned by somebody else, kept alive by `owner`; `size` must be the full size.
  Tensor(DType dtype, std::vector<int64_t> dims, const std::byte* data, std::shared_ptr<const void> owner);
  static Tensor splat(DType dtype, std::vector<int64_t> dims, const void* element);
  template <class T> static Tensor of(DType dtype, std::vector<int64_t> dims, const std::vector<T>& values) {
    Tensor t(dtype, std::move(dims));
    std::memcpy(t.mutable_data(), values.data(), values.size() * sizeof(T));
    return t;
  }
  static Tensor scalar_i64(int64_t v) { return of<int64_t>(DType::i64, {}, {v}); }
  static Tensor vector_i64(const std::vector<int64_t>& v) { return of(DType::i64, {static_cast<int64_t>(v.size())}, v); }
  static Tensor of_strings(std::vector<int64_t> dims, std::vector<std::string> values);

  bool valid() const { return data_ != nullptr || strings_ != nullptr; }
  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  size_t rank() const { return dims_.size(); }
  int64_t count() const { return count_; }
  Type type() const { return {dtype_, make_shape(dims_)}; }
  bool is_splat() const { return splat_; }
  // Bytes in full (count * size), whether splat or not.
  int64_t bytes() const { return count_ * dtype_size(dtype_); }
  // First byte: of all elements in order, or of the one element of a splat.
  const std::byte* data() const { return data_; }
  // Only right after making the tensor, before it is shared; never of a view or splat.
  std::byte* mutable_data();
  template <class T> T* mutable_as() { return reinterpret_cast<T*>(mutable_data()); }
  const std::vector<std::string>& strings() const { return *strings_; }

  // Element i (row-major) as T, whose size is the dtype's.
  template <class T> T get(int64_t i) const {
    T v;
    std::memcpy(&v, data_ + (splat_ ? 0 : i * static_cast<int64_t>(sizeof(T))), sizeof(T));
    return v;
  }
  // Any computable element as double or as int64 (u64 above 2^63 wraps; floats truncate).
  double as_double(int64_t i) const;
  int64_t as_int(int64_t i) const;
  // All elements as int64 (for shapes, axes and the like).
  std::vector<int64_t> ints() const;

  // The same elements, in full and 64-byte aligned; this tensor itself where it already is.
  Tensor aligned() const;
  // The same bytes under other dims of equal count.
  Tensor reshaped(std::vector<int64_t> dims) const;
  // Same dtype, dims and bits (strings: equal text).
  bool same_bits(const Tensor& other) const;

 private:
  DType dtype_ = DType::f32;
  bool splat_ = false;
  int64_t count_ = 0;
  std::vector<int64_t> dims_;
  const std::byte* data_ = nullptr;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const std::vector<std::string>> strings_;
};

// Number of elements, or nothing where it overflows 63 bits or a dim is negative.
std::optional<int64_t> count_of(const std::vector<int64_t>& dims);

// 64-byte aligned memory with at least 64 readable bytes behind it, zeroed; null where there is none to be had.
std::shared_ptr<std::byte> allocate_aligned(int64_t bytes);

} // namespace cutaway
