#include "import/onnx/op_context.h"

#include <cmath>

namespace cutaway::onnx {
namespace {

ValueId index_input(OpContext& c, size_t i) {
  const ValueId v = c.in(i);
  return c.dtype(v) == DType::i32 || c.dtype(v) == DType::i64 ? v : c.cast(v, DType::i64);
}
void gather(OpContext& c) {
  const ValueId x = c.in(0);
  c.out(0, c.gather(x, index_input(c, 1), c.axis(c.attr_i("axis", 0), c.rank(x))));
}
void gather_elements(OpContext& c) {
  const ValueId x = c.in(0);
  c.out(0, c.emit(Op::gather_elements, {x, index_input(c, 1)}, {{"axis", c.axis(c.attr_i("axis", 0), c.rank(x))}}));
}
void gather_nd(OpContext& c) {
  c.out(0, c.emit(Op::gather_nd, {c.in(0), index_input(c, 1)}, {{"batch_dims", c.attr_i("batch_dims", 0)}}));
}
void scatter_elements(OpContext& c) {
  const ValueId x = c.in(0);
  c.out(0, c.emit(Op::scatter_elements, {x, index_input(c, 1), c.in(2)}, {{"axis", c.axis(c.attr_i("axis", 0), c.rank(x))}, {"reduction", c.attr_s("reduction", "none")}}));
}
void scatter_nd(OpContext& c) {
  c.out(0, c.emit(Op::scatter_nd, {c.in(0), index_input(c, 1), c.in(2)}, {{"reduction", c.attr_s("reduction", "none")}}));
}

void constant_of_shape(OpContext& c) {
  const auto shape = c.known_ints(0);
  auto value = c.attr_tensor("value");
  if (!c.ok()) return;
  for (int64_t d : shape)
    if (d < 0) return c.bad("the shape has a negative extent");
  const auto n = count_of(shape);
  if (!n || *n > (int64_t{1} << 40)) return c.fail(over_limit("", "a constant of " + shape_str(make_shape(shape)) + " elements is too large", "make the model ask for less"));
  Tensor one = value ? value->reshaped({}) : Tensor(DType::f32, {});
  c.out(0, c.constant(Tensor::splat(one.dtype(), shape, one.data())));
}

void range(OpContext& c) {
  const Tensor first = c.known(0), limit = c.known(1), step = c.known(2);
  if (!c.ok()) return;
  const DType t = first.dtype();
  int64_t n = 0;
  if (is_float(t)) {
    if (step.as_double(0) == 0) return c.bad("the step is 0");
    n = static_cast<int64_t>(std::max(0.0, std::ceil((limit.as_double(0) - first.as_double(0)) / step.as_double(0))));
  } else {
    const int64_t by = step.as_int(0), span = limit.as_int(0) - first.as_int(0);
    if (by == 0) return c.bad("the step is 0");
    n = (span > 0) == (by > 0) && span != 0 ? (std::abs(span) + std::abs(by) - 1) / std::abs(by) : 0;
  }
  if (n > (int64_t{1} << 32)) return c.fail(over_limit("", "a range of " + std::to_string(n) + " elements is too long"));
  const ValueId count = c.emit(Op::iota, {}, {{"axis", int64_t{0}}, {"shape", Shape{Dim(n)}}, {"to", t}});
  c.out(0, c.add(c.mul(count, c.reshape(c.in(2), Shape{})), c.reshape(c.in(0), Shape{})));
}

void one_hot(OpContext& c) {
  const ValueId indices = c.cast(c.in(0), DType::i64), values = c.in(2);
  const auto depth = c.known_ints(1);
  if (!c.ok() || depth.empty()) return;
  const int64_t axis = c.axis(c.attr_i("axis", -1), c.rank(indices) + 1);
  Shape shape = c.shape(indices), spread = shape;
  spread.insert(spread.begin() + axis, 1);
  shape.insert(shape.begin() + axis, depth[0]);
  const ValueId zero = c.scalar_i64(0), n = c.scalar_i64(depth[0]);
  const ValueId wrapped = c.select(c.less(indices, zero), c.add(indices, n), indices);
  const ValueId at = c.emit(Op::iota, {}, {{"axis", axis}, {"shape", shape}, {"to", DType::i64}});
  const ValueId hit = c.emit(Op::equal, {at, c.reshape(wrapped, spread)});
  c.out(0, c.select(hit, c.reshape(c.slice_axis(values, 0, 1, 1), Shape{}), c.reshape(c.slice_axis(values, 0, 0, 1), Shape{})));
}

void eye_like(OpContext& c) {
  const ValueId x = c.in(0);
  if (c.rank(x) != 2) return c.bad("the input must be a matrix");
  static const std::map<int64_t, DType> types = {{1, DType::f32}, {6, DType::i32}, {7, DType::i64}, {10, DType::f16}, {11, DType::f64}, {3, DType::i8}, {2, DType::u8}, {9, DType::boolean}};
  DType t = c.dtype(x);
  if (const auto it = types.find(c.attr_i("dtype", -1)); it != types.end()) t = it->second;
  const ValueId row = c.emit(Op::iota, {}, {{"axis", int64_t{0}}, {"shape", c.shape(x)}, {"to", DType::i64}});
  const ValueId col = c.emit(Op::iota, {}, {{"axis", int64_t{1}}, {"shape", c.shape(x)}, {"to", DType::i64}});
  c.out(0, c.cast(c.emit(Op::equal, {c.add(row, c.scalar_i64(c.attr_i("k", 0))), col}), t));
}

} // namespace

std::vector<LoweringRow> indexing_rows() {
  return {{"Gather", gather}, {"GatherElements", gather_elements}, {"GatherND", gather_nd}, {"ScatterElements", scatter_elements},
          {"Scatter", scatter_elements}, {"ScatterND", scatter_nd}, {"ConstantOfShape", constant_of_shape}, {"Range", range},
          {"OneHot", one_hot}, {"EyeLike", eye_like}};
}

} // namespace cutaway::onnx
