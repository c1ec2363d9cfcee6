#include "ir/tensor.h"

#include "base/check.h"
#include "base/prelude/cw_math.h"

#include <cstdlib>

namespace cutaway {

std::optional<int64_t> count_of(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  bool zero = false;
  for (int64_t d : dims) {
    if (d < 0) return std::nullopt;
    zero |= d == 0;
    if (d > 0 && __builtin_mul_overflow(n, d, &n)) return std::nullopt;
  }
  return zero ? 0 : n;
}

std::shared_ptr<std::byte> allocate_aligned(int64_t bytes) {
  const size_t size = (static_cast<size_t>(bytes) + 64 + 63) / 64 * 64;
  void* p = size > (size_t{1} << 16) ? nullptr : std::aligned_alloc(64, size);
  if (p) {
    std::memset(p, 0, size);
  } else {
    // Fresh pages come zeroed: calloc of a large block does not touch them.
    void* raw = std::calloc(size + 64, 1);
    if (!raw) return nullptr;
    auto* base = reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(raw) + 63) / 64 * 64);
    return std::shared_ptr<std::byte>(base, [raw](std::byte*) { std::free(raw); });
  }
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(p), [](std::byte* q) { std::free(q); });
}

Tensor::Tensor(DType dtype, std::vector<int64_t> dims) : dtype_(dtype), dims_(std::move(dims)) {
  const auto n = count_of(dims_);
  CUTAWAY_CHECK(n.has_value(), "a tensor's element count overflows");
  count_ = *n;
  auto memory = allocate_aligned(bytes());
  CUTAWAY_CHECK(memory != nullptr, "out of memory for a tensor of " + std::to_string(bytes()) + " bytes");
  data_ = memory.get();
  owner_ = memory;
}

Tensor::Tensor(DType dtype, std::vector<int64_t> dims, const std::byte* data, std::shared_ptr<const void> owner)
    : dtype_(dtype), dims_(std::move(dims)), data_(data), owner_(std::move(owner)) {
  const auto n = count_of(dims_);
  CUTAWAY_CHECK(n.has_value(), "a tensor's element count overflows");
  count_ = *n;
}

Tensor Tensor::splat(DType dtype, std::vector<int64_t> dims, const void* element) {
  Tensor one(dtype, {});
  std::memcpy(one.mutable_data(), element, static_cast<size_t>(dtype_size(dtype)));
  Tensor t(dtype, std::move(dims), one.data_, one.owner_);
  t.splat_ = true;
  return t;
}

Tensor Tensor::of_strings(std::vector<int64_t> dims, std::vector<std::string> values) {
  Tensor t;
  t.dtype_ = DType::string;
  t.count_ = static_cast<int64_t>(values.size());
  t.dims_ = std::move(dims);
  t.strings_ = std::make_shared<const std::vector<std::string>>(std::move(values));
  return t;
}

std::byte* Tensor::mutable_data() {
  CUTAWAY_CHECK(!splat_, "a splat cannot be written");
  return const_cast<std::byte*>(data_);
}

double Tensor::as_double(int64_t i) const {
  switch (dtype_) {
  case DType::f64: return get<double>(i);
  case DType::f32: return get<float>(i);
  case DType::f16: return cw_f16_to_f32(get<uint16_t>(i));
  case DType::bf16: return cw_bf16_to_f32(get<uint16_t>(i));
  case DType::u64: return static_cast<double>(get<uint64_t>(i));
  default: return static_cast<double>(as_int(i));
  }
}

int64_t Tensor::as_int(int64_t i) const {
  switch (dtype_) {
  case DType::i64: case DType::u64: return get<int64_t>(i);
  case DType::i32: return get<int32_t>(i);
  case DType::u32: return get<uint32_t>(i);
  case DType::i16: return get<int16_t>(i);
  case DType::u16: return get<uint16_t>(i);
  case DType::i8: case DType::i4: case DType::i2: return get<int8_t>(i);
  case DType::u8: case DType::u4: case DType::u2: case DType::boolean: return get<uint8_t>(i);
  case DType::f64: case DType::f32: case DType::f16: case DType::bf16: return cw_f64_to_i64(as_double(i));
  default: return 0;
  }
}

std::vector<int64_t> Tensor::ints() const {
  std::vector<int64_t> out(static_cast<size_t>(count_));
  for (int64_t i = 0; i < count_; ++i) out[static_cast<size_t>(i)] = as_int(i);
  return out;
}

Tensor Tensor::aligned() const {
  if (dtype_ == DType::string || (!splat_ && reinterpret_cast<uintptr_t>(data_) % 64 == 0)) return *this;
  Tensor t(dtype_, dims_);
  const auto size = static_cast<size_t>(dtype_size(dtype_));
  if (!splat_) {
    if (count_) std::memcpy(t.mutable_data(), data_, static_cast<size_t>(bytes()));
    return t;
  }
  std::byte* out = t.mutable_data();
  for (int64_t i = 0; i < count_; ++i) std::memcpy(out + static_cast<size_t>(i) * size, data_, size);
  return t;
}

Tensor Tensor::reshaped(std::vector<int64_t> dims) const {
  Tensor t = *this;
  const auto n = count_of(dims);
  CUTAWAY_CHECK(n && *n == count_, "reshape changes the element count");
  t.dims_ = std::move(dims);
  return t;
}

bool Tensor::same_bits(const Tensor& other) const {
  if (dtype_ != other.dtype_ || dims_ != other.dims_) return false;
  if (dtype_ == DType::string) return *strings_ == *other.strings_;
  if (count_ == 0 || (data_ == other.data_ && splat_ == other.splat_)) return true;
  const auto size = static_cast<size_t>(dtype_size(dtype_));
  if (!splat_ && !other.splat_) return std::memcmp(data_, other.data_, static_cast<size_t>(bytes())) == 0;
  for (int64_t i = 0; i < count_; ++i) {
    const size_t at = static_cast<size_t>(i) * size;
    if (std::memcmp(data_ + (splat_ ? 0 : at), other.data_ + (other.splat_ ? 0 : at), size) != 0) return false;
  }
  return true;
}

} // namespace cutaway
