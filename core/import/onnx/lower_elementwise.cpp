#include "import/onnx/op_context.h"

#include <cmath>
#include <limits>

namespace cutaway::onnx {
namespace {

template <Op op> void unary(OpContext& c) { c.out(0, c.unary(op, c.in(0))); }
template <Op op> void binary(OpContext& c) { c.out(0, c.emit(op, {c.in(0), c.in(1)})); }

// Up to opset 6 a second operand of lower rank stands at `axis`, with `broadcast` set.
void legacy_operands(OpContext& c, ValueId& a, ValueId& b) {
  a = c.in(0), b = c.in(1);
  if (c.opset >= 7 || !c.has_attr("axis")) return;
  const int64_t axis = c.axis(c.attr_i("axis", 0), c.rank(a));
  Shape shape = c.shape(b);
  while (static_cast<int64_t>(shape.size()) + axis < static_cast<int64_t>(c.rank(a))) shape.push_back(1);
  b = c.reshape(b, shape);
}
template <Op op> void arithmetic(OpContext& c) {
  ValueId a, b;
  legacy_operands(c, a, b);
  if (c.dtype(a) == DType::boolean && op == Op::equal) {
    a = c.cast(a, DType::u8), b = c.cast(b, DType::u8);
  }
  c.out(0, c.emit(op, {a, b}));
}

template <Op op> void variadic(OpContext& c) {
  ValueId acc = c.in(0);
  for (size_t i = 1; i < c.input_count(); ++i) acc = c.emit(op, {acc, c.in(i)});
  c.out(0, acc);
}
void mean(OpContext& c) {
  ValueId acc = c.in(0);
  for (size_t i = 1; i < c.input_count(); ++i) acc = c.add(acc, c.in(i));
  c.out(0, c.div(acc, c.scalar(static_cast<double>(c.input_count()), c.dtype(acc))));
}

ValueId relu_of(OpContext& c, ValueId x) { return c.maximum(x, c.scalar(0, c.dtype(x))); }
void relu(OpContext& c) { c.out(0, relu_of(c, c.in(0))); }

void greater(OpContext& c) {
  ValueId a, b;
  legacy_operands(c, a, b);
  c.out(0, c.less(b, a));
}
void greater_equal(OpContext& c) { c.out(0, c.emit(Op::less_equal, {c.in(1), c.in(0)})); }

void clip(OpContext& c) {
  ValueId x = c.in(0);
  const DType t = c.dtype(x);
  ValueId low, high;
  if (c.opset >= 11) {
    if (c.has(1)) low = c.in(1);
    if (c.has(2)) high = c.in(2);
  } else {
    if (c.has_attr("min")) low = c.scalar(c.attr_f("min", 0), t);
    if (c.has_attr("max")) high = c.scalar(c.attr_f("max", 0), t);
  }
  for (ValueId* v : {&low, &high})
    if (*v) *v = c.reshape(*v, Shape{});
  if (low) x = c.maximum(x, low);
  if (high) x = c.minimum(x, high);
  c.out(0, x);
}

void cast(OpContext& c) {
  static const std::map<int64_t, DType> types = {
      {1, DType::f32}, {2, DType::u8}, {3, DType::i8}, {4, DType::u16}, {5, DType::i16}, {6, DType::i32}, {7, DType::i64},
      {8, DType::string}, {9, DType::boolean}, {10, DType::f16}, {11, DType::f64}, {12, DType::u32}, {13, DType::u64},
      {16, DType::bf16}, {17, DType::f8e4m3fn}, {18, DType::f8e4m3fnuz}, {19, DType::f8e5m2}, {20, DType::f8e5m2fnuz},
      {21, DType::u4}, {22, DType::i4}, {23, DType::f4e2m1}, {24, DType::f8e8m0}, {25, DType::u2}, {26, DType::i2}};
  const ValueId x = c.in(0);
  DType to = DType::f32;
  if (c.node.op_type == "CastLike") {
    to = c.dtype(c.in(1));
  } else {
    const auto it = types.find(c.attr_i("to", 0));
    if (it == types.end()) return c.fail(unsupported("", "casts to element type " + std::to_string(c.attr_i("to", 0))));
    to = it->second;
  }
  if (to == DType::string) return c.defer(BreakCause::element_type, "casts to strings");
  if (c.dtype(x) == to) return c.out(0, x);
  Attrs attrs{{"to", to}};
  const bool small = is_float(to) && dtype_size(to) == 1;
  if (small && !c.attr_i("saturate", 1)) attrs.set("saturate", int64_t{0});
  if (to == DType::f8e8m0) return c.defer(BreakCause::element_type, "casts to f8e8m0 with a rounding mode");
  c.out(0, c.emit(Op::cast, {x}, attrs));
}

void leaky_relu(OpContext& c) {
  const ValueId x = c.in(0), zero = c.scalar(0, c.dtype(x));
  c.out(0, c.select(c.less(x, zero), c.mul(x, c.scalar(c.attr_f("alpha", 0.01f), c.dtype(x))), x));
}
void prelu(OpContext& c) {
  const ValueId x = c.in(0);
  ValueId slope = c.in(1);
  if (c.opset < 7 && c.rank(slope) == 1 && c.rank(x) > 2) {
    Shape s(c.rank(x) - 1, Dim(1));
    s[0] = c.shape(slope)[0];
    slope = c.reshape(slope, s);
  }
  c.out(0, c.select(c.less(x, c.scalar(0, c.dtype(x))), c.mul(x, slope), x));
}
// scale * (exp(x) - 1) * alpha below zero.
ValueId elu_of(OpContext& c, ValueId x, double alpha) {
  const DType t = c.dtype(x);
  const ValueId low = c.mul(c.sub(c.unary(Op::exp, x), c.scalar(1, t)), c.scalar(alpha, t));
  return c.select(c.less(x, c.scalar(0, t)), low, x);
}
void elu(OpContext& c) { c.out(0, elu_of(c, c.in(0), c.attr_f("alpha", 1))); }
void selu(OpContext& c) {
  const ValueId x = c.in(0);
  const double alpha = c.attr_f("alpha", 1.67326319217681884765625), gamma = c.attr_f("gamma", 1.05070102214813232421875);
  c.out(0, c.mul(elu_of(c, x, alpha), c.scalar(gamma, c.dtype(x))));
}
void celu(OpContext& c) {
  const ValueId x = c.in(0);
  const DType t = c.dtype(x);
  const double alpha = c.attr_f("alpha", 1);
  const ValueId low = c.mul(c.sub(c.unary(Op::exp, c.div(x, c.scalar(alpha, t))), c.scalar(1, t)), c.scalar(alpha, t));
  c.out(0, c.add(relu_of(c, x), c.minimum(low, c.scalar(0, t))));
}
void hard_sigmoid(OpContext& c) {
  const ValueId x = c.in(0);
  const DType t = c.dtype(x);
  const ValueId y = c.add(c.mul(x, c.scalar(c.attr_f("alpha", 0.2f), t)), c.scalar(c.attr_f("beta", 0.5f), t));
  c.out(0, c.maximum(c.minimum(y, c.scalar(1, t)), c.scalar(0, t)));
}
void hard_swish(OpContext& c) {
  const ValueId x = c.in(0);
  const DType t = c.dtype(x);
  const ValueId y = c.add(c.mul(x, c.scalar(1.0 / 6, t)), c.scalar(0.5, t));
  c.out(0, c.mul(x, c.maximum(c.minimum(y, c.scalar(1, t)), c.scalar(0, t))));
}
// log(1 + exp(x)), as max(x, 0) + log(1 + exp(-|x|)), which never overflows.
ValueId softplus_of(OpContext& c, ValueId x) {
  const ValueId tail = c.unary(Op::exp, c.unary(Op::neg, c.unary(Op::abs, x)));
  return c.add(relu_of(c, x), c.unary(Op::log, c.add(tail, c.scalar(1, c.dtype(x)))));
}
void softplus(OpContext& c) { c.out(0, softplus_of(c, c.in(0))); }
void mish(OpContext& c) {
  const ValueId x = c.in(0);
  c.out(0, c.mul(x, c.unary(Op::tanh, softplus_of(c, x))));
}
void softsign(OpContext& c) {
  const ValueId x = c.in(0);
  c.out(0, c.div(x, c.add(c.unary(Op::abs, x), c.scalar(1, c.dtype(x)))));
}
void swish(OpContext& c) {
  const ValueId x = c.in(0);
  const double alpha = c.attr_f("alpha", 1);
  c.out(0, c.mul(x, c.unary(Op::sigmoid, alpha == 1 ? x : c.mul(x, c.scalar(alpha, c.dtype(x))))));
}
void gelu(OpContext& c) {
  const ValueId x = c.in(0);
  const DType t = c.dtype(x);
  ValueId inner;
  if (c.attr_s("approximate", "none") == "tanh") {
    const ValueId cube = c.mul(c.mul(x, x), x);
    inner = c.unary(Op::tanh, c.mul(c.add(x, c.mul(cube, c.scalar(0.044715, t))), c.scalar(std::sqrt(2 / M_PI), t)));
  } else {
    inner = c.unary(Op::erf, c.div(x, c.scalar(std::sqrt(2.0), t)));
  }
  c.out(0, c.mul(c.mul(x, c.add(inner, c.scalar(1, t))), c.scalar(0.5, t)));
}
void thresholded_relu(OpContext& c) {
  const ValueId x = c.in(0);
  const DType t = c.dtype(x);
  c.out(0, c.select(c.less(c.scalar(c.attr_f("alpha", 1), t), x), x, c.scalar(0, t)));
}
void shrink(OpContext& c) {
  const ValueId x = c.in(0);
  const DType t = c.dtype(x);
  const double lambda = c.attr_f("lambd", 0.5), bias = c.attr_f("bias", 0);
  const ValueId upper = c.select(c.less(c.scalar(lambda, t), x), c.sub(x, c.scalar(bias, t)), c.scalar(0, t));
  c.out(0, c.select(c.less(x, c.scalar(-lambda, t)), c.add(x, c.scalar(bias, t)), upper));
}
void is_inf(OpContext& c) {
  const ValueId x = c.in(0);
  const DType t = c.dtype(x);
  if (!is_computable(t)) return c.defer(BreakCause::element_type, "IsInf of small floats");
  const double inf = std::numeric_limits<double>::infinity();
  const bool low = c.attr_i("detect_negative", 1), high = c.attr_i("detect_positive", 1);
  if (!low && !high) return c.out(0, c.broadcast(c.scalar(0, DType::boolean), c.shape(x)));
  if (low && high) return c.out(0, c.emit(Op::equal, {c.unary(Op::abs, x), c.scalar(inf, t)}));
  c.out(0, c.emit(Op::equal, {x, c.scalar(high ? inf : -inf, t)}));
}
void mod(OpContext& c) { c.out(0, c.emit(c.attr_i("fmod", 0) ? Op::rem : Op::mod, {c.in(0), c.in(1)})); }
void bit_shift(OpContext& c) {
  const bool left = c.attr_s("direction", "") == "LEFT";
  c.out(0, c.emit(left ? Op::shift_left : Op::shift_right, {c.in(0), c.in(1)}));
}
void pow(OpContext& c) {
  ValueId a, b;
  legacy_operands(c, a, b);
  if (is_integer(c.dtype(a)) && is_float(c.dtype(b))) {
    // A whole number to a float power goes through floats, as the operator's description says.
    return c.out(0, c.cast(c.emit(Op::pow, {c.cast(a, c.dtype(b)), b}), c.dtype(a)));
  }
  c.out(0, c.emit(Op::pow, {a, c.cast(b, c.dtype(a))}));
}
void where(OpContext& c) { c.out(0, c.select(c.in(0), c.in(1), c.in(2))); }
void dropout(OpContext& c) {
  const ValueId x = c.in(0);
  if (c.has(2)) {
    const auto training = c.maybe_known(c.in(2));
    if (!training || training->as_int(0)) return c.defer(BreakCause::data_dependent, "training mode draws random numbers");
  }
  c.out(0, x);
  if (c.wants(1)) c.out(1, c.broadcast(c.scalar(1, DType::boolean), c.shape(x)));
}

} // namespace

std::vector<LoweringRow> elementwise_rows() {
  return {
      {"Neg", unary<Op::neg>}, {"Abs", unary<Op::abs>}, {"Sign", unary<Op::sign>}, {"Exp", unary<Op::exp>}, {"Log", unary<Op::log>},
      {"Sqrt", unary<Op::sqrt>}, {"Reciprocal", unary<Op::recip>}, {"Tanh", unary<Op::tanh>}, {"Sigmoid", unary<Op::sigmoid>},
      {"Erf", unary<Op::erf>}, {"Sin", unary<Op::sin>}, {"Cos", unary<Op::cos>}, {"Tan", unary<Op::tan>}, {"Asin", unary<Op::asin>},
      {"Acos", unary<Op::acos>}, {"Atan", unary<Op::atan>}, {"Sinh", unary<Op::sinh>}, {"Cosh", unary<Op::cosh>},
      {"Asinh", unary<Op::asinh>}, {"Acosh", unary<Op::acosh>}, {"Atanh", unary<Op::atanh>}, {"Floor", unary<Op::floor>},
      {"Ceil", unary<Op::ceil>}, {"Round", unary<Op::round_even>}, {"Not", unary<Op::logical_not>},
      {"BitwiseNot", unary<Op::bit_not>}, {"IsNaN", unary<Op::is_nan>}, {"Add", arithmetic<Op::add>}, {"Sub", arithmetic<Op::sub>},
      {"Mul", arithmetic<Op::mul>}, {"Div", arithmetic<Op::div>}, {"Equal", arithmetic<Op::equal>}, {"Less", arithmetic<Op::less>},
      {"LessOrEqual", binary<Op::less_equal>}, {"Greater", greater}, {"GreaterOrEqual", greater_equal},
      {"And", arithmetic<Op::logical_and>}, {"Or", arithmetic<Op::logical_or>}, {"Xor", arithmetic<Op::logical_xor>},
      {"BitwiseAnd", binary<Op::bit_and>}, {"BitwiseOr", binary<Op::bit_or>}, {"BitwiseXor", binary<Op::bit_xor>},
      {"Max", variadic<Op::maximum>}, {"Min", variadic<Op::minimum>}, {"Sum", variadic<Op::add>}, {"Mean", mean}, {"Relu", relu},
      {"Clip", clip}, {"Cast", cast}, {"CastLike", cast}, {"LeakyRelu", leaky_relu}, {"PRelu", prelu}, {"Elu", elu}, {"Selu", selu},
      {"Celu", celu}, {"HardSigmoid", hard_sigmoid}, {"HardSwish", hard_swish}, {"Softplus", softplus}, {"Mish", mish},
      {"Softsign", softsign}, {"Swish", swish}, {"Gelu", gelu}, {"ThresholdedRelu", thresholded_relu}, {"Shrink", shrink},
      {"IsInf", is_inf}, {"Mod", mod}, {"BitShift", bit_shift}, {"Pow", pow}, {"Where", where}, {"Dropout", dropout},
  };
}

} // namespace cutaway::onnx
