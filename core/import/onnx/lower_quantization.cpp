#include "import/onnx/window.h"

#include <limits>

namespace cutaway::onnx {
namespace {

// The scale or zero point shaped against x: a scalar, or one entry an index of `axis`; blocked ones are stretched.
ValueId along(OpContext& c, ValueId p, ValueId x, int64_t axis, int64_t block) {
  if (c.rank(p) == 0 || (c.rank(p) == 1 && c.shape(p)[0].is(1))) return c.reshape(p, Shape{});
  if (c.rank(p) == 1 && block == 0) {
    Shape s(c.rank(x) - static_cast<size_t>(axis), Dim(1));
    s[0] = c.shape(p)[0];
    return c.reshape(p, s);
  }
  if (c.rank(p) != c.rank(x) || block < 1) {
    c.bad("the scale has shape " + shape_str(c.shape(p)));
    return {};
  }
  const auto extent = c.dims(x)[static_cast<size_t>(axis)];
  std::vector<int64_t> index;
  for (int64_t i = 0; i < extent; ++i) index.push_back(i / block);
  return c.gather(p, c.vector_i64(index), axis);
}

struct Range {
  double low, high;
};
bool range_of(DType t, Range& r) {
  switch (t) {
  case DType::u8: return r = {0, 255}, true;
  case DType::i8: return r = {-128, 127}, true;
  case DType::u16: return r = {0, 65535}, true;
  case DType::i16: return r = {-32768, 32767}, true;
  case DType::u4: return r = {0, 15}, true;
  case DType::i4: return r = {-8, 7}, true;
  case DType::u2: return r = {0, 3}, true;
  case DType::i2: return r = {-2, 1}, true;
  default: return false;
  }
}

// saturate(round(x / scale) + zero)
ValueId quantized(OpContext& c, ValueId x, ValueId scale, ValueId zero, DType to) {
  Range r{0, 0};
  if (!range_of(to, r)) {
    if (is_float(to) && dtype_size(to) == 1 && to != DType::f8e8m0) return c.cast(c.div(x, scale), to);
    c.defer(BreakCause::element_type, std::string("quantisation to ") + dtype_name(to));
    return {};
  }
  const DType t = c.dtype(x);
  ValueId q = c.unary(Op::round_even, c.div(x, scale));
  if (zero) q = c.add(q, c.cast(zero, t));
  q = c.minimum(c.maximum(q, c.scalar(r.low, t)), c.scalar(r.high, t));
  return c.cast(q, to);
}
ValueId dequantized(OpContext& c, ValueId x, ValueId scale, ValueId zero) {
  const DType t = c.dtype(scale);
  ValueId v;
  if (!zero) v = c.cast(x, t);
  else if (is_float(c.dtype(x))) v = c.sub(c.cast(x, t), c.cast(zero, t));
  else v = c.cast(c.sub(c.cast(x, DType::i32), c.cast(zero, DType::i32)), t);
  return c.mul(v, scale);
}

void quantize_linear(OpContext& c) {
  ValueId x = c.in(0);
  static const std::map<int64_t, DType> types = {{2, DType::u8}, {3, DType::i8}, {4, DType::u16}, {5, DType::i16}, {17, DType::f8e4m3fn}, {18, DType::f8e4m3fnuz}, {19, DType::f8e5m2}, {20, DType::f8e5m2fnuz}, {21, DType::u4}, {22, DType::i4}, {25, DType::u2}, {26, DType::i2}};
  const int64_t axis = c.rank(c.in(1)) == 0 ? 0 : c.axis(c.attr_i("axis", 1), std::max<size_t>(c.rank(x), 1));
  const int64_t block = c.attr_i("block_size", 0);
  ValueId scale = along(c, c.in(1), x, axis, block), zero;
  DType to = DType::u8;
  if (const auto it = types.find(c.attr_i("output_dtype", 0)); it != types.end()) to = it->second;
  if (c.has(2)) {
    to = c.dtype(c.in(2));
    zero = along(c, c.in(2), x, axis, block);
  }
  if (!c.ok()) return;
  if (is_integer(c.dtype(x))) x = c.cast(x, c.dtype(scale));
  if (!(c.dtype(scale) == c.dtype(x))) {
    if (c.attr_i("precision", 0)) return c.defer(BreakCause::element_type, "quantisation with a precision");
    scale = c.cast(scale, c.dtype(x));
  }
  if (is_float(to) && dtype_size(to) == 1) zero = {};
  c.out(0, quantized(c, x, scale, zero, to));
}

void dequantize_linear(OpContext& c) {
  const ValueId x = c.in(0);
  const int64_t axis = c.rank(c.in(1)) == 0 ? 0 : c.axis(c.attr_i("axis", 1), std::max<size_t>(c.rank(x), 1));
  const int64_t block = c.attr_i("block_size", 0);
  const ValueId scale = along(c, c.in(1), x, axis, block), zero = c.has(2) ? along(c, c.in(2), x, axis, block) : ValueId();
  if (c.has_attr("output_dtype") && c.attr_i("output_dtype", 0)) return c.defer(BreakCause::element_type, "DequantizeLinear with output_dtype");
  c.out(0, dequantized(c, x, scale, zero));
}

void dynamic_quantize(OpContext& c) {
  const ValueId x = c.in(0);
  std::vector<int64_t> axes(c.rank(x));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  const DType t = c.dtype(x);
  const ValueId zero = c.scalar(0, t), high = c.maximum(c.reduce(Op::reduce_max, x, axes, false), zero), low = c.minimum(c.reduce(Op::reduce_min, x, axes, false), zero);
  const ValueId scale = c.div(c.sub(high, low), c.scalar(255, t));
  const ValueId z = c.minimum(c.maximum(c.unary(Op::round_even, c.div(c.sub(zero, low), scale)), zero), c.scalar(255, t));
  const ValueId point = c.cast(z, DType::u8);
  c.out(0, quantized(c, x, scale, point, DType::u8));
  c.out(1, scale);
  c.out(2, point);
}

// Per-row or per-column parameters of the products: vectors stand along rows (a) or columns (b, y).
ValueId param(OpContext& c, size_t input, ValueId x, int64_t axis) {
  const ValueId p = c.in(input);
  if (c.rank(p) > 1) return p;
  return along(c, p, x, axis, 0);
}
ValueId taken_off(OpContext& c, ValueId x, ValueId zero) { return c.sub(c.cast(x, DType::i32), c.cast(zero, DType::i32)); }

void qlinear_matmul(OpContext& c) {
  const ValueId a = c.in(0), b = c.in(3);
  const auto row = static_cast<int64_t>(std::max<size_t>(c.rank(a), 2) - 2), column = static_cast<int64_t>(std::max<size_t>(c.rank(b), 1) - 1);
  const ValueId acc = matmul_of(c, taken_off(c, a, param(c, 2, a, row)), taken_off(c, b, param(c, 5, b, column)));
  const ValueId sa = param(c, 1, a, row), sb = param(c, 4, b, column), sy = param(c, 6, acc, row), zy = param(c, 7, acc, row);
  const DType t = c.dtype(sa) == DType::f16 ? DType::f32 : c.dtype(sa);
  const ValueId real = c.mul(c.cast(acc, t), c.mul(c.cast(sa, t), c.cast(sb, t)));
  c.out(0, quantized(c, real, c.cast(sy, t), zy, c.dtype(c.in(7))));
}

void qlinear_conv(OpContext& c) {
  const ValueId x = c.in(0), w = c.in(3);
  const auto dw = c.dims(w);
  if (!c.ok() || dw.size() < 3) return;
  const Window win = read_window(c, x, {dw.begin() + 2, dw.end()});
  if (!c.ok()) return;
  ValueId acc = conv_of(c, taken_off(c, x, c.reshape(c.in(2), Shape{})), taken_off(c, w, along(c, c.in(5), w, 0, 0)), win, c.attr_i("group", 1));
  if (c.has(8)) acc = c.add(acc, along(c, c.in(8), acc, 1, 0));
  const ValueId scale = c.mul(c.reshape(c.in(1), Shape{}), along(c, c.in(4), acc, 1, 0));
  const ValueId real = c.mul(c.cast(acc, DType::f32), scale);
  c.out(0, quantized(c, real, c.reshape(c.in(6), Shape{}), c.reshape(c.in(7), Shape{}), c.dtype(c.in(7))));
}

} // namespace

std::vector<LoweringRow> quantization_rows() {
  return {{"QuantizeLinear", quantize_linear}, {"DequantizeLinear", dequantize_linear}, {"DynamicQuantizeLinear", dynamic_quantize},
          {"QLinearMatMul", qlinear_matmul}, {"QLinearConv", qlinear_conv}};
}

} // namespace cutaway::onnx
