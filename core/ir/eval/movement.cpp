#include "ir/eval/dispatch.h"

namespace cutaway::eval_impl {
namespace {

// Copies elements of the output, in order, from the given offset and strides of a source.
void copy_strided(Tensor& out, const std::byte* from, int64_t offset, const std::vector<int64_t>& strides) {
  if (out.count() == 0) return;
  const auto size = static_cast<size_t>(dtype_size(out.dtype()));
  auto dims = out.dims();
  auto outer = strides;
  int64_t run = 1, step = 1;
  if (!dims.empty()) {
    run = dims.back(), step = outer.back();
    dims.pop_back(), outer.pop_back();
  }
  std::byte* to = out.mutable_data();
  Odometer at(dims, {outer});
  for (int64_t i = 0; i < out.count(); i += run, at.next(), to += static_cast<size_t>(run) * size) {
    const std::byte* src = from + (offset + at.at(0)) * static_cast<int64_t>(size);
    if (step == 1) {
      std::memcpy(to, src, static_cast<size_t>(run) * size);
    } else {
      for (int64_t k = 0; k < run; ++k)
        std::memcpy(to + static_cast<size_t>(k) * size, src + k * step * static_cast<int64_t>(size), size);
    }
  }
}

// Writes all elements of a part into the output at the offset and strides.
void paste(Tensor& out, const Tensor& part, int64_t offset, const std::vector<int64_t>& strides) {
  const auto size = static_cast<size_t>(dtype_size(out.dtype()));
  if (part.count() == 0) return;
  auto dims = part.dims();
  auto outer = strides;
  int64_t run = 1;
  if (!dims.empty() && strides.back() == 1) {
    run = dims.back();
    dims.pop_back(), outer.pop_back();
  }
  Odometer at(dims, {outer});
  for (int64_t i = 0; i < part.count(); i += run, at.next())
    std::memcpy(out.mutable_data() + static_cast<size_t>(offset + at.at(0)) * size, part.data() + static_cast<size_t>(i) * size, static_cast<size_t>(run) * size);
}

Tensors concat(const Call& c) {
  Tensor out = c.make();
  const auto axis = static_cast<size_t>(c.attrs.i("axis"));
  const auto strides = strides_of(out.dims());
  int64_t at = 0;
  for (const Tensor& part : c.in) {
    paste(out, part, at * strides[axis], strides);
    at += part.dims()[axis];
  }
  return std::vector<Tensor>{out};
}

Tensors pad(const Call& c) {
  Tensor out = c.make();
  const auto size = static_cast<size_t>(dtype_size(out.dtype()));
  for (int64_t i = 0; i < out.count(); ++i) std::memcpy(out.mutable_data() + static_cast<size_t>(i) * size, c.in[1].data(), size);
  const auto strides = strides_of(out.dims());
  int64_t offset = 0;
  auto spread = strides;
  for (size_t d = 0; d < strides.size(); ++d) {
    offset += c.attrs.ints("low")[d] * strides[d];
    spread[d] *= c.attrs.ints("interior")[d] + 1;
  }
  paste(out, c.in[0], offset, spread);
  return std::vector<Tensor>{out};
}

} // namespace

Tensors movement(const Call& c) {
  if (c.op == Op::concat) return concat(c);
  if (c.op == Op::pad) return pad(c);
  const Tensor& x = c.in[0];
  if (c.op == Op::reshape) return std::vector<Tensor>{x.reshaped(c.out_dims())};
  Tensor out(x.dtype(), c.out_dims());
  const auto own = strides_of(x.dims());
  std::vector<int64_t> strides(out.rank(), 0);
  int64_t offset = 0;
  for (size_t d = 0; d < out.rank(); ++d) {
    if (c.op == Op::permute) {
      strides[d] = own[static_cast<size_t>(c.attrs.ints("perm")[d])];
    } else if (c.op == Op::slice) {
      strides[d] = own[d] * c.attrs.ints("steps")[d];
      offset += own[d] * c.attrs.ints("starts")[d];
    } else if (d >= out.rank() - x.rank()) { // broadcast
      const size_t k = d - (out.rank() - x.rank());
      strides[d] = x.dims()[k] == 1 ? 0 : own[k];
    }
  }
  copy_strided(out, x.data(), offset, strides);
  return std::vector<Tensor>{out};
}

} // namespace cutaway::eval_impl
