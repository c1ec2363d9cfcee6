#include "import/onnx/op_context.h"

#include <numeric>

namespace cutaway::onnx {
namespace {

std::vector<int64_t> axes_from(int64_t first, size_t rank) {
  std::vector<int64_t> axes(rank - static_cast<size_t>(first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

// A vector over channels (dim 1), shaped so that it broadcasts against x.
ValueId per_channel(OpContext& c, ValueId v, ValueId x) {
  Shape s(c.rank(x) > 0 ? c.rank(x) - 1 : 0, Dim(1));
  if (!s.empty() && c.rank(v) == 1) s[0] = c.shape(v)[0];
  return s.empty() ? v : c.reshape(v, s);
}

// exp(x - max) / sum over the axes; before opset 13 all dims from `axis` on count as one.
ValueId softmax_of(OpContext& c, ValueId x, const std::vector<int64_t>& axes, bool log) {
  const ValueId shifted = c.sub(x, c.reduce(Op::reduce_max, x, axes, true));
  const ValueId e = c.unary(Op::exp, shifted);
  const ValueId sum = c.reduce(Op::reduce_sum, e, axes, true);
  return log ? c.sub(shifted, c.unary(Op::log, sum)) : c.div(e, sum);
}
std::vector<int64_t> softmax_axes(OpContext& c, ValueId x) {
  const bool one = c.opset >= 13;
  const int64_t axis = c.axis(c.attr_i("axis", one ? -1 : 1), c.rank(x), !one);
  return one ? std::vector<int64_t>{axis} : axes_from(axis, c.rank(x));
}
template <bool log> void softmax(OpContext& c) {
  const ValueId x = c.in(0);
  const auto axes = softmax_axes(c, x);
  if (c.ok()) c.out(0, softmax_of(c, x, axes, log));
}
void hardmax(OpContext& c) {
  const ValueId x = c.in(0);
  const auto axes = softmax_axes(c, x);
  if (!c.ok()) return;
  if (axes.size() != 1) return c.defer(BreakCause::unknown_op, "Hardmax over several dims");
  const ValueId at = c.emit(Op::argmax, {x}, {{"axes", axes}, {"keepdims", int64_t{1}}, {"last", int64_t{0}}});
  const ValueId index = c.emit(Op::iota, {}, {{"axis", axes[0]}, {"shape", c.shape(x)}, {"to", DType::i64}});
  c.out(0, c.cast(c.emit(Op::equal, {index, at}), c.dtype(x)));
}

// (x - mean) / sqrt(var + eps) with the variance about the mean (two passes), in f32 or wider.
struct Moments {
  ValueId centred, inv_std, mean;
};
Moments moments(OpContext& c, ValueId x, const std::vector<int64_t>& axes, double eps) {
  Moments m;
  m.mean = c.mean(x, axes, true);
  m.centred = c.sub(x, m.mean);
  const ValueId var = c.mean(c.mul(m.centred, m.centred), axes, true);
  m.inv_std = c.unary(Op::recip, c.unary(Op::sqrt, c.add(var, c.scalar(eps, c.dtype(x)))));
  return m;
}
DType wide(DType t) { return t == DType::f16 || t == DType::bf16 ? DType::f32 : t; }

void layer_norm(OpContext& c) {
  const ValueId x0 = c.in(0);
  const DType t = c.dtype(x0);
  const DType w = c.attr_i("stash_type", 1) == 1 ? wide(t) : t;
  const ValueId x = c.cast(x0, w);
  const int64_t axis = c.axis(c.attr_i("axis", -1), c.rank(x));
  if (!c.ok()) return;
  const Moments m = moments(c, x, axes_from(axis, c.rank(x)), c.attr_f("epsilon", 1e-5f));
  ValueId y = c.cast(c.mul(m.centred, m.inv_std), t);
  y = c.mul(y, c.in(1));
  if (c.has(2)) y = c.add(y, c.in(2));
  c.out(0, y);
  if (c.wants(1)) c.out(1, m.mean);
  if (c.wants(2)) c.out(2, m.inv_std);
}
void rms_norm(OpContext& c) {
  const ValueId x0 = c.in(0);
  const DType t = c.dtype(x0);
  const ValueId x = c.cast(x0, c.attr_i("stash_type", 1) == 1 ? wide(t) : t);
  const int64_t axis = c.axis(c.attr_i("axis", -1), c.rank(x));
  if (!c.ok()) return;
  const ValueId square = c.mean(c.mul(x, x), axes_from(axis, c.rank(x)), true);
  const ValueId root = c.unary(Op::sqrt, c.add(square, c.scalar(c.attr_f("epsilon", 1e-5f), c.dtype(x))));
  c.out(0, c.mul(c.cast(c.div(x, root), t), c.in(1)));
}
void batch_norm(OpContext& c) {
  if (c.attr_i("training_mode", 0)) return c.defer(BreakCause::unknown_op, "BatchNormalization in training mode");
  if (c.opset < 7 && !c.attr_i("is_test", 0)) return c.defer(BreakCause::unknown_op, "BatchNormalization in training mode");
  const ValueId x = c.in(0);
  const DType w = c.dtype(c.in(3)), t = c.dtype(x);
  const double eps = c.attr_f("epsilon", 1e-5f);
  // y = x * a + b with a = scale / sqrt(var + eps), b = bias - mean * a; both fold where the statistics are constants.
  const ValueId a = c.div(c.cast(c.in(1), w), c.unary(Op::sqrt, c.add(c.in(4), c.scalar(eps, w))));
  const ValueId b = c.sub(c.cast(c.in(2), w), c.mul(c.in(3), a));
  const ValueId y = c.add(c.mul(c.cast(x, w), per_channel(c, a, x)), per_channel(c, b, x));
  c.out(0, c.cast(y, t));
}
void instance_norm(OpContext& c) {
  const ValueId x = c.in(0);
  if (c.rank(x) < 3) return c.bad("the input needs at least one spatial dim");
  const Moments m = moments(c, x, axes_from(2, c.rank(x)), c.attr_f("epsilon", 1e-5f));
  c.out(0, c.add(c.mul(c.mul(m.centred, m.inv_std), per_channel(c, c.in(1), x)), per_channel(c, c.in(2), x)));
}
void group_norm(OpContext& c) {
  const ValueId x = c.in(0);
  const int64_t groups = c.attr_i("num_groups", 1);
  const auto d = c.dims(x);
  if (!c.ok()) return;
  if (d.size() < 2 || groups < 1 || d[1] % groups != 0) return c.bad("channels do not divide by num_groups");
  std::vector<int64_t> split{d[0], groups, d[1] / groups};
  split.insert(split.end(), d.begin() + 2, d.end());
  const ValueId g = c.reshape(c.cast(x, wide(c.dtype(x))), split);
  const Moments m = moments(c, g, axes_from(2, split.size()), c.attr_f("epsilon", 1e-5f));
  ValueId y = c.mul(m.centred, m.inv_std);
  if (c.opset < 21) { // scale and bias per group
    Shape s(split.size() - 1, Dim(1));
    s[0] = groups;
    return c.out(0, c.reshape(c.add(c.mul(y, c.reshape(c.in(1), s)), c.reshape(c.in(2), s)), d));
  }
  y = c.cast(c.reshape(y, d), c.dtype(x));
  c.out(0, c.add(c.mul(y, per_channel(c, c.in(1), x)), per_channel(c, c.in(2), x)));
}
void lp_norm(OpContext& c) {
  const ValueId x = c.in(0);
  const std::vector<int64_t> axes{c.axis(c.attr_i("axis", -1), c.rank(x))};
  const ValueId norm = c.attr_i("p", 2) == 1 ? c.reduce(Op::reduce_sum, c.unary(Op::abs, x), axes, true)
                                             : c.unary(Op::sqrt, c.reduce(Op::reduce_sum, c.mul(x, x), axes, true));
  const ValueId zero = c.scalar(0, c.dtype(x));
  c.out(0, c.select(c.emit(Op::equal, {norm, zero}), zero, c.div(x, norm)));
}
void mean_variance_norm(OpContext& c) {
  const ValueId x = c.in(0);
  const auto axes = c.axes(c.attr_ints("axes", {0, 2, 3}), c.rank(x));
  if (!c.ok()) return;
  const ValueId centred = c.sub(x, c.mean(x, axes, true));
  const ValueId var = c.mean(c.mul(centred, centred), axes, true);
  c.out(0, c.div(centred, c.add(c.unary(Op::sqrt, var), c.scalar(1e-9, c.dtype(x)))));
}
void lrn(OpContext& c) {
  const ValueId x = c.in(0);
  const DType t = c.dtype(x);
  const int64_t size = c.attr_i("size", 1);
  std::vector<int64_t> window(c.rank(x), 1), low(c.rank(x), 0), high(c.rank(x), 0), ones(c.rank(x), 1);
  if (c.rank(x) < 2 || size < 1) return c.bad("the input needs channels and a size of at least 1");
  window[1] = size, low[1] = (size - 1) / 2, high[1] = size - 1 - low[1];
  const ValueId sum = c.emit(Op::reduce_window, {c.mul(x, x)}, {{"kind", std::string("sum")}, {"window", window}, {"strides", ones}, {"dilations", ones}, {"pad_low", low}, {"pad_high", high}});
  const ValueId base = c.add(c.mul(sum, c.scalar(c.attr_f("alpha", 1e-4f) / static_cast<double>(size), t)), c.scalar(c.attr_f("bias", 1), t));
  c.out(0, c.div(x, c.emit(Op::pow, {base, c.scalar(c.attr_f("beta", 0.75f), t)})));
}

} // namespace

std::vector<LoweringRow> normalization_rows() {
  return {{"Softmax", softmax<false>}, {"LogSoftmax", softmax<true>}, {"Hardmax", hardmax}, {"LayerNormalization", layer_norm},
          {"RMSNormalization", rms_norm}, {"BatchNormalization", batch_norm}, {"InstanceNormalization", instance_norm},
          {"GroupNormalization", group_norm}, {"LpNormalization", lp_norm}, {"MeanVarianceNormalization", mean_variance_norm}, {"LRN", lrn}};
}

} // namespace cutaway::onnx
