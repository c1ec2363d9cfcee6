#include "ir/eval/dispatch.h"

namespace cutaway::eval_impl {
namespace {

int64_t index_at(const Tensor& t, int64_t i) { return t.dtype() == DType::i32 ? t.get<int32_t>(i) : t.get<int64_t>(i); }

// An index brought into [0, extent), or false.
bool wrap(int64_t& i, int64_t extent) {
  if (i < 0) i += extent;
  return i >= 0 && i < extent;
}
Diagnostic out_of_range(const Call& c, int64_t i, int64_t extent) {
  return bad_input(op_name(c.op), "index " + std::to_string(i) + " is out of range for an extent of " + std::to_string(extent));
}

int64_t product(const std::vector<int64_t>& v, size_t from, size_t to) {
  int64_t n = 1;
  for (size_t i = from; i < to; ++i) n *= v[i];
  return n;
}

Tensors gather(const Call& c) {
  const Tensor &x = c.in[0], &idx = c.in[1];
  Tensor out = c.make();
  const auto axis = static_cast<size_t>(c.attrs.i("axis"));
  const int64_t outer = product(x.dims(), 0, axis), extent = x.dims()[axis], inner = product(x.dims(), axis + 1, x.rank());
  const auto bytes = static_cast<size_t>(inner * dtype_size(x.dtype()));
  if (out.count() == 0) return std::vector<Tensor>{out};
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < idx.count(); ++i) {
      int64_t k = index_at(idx, i);
      if (!wrap(k, extent)) return out_of_range(c, index_at(idx, i), extent);
      std::memcpy(out.mutable_data() + static_cast<size_t>(o * idx.count() + i) * bytes, x.data() + static_cast<size_t>(o * extent + k) * bytes, bytes);
    }
  return std::vector<Tensor>{out};
}

// Where the element of the data lies that an element of the index tensor names (gather_elements, scatter_elements).
struct ElementWalk {
  size_t axis;
  int64_t extent, axis_stride;
  Odometer at;
  ElementWalk(const Call& c, const Tensor& data)
      : axis(static_cast<size_t>(c.attrs.i("axis"))), extent(data.dims()[axis]), axis_stride(strides_of(data.dims())[axis]),
        at(c.in[1].dims(), {strides_of(data.dims())}) {}
  int64_t position(int64_t k) const { return at.at(0) + (k - at.index()[axis]) * axis_stride; }
};

Tensors gather_elements(const Call& c) {
  Tensor out = c.make();
  const auto size = static_cast<size_t>(dtype_size(out.dtype()));
  if (out.count() == 0) return std::vector<Tensor>{out};
  ElementWalk walk(c, c.in[0]);
  for (int64_t i = 0; i < out.count(); ++i, walk.at.next()) {
    int64_t k = index_at(c.in[1], i);
    if (!wrap(k, walk.extent)) return out_of_range(c, index_at(c.in[1], i), walk.extent);
    std::memcpy(out.mutable_data() + static_cast<size_t>(i) * size, c.in[0].data() + static_cast<size_t>(walk.position(k)) * size, size);
  }
  return std::vector<Tensor>{out};
}

// Offset of the slice that tuple number i names, past `batch` leading dims; -1 with `bad` set where out of range.
int64_t tuple_offset(const Tensor& idx, int64_t i, int64_t tuple, size_t batch, const std::vector<int64_t>& dims, const std::vector<int64_t>& strides, std::pair<int64_t, int64_t>& bad) {
  int64_t at = 0;
  for (int64_t k = 0; k < tuple; ++k) {
    const size_t d = batch + static_cast<size_t>(k);
    int64_t v = index_at(idx, i * tuple + k);
    if (!wrap(v, dims[d])) return bad = {index_at(idx, i * tuple + k), dims[d]}, -1;
    at += v * strides[d];
  }
  return at;
}

Tensors gather_nd(const Call& c) {
  const Tensor &x = c.in[0], &idx = c.in[1];
  Tensor out = c.make();
  const auto batch = static_cast<size_t>(c.attrs.i("batch_dims"));
  const int64_t tuple = idx.dims().back(), batches = product(x.dims(), 0, batch);
  const int64_t tuples = product(idx.dims(), batch, idx.rank() - 1), slice = product(x.dims(), batch + static_cast<size_t>(tuple), x.rank());
  const int64_t volume = product(x.dims(), batch, x.rank());
  const auto strides = strides_of(x.dims());
  const auto size = static_cast<size_t>(dtype_size(x.dtype()));
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t i = 0; i < tuples; ++i) {
      std::pair<int64_t, int64_t> bad;
      const int64_t at = tuple_offset(idx, b * tuples + i, tuple, batch, x.dims(), strides, bad);
      if (at < 0) return out_of_range(c, bad.first, bad.second);
      std::memcpy(out.mutable_data() + static_cast<size_t>((b * tuples + i) * slice) * size, x.data() + static_cast<size_t>(b * volume + at) * size, static_cast<size_t>(slice) * size);
    }
  return std::vector<Tensor>{out};
}

// Puts update u at place p as the reduction says; false for dtypes that cannot be reduced.
bool merge(Tensor& out, int64_t p, const Tensor& updates, int64_t u, const std::string& how) {
  const auto size = static_cast<size_t>(dtype_size(out.dtype()));
  if (how == "none") {
    std::memcpy(out.mutable_data() + static_cast<size_t>(p) * size, updates.data() + static_cast<size_t>(u) * size, size);
    return true;
  }
  const auto apply = [&](auto t) {
    using Tr = decltype(t);
    using S = typename Tr::Stored;
    using C = typename Tr::Native;
    S& slot = out.mutable_as<S>()[p];
    const C a = Tr::load(slot), b = Tr::load(data<S>(updates)[u]);
    C r = a;
    if (how == "add") r = static_cast<C>(a + b);
    else if (how == "mul") r = static_cast<C>(a * b);
    else if (how == "max") r = a != a || a > b ? a : b;
    else r = a != a || a < b ? a : b;
    slot = Tr::store(r);
  };
  return visit_number(out.dtype(), apply);
}

Tensor copy_of(const Tensor& x) {
  Tensor out(x.dtype(), x.dims());
  if (x.bytes()) std::memcpy(out.mutable_data(), x.data(), static_cast<size_t>(x.bytes()));
  return out;
}

Tensors scatter_elements(const Call& c) {
  Tensor out = copy_of(c.in[0]);
  const std::string& how = c.attrs.s("reduction");
  if (c.in[1].count() == 0) return std::vector<Tensor>{out};
  if (c.in[2].dims() != c.in[1].dims()) return invalid_model(op_name(c.op), "indices and updates differ in shape");
  ElementWalk walk(c, out);
  for (int64_t i = 0; i < c.in[1].count(); ++i, walk.at.next()) {
    int64_t k = index_at(c.in[1], i);
    if (!wrap(k, walk.extent)) return out_of_range(c, index_at(c.in[1], i), walk.extent);
    const int64_t p = walk.position(k);
    if (p < 0 || p >= out.count()) return invalid_model(op_name(c.op), "indices reach past the data");
    if (!merge(out, p, c.in[2], i, how)) return c.refuse(out.dtype());
  }
  return std::vector<Tensor>{out};
}

Tensors scatter_nd(const Call& c) {
  Tensor out = copy_of(c.in[0]);
  const Tensor& idx = c.in[1];
  const std::string& how = c.attrs.s("reduction");
  if (idx.rank() == 0) return invalid_model(op_name(c.op), "indices must have rank 1 or more");
  const int64_t tuple = idx.dims().back(), tuples = product(idx.dims(), 0, idx.rank() - 1);
  if (tuple > static_cast<int64_t>(out.rank())) return invalid_model(op_name(c.op), "index tuples are longer than the rank");
  const int64_t slice = product(out.dims(), static_cast<size_t>(tuple), out.rank());
  if (c.in[2].count() != tuples * slice) return invalid_model(op_name(c.op), "updates do not fit the indices");
  const auto strides = strides_of(out.dims());
  for (int64_t i = 0; i < tuples; ++i) {
    std::pair<int64_t, int64_t> bad;
    const int64_t at = tuple_offset(idx, i, tuple, 0, out.dims(), strides, bad);
    if (at < 0) return out_of_range(c, bad.first, bad.second);
    for (int64_t k = 0; k < slice; ++k)
      if (!merge(out, at + k, c.in[2], i * slice + k, how)) return c.refuse(out.dtype());
  }
  return std::vector<Tensor>{out};
}

} // namespace

Tensors indexed(const Call& c) {
  switch (c.op) {
  case Op::gather: return gather(c);
  case Op::gather_elements: return gather_elements(c);
  case Op::gather_nd: return gather_nd(c);
  case Op::scatter_elements: return scatter_elements(c);
  default: return scatter_nd(c);
  }
}

} // namespace cutaway::eval_impl
