#include "import/onnx/op_context.h"

#include <numeric>

namespace cutaway::onnx {
namespace {

std::vector<int64_t> all_axes(size_t rank) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// Axes by attribute or by input 1; nothing where the op then leaves its input alone.
std::optional<std::vector<int64_t>> reduced_axes(OpContext& c, ValueId x) {
  std::vector<int64_t> axes;
  if (c.has(1)) axes = c.known_ints(1);
  else axes = c.attr_ints("axes");
  if (axes.empty() && c.attr_i("noop_with_empty_axes", 0)) return std::nullopt;
  return axes.empty() ? all_axes(c.rank(x)) : c.axes(axes, c.rank(x));
}

enum class Kind { sum, mean, max, min, prod, l1, l2, sum_square, log_sum, log_sum_exp };

ValueId reduce_as(OpContext& c, Kind kind, ValueId x, const std::vector<int64_t>& axes, bool keep) {
  const auto sum = [&](ValueId v) { return c.reduce(Op::reduce_sum, v, axes, keep); };
  switch (kind) {
  case Kind::sum: return sum(x);
  case Kind::mean: return c.mean(x, axes, keep);
  case Kind::max: return c.reduce(Op::reduce_max, x, axes, keep);
  case Kind::min: return c.reduce(Op::reduce_min, x, axes, keep);
  case Kind::prod: return c.reduce(Op::reduce_prod, x, axes, keep);
  case Kind::l1: return sum(c.unary(Op::abs, x));
  case Kind::sum_square: return sum(c.mul(x, x));
  case Kind::l2: {
    const ValueId s = sum(c.mul(x, x));
    return is_float(c.dtype(s)) ? c.unary(Op::sqrt, s) : c.cast(c.unary(Op::sqrt, c.cast(s, DType::f64)), c.dtype(s));
  }
  case Kind::log_sum: {
    const ValueId s = sum(x);
    return is_float(c.dtype(s)) ? c.unary(Op::log, s) : c.cast(c.unary(Op::log, c.cast(s, DType::f64)), c.dtype(s));
  }
  case Kind::log_sum_exp: break;
  }
  // The largest element is taken out, so that exp never overflows; an infinite one is left in.
  const ValueId top = c.reduce(Op::reduce_max, x, axes, true);
  const DType t = c.dtype(x);
  const ValueId finite = c.less(c.unary(Op::abs, top), c.scalar(std::numeric_limits<double>::infinity(), t));
  const ValueId shift = c.select(finite, top, c.scalar(0, t));
  const ValueId s = c.unary(Op::log, c.reduce(Op::reduce_sum, c.unary(Op::exp, c.sub(x, shift)), axes, true));
  const ValueId y = c.add(s, shift);
  if (keep || !c.ok()) return y;
  Shape shape;
  for (size_t i = 0, k = 0; i < c.rank(x); ++i) {
    if (k < axes.size() && axes[k] == static_cast<int64_t>(i)) ++k;
    else shape.push_back(c.shape(x)[i]);
  }
  return c.reshape(y, shape);
}

template <Kind kind> void reduce(OpContext& c) {
  ValueId x = c.in(0);
  const auto axes = reduced_axes(c, x);
  if (!axes) {
    // No axes and noop: the elementwise part alone.
    if (kind == Kind::sum || kind == Kind::mean || kind == Kind::max || kind == Kind::min || kind == Kind::prod) return c.out(0, x);
    return c.out(0, reduce_as(c, kind, x, {}, true));
  }
  if (c.dtype(x) == DType::boolean) return c.out(0, c.cast(reduce_as(c, kind, c.cast(x, DType::u8), *axes, c.attr_i("keepdims", 1)), DType::boolean));
  if (kind == Kind::log_sum_exp && !is_float(c.dtype(x)))
    return c.out(0, c.cast(reduce_as(c, kind, c.cast(x, DType::f64), *axes, c.attr_i("keepdims", 1)), c.dtype(x)));
  c.out(0, reduce_as(c, kind, x, *axes, c.attr_i("keepdims", 1)));
}

template <Op op> void arg(OpContext& c) {
  const ValueId x = c.in(0);
  const int64_t axis = c.axis(c.attr_i("axis", 0), c.rank(x));
  c.out(0, c.emit(op, {x}, {{"axes", std::vector<int64_t>{axis}}, {"keepdims", c.attr_i("keepdims", 1)}, {"last", c.attr_i("select_last_index", 0)}}));
}

template <Op op> void cumulative(OpContext& c) {
  const ValueId x = c.in(0);
  const auto axis = c.known_ints(1);
  if (!c.ok() || axis.empty()) return c.bad("the axis is empty");
  c.out(0, c.emit(op, {x}, {{"axis", c.axis(axis[0], c.rank(x))}, {"exclusive", c.attr_i("exclusive", 0)}, {"reverse", c.attr_i("reverse", 0)}}));
}

void topk(OpContext& c) {
  const ValueId x = c.in(0);
  int64_t k = c.attr_i("k", -1);
  if (c.opset >= 10) {
    const auto list = c.known_ints(1);
    if (!c.ok()) return;
    k = list.empty() ? -1 : list[0];
  }
  const int64_t axis = c.axis(c.attr_i("axis", -1), c.rank(x));
  const auto out = c.emit_many(Op::topk, {x}, {{"axis", axis}, {"k", k}, {"largest", c.attr_i("largest", 1)}}, 2);
  c.out(0, out[0]);
  c.out(1, out[1]);
}

} // namespace

std::vector<LoweringRow> reduction_rows() {
  return {
      {"ReduceSum", reduce<Kind::sum>}, {"ReduceMean", reduce<Kind::mean>}, {"ReduceMax", reduce<Kind::max>},
      {"ReduceMin", reduce<Kind::min>}, {"ReduceProd", reduce<Kind::prod>}, {"ReduceL1", reduce<Kind::l1>},
      {"ReduceL2", reduce<Kind::l2>}, {"ReduceSumSquare", reduce<Kind::sum_square>}, {"ReduceLogSum", reduce<Kind::log_sum>},
      {"ReduceLogSumExp", reduce<Kind::log_sum_exp>}, {"ArgMax", arg<Op::argmax>}, {"ArgMin", arg<Op::argmin>},
      {"CumSum", cumulative<Op::cumsum>}, {"CumProd", cumulative<Op::cumprod>}, {"TopK", topk},
  };
}

} // namespace cutaway::onnx
