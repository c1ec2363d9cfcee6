#include "ir/eval/dispatch.h"

#include <limits>

namespace cutaway::eval_impl {
namespace {

// The input's dims split into kept and reduced ones, with their strides; both walked in row-major order.
struct Split {
  std::vector<int64_t> kept, kept_strides, reduced, reduced_strides;
  int64_t outer = 1, inner = 1;
};
Split split_dims(const std::vector<int64_t>& dims, const std::vector<int64_t>& axes) {
  Split s;
  const auto strides = strides_of(dims);
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool gone = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(d));
    (gone ? s.reduced : s.kept).push_back(dims[d]);
    (gone ? s.reduced_strides : s.kept_strides).push_back(strides[d]);
    (gone ? s.inner : s.outer) *= dims[d];
  }
  return s;
}

template <class C> C least() {
  if constexpr (std::is_floating_point_v<C>) return -std::numeric_limits<C>::infinity();
  else return std::numeric_limits<C>::min();
}
template <class C> C greatest() {
  if constexpr (std::is_floating_point_v<C>) return std::numeric_limits<C>::infinity();
  else return std::numeric_limits<C>::max();
}
template <class C> C neutral(Op op) {
  switch (op) {
  case Op::reduce_max: return least<C>();
  case Op::reduce_min: return greatest<C>();
  case Op::reduce_prod: return C(1);
  default: return C(0);
  }
}
template <class C> C wrap_add(C a, C b) {
  if constexpr (std::is_integral_v<C>) return static_cast<C>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return a + b;
}
template <class C> C wrap_mul(C a, C b) {
  if constexpr (std::is_integral_v<C>) return static_cast<C>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else return a * b;
}
template <class C> C larger(C a, C b) {
  if constexpr (std::is_same_v<C, float>) return cw_max_f32(a, b);
  else if constexpr (std::is_same_v<C, double>) return cw_max_f64(a, b);
  else return a > b ? a : b;
}
template <class C> C smaller(C a, C b) {
  if constexpr (std::is_same_v<C, float>) return cw_min_f32(a, b);
  else if constexpr (std::is_same_v<C, double>) return cw_min_f64(a, b);
  else return a < b ? a : b;
}
template <class C> C combine(Op op, C a, C b) {
  switch (op) {
  case Op::reduce_max: return larger(a, b);
  case Op::reduce_min: return smaller(a, b);
  case Op::reduce_prod: return wrap_mul(a, b);
  default: return wrap_add(a, b);
  }
}

// Sums of floats are kept in double and rounded once.
template <class C> using Sum = std::conditional_t<std::is_same_v<C, float>, double, C>;

template <class Tr, class C> void fold(const Call& c, Tensor& out) {
  using S = typename Tr::Stored;
  const Split s = split_dims(c.in[0].dims(), c.attrs.ints("axes"));
  const S* x = data<S>(c.in[0]);
  S* o = out.mutable_as<S>();
  const Op op = c.op;
  if (s.outer == 0) return;
  Odometer kept(s.kept, {s.kept_strides});
  for (int64_t i = 0; i < s.outer; ++i, kept.next()) {
    C acc = neutral<C>(op);
    if (s.inner > 0) {
      Odometer at(s.reduced, {s.reduced_strides});
      for (int64_t k = 0; k < s.inner; ++k, at.next()) acc = combine<C>(op, acc, static_cast<C>(Tr::load(x[kept.at(0) + at.at(0)])));
    }
    o[i] = Tr::store(static_cast<typename Tr::Native>(acc));
  }
}

template <class Tr> void find(const Call& c, Tensor& out) {
  using C = typename Tr::Native;
  using S = typename Tr::Stored;
  const Split s = split_dims(c.in[0].dims(), c.attrs.ints("axes"));
  const S* x = data<S>(c.in[0]);
  const bool max = c.op == Op::argmax, last = c.attrs.i("last");
  if (s.outer == 0) return;
  Odometer kept(s.kept, {s.kept_strides});
  for (int64_t i = 0; i < s.outer; ++i, kept.next()) {
    int64_t best = 0;
    C top = Tr::load(x[kept.at(0)]);
    for (int64_t k = 1; k < s.inner; ++k) {
      const C v = Tr::load(x[kept.at(0) + k * s.reduced_strides[0]]);
      const bool nan = v != v, top_nan = top != top;
      const bool better = top_nan ? (last && nan) : nan || (max ? v > top : v < top) || (last && v == top);
      if (better) best = k, top = v;
    }
    out.mutable_as<int64_t>()[i] = best;
  }
}

} // namespace

Tensors reduce(const Call& c) {
  Tensor out = c.make();
  const bool index = c.op == Op::argmax || c.op == Op::argmin;
  const bool ok = visit_number(c.in[0].dtype(), [&](auto t) {
    using Tr = decltype(t);
    using C = typename Tr::Native;
    if (index) find<Tr>(c, out);
    else if (c.op == Op::reduce_sum) fold<Tr, Sum<C>>(c, out);
    else fold<Tr, C>(c, out);
  });
  if (!ok) return c.refuse(c.in[0].dtype());
  return std::vector<Tensor>{out};
}

Tensors scan(const Call& c) {
  Tensor out = c.make();
  const auto dims = c.in[0].dims();
  const auto axis = static_cast<size_t>(c.attrs.i("axis"));
  const bool exclusive = c.attrs.i("exclusive", 0), reverse = c.attrs.i("reverse", 0), sum = c.op == Op::cumsum;
  const int64_t step = strides_of(dims)[axis], n = dims[axis];
  const bool ok = visit_number(out.dtype(), [&](auto t) {
    using Tr = decltype(t);
    using S = typename Tr::Stored;
    using C = typename Tr::Native;
    for (int64_t i = 0; i < out.count(); ++i) {
      if ((i / step) % n != 0) continue;
      C acc = sum ? C(0) : C(1);
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = i + (reverse ? n - 1 - k : k) * step;
        const C v = Tr::load(data<S>(c.in[0])[at]);
        if (exclusive) out.mutable_as<S>()[at] = Tr::store(acc);
        acc = sum ? wrap_add<C>(acc, v) : wrap_mul<C>(acc, v);
        if (!exclusive) out.mutable_as<S>()[at] = Tr::store(acc);
      }
    }
  });
  if (!ok) return c.refuse(out.dtype());
  return std::vector<Tensor>{out};
}

namespace {

template <class Tr, class C> void slide(const Call& c, Tensor& out, Op op, int64_t total) {
  using S = typename Tr::Stored;
  const auto dims = c.in[0].dims(), strides = strides_of(dims);
  const auto &size = c.attrs.ints("window"), &step = c.attrs.ints("strides"), &dilation = c.attrs.ints("dilations"), &low = c.attrs.ints("pad_low");
  Odometer position(out.dims(), {});
  for (int64_t i = 0; i < out.count(); ++i, position.next()) {
    C acc = neutral<C>(op);
    Odometer tap(size, {});
    for (int64_t k = 0; k < total; ++k, tap.next()) {
      int64_t at = 0;
      bool inside = true;
      for (size_t d = 0; d < dims.size() && inside; ++d) {
        const int64_t p = position.index()[d] * step[d] - low[d] + tap.index()[d] * dilation[d];
        inside = p >= 0 && p < dims[d];
        at += p * strides[d];
      }
      if (inside) acc = combine<C>(op, acc, static_cast<C>(Tr::load(data<S>(c.in[0])[at])));
    }
    out.mutable_as<S>()[i] = Tr::store(static_cast<typename Tr::Native>(acc));
  }
}

} // namespace

Tensors window(const Call& c) {
  Tensor out = c.make();
  const std::string& kind = c.attrs.s("kind");
  const Op op = kind == "sum" ? Op::reduce_sum : kind == "max" ? Op::reduce_max : Op::reduce_min;
  const auto total = count_of(c.attrs.ints("window"));
  if (!total || out.count() == 0) return std::vector<Tensor>{out};
  const bool ok = visit_number(out.dtype(), [&](auto t) {
    using Tr = decltype(t);
    using C = typename Tr::Native;
    if (op == Op::reduce_sum) slide<Tr, Sum<C>>(c, out, op, *total);
    else slide<Tr, C>(c, out, op, *total);
  });
  if (!ok) return c.refuse(out.dtype());
  return std::vector<Tensor>{out};
}

Tensors topk(const Call& c) {
  Tensor values = c.make(0), indices = c.make(1);
  const auto dims = c.in[0].dims();
  const auto axis = static_cast<size_t>(c.attrs.i("axis"));
  const int64_t n = dims[axis], k = c.attrs.i("k"), step = strides_of(dims)[axis];
  const bool largest = c.attrs.i("largest");
  const bool ok = visit_number(values.dtype(), [&](auto t) {
    using Tr = decltype(t);
    using S = typename Tr::Stored;
    const S* x = data<S>(c.in[0]);
    std::vector<int64_t> order(static_cast<size_t>(n));
    const int64_t outer = n ? c.in[0].count() / n / step : 0;
    for (int64_t row = 0; row < outer * step; ++row) {
      const int64_t base = row / step * step * n + row % step, to = row / step * step * k + row % step;
      for (int64_t i = 0; i < n; ++i) order[static_cast<size_t>(i)] = i;
      const auto before = [&](int64_t a, int64_t b) {
        const auto u = Tr::load(x[base + a * step]), v = Tr::load(x[base + b * step]);
        const bool nu = u != u, nv = v != v;
        if (nu != nv) return largest ? nu : nv;
        if (!nu && u != v) return largest ? u > v : u < v;
        return a < b;
      };
      std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
      for (int64_t i = 0; i < k; ++i) {
        values.mutable_as<S>()[to + i * step] = x[base + order[static_cast<size_t>(i)] * step];
        indices.mutable_as<int64_t>()[to + i * step] = order[static_cast<size_t>(i)];
      }
    }
  });
  if (!ok) return c.refuse(values.dtype());
  return std::vector<Tensor>{values, indices};
}

} // namespace cutaway::eval_impl
