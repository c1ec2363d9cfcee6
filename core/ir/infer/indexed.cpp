#include "ir/infer/rules.h"

namespace cutaway::infer_rules {
namespace {

Types one(DType dtype, Shape shape) { return std::vector<Type>{{dtype, std::move(shape)}}; }

Types gather(const Args& a) {
  auto axis = axis_of(a, a.in[0].rank());
  if (!axis) return axis.error();
  const auto at = static_cast<std::ptrdiff_t>(*axis);
  const Shape& data = a.in[0].shape;
  Shape shape(data.begin(), data.begin() + at);
  shape.insert(shape.end(), a.in[1].shape.begin(), a.in[1].shape.end());
  shape.insert(shape.end(), data.begin() + at + 1, data.end());
  return one(a.in[0].dtype, shape);
}

Types gather_nd(const Args& a) {
  const Shape &data = a.in[0].shape, &index = a.in[1].shape;
  const int64_t batch = a.attrs.i("batch_dims");
  if (index.empty() || !index.back().is_const()) return a.bad("the length of an index tuple must be known");
  const int64_t tuple = index.back().value();
  if (batch < 0 || tuple < 0 || batch >= static_cast<int64_t>(index.size()) || batch + tuple > static_cast<int64_t>(data.size()))
    return a.bad("index tuples of " + std::to_string(tuple) + " do not fit " + a.in[0].str());
  Shape shape(index.begin(), index.end() - 1);
  shape.insert(shape.end(), data.begin() + batch + tuple, data.end());
  return one(a.in[0].dtype, shape);
}

Types elements(const Args& a) {
  if (auto axis = axis_of(a, a.in[0].rank()); !axis) return axis.error();
  if (a.in[1].rank() != a.in[0].rank()) return a.bad("indices must have the rank of the data");
  return one(a.in[0].dtype, a.op == Op::gather_elements ? a.in[1].shape : a.in[0].shape);
}

Types topk(const Args& a) {
  auto axis = axis_of(a, a.in[0].rank());
  if (!axis) return axis.error();
  Shape shape = a.in[0].shape;
  Dim& d = shape[static_cast<size_t>(*axis)];
  const int64_t k = a.attrs.i("k");
  if (k < 0 || (d.is_const() && k > d.value())) return a.bad("k = " + std::to_string(k) + " exceeds the extent " + d.str());
  d = k;
  return std::vector<Type>{{a.in[0].dtype, shape}, {DType::i64, shape}};
}

} // namespace

Types indexed(const Args& a) {
  if (a.op == Op::topk) return topk(a);
  if (a.in[1].dtype != DType::i64 && a.in[1].dtype != DType::i32) return a.bad("indices must be i64 or i32");
  if (op_class(a.op) == OpClass::scatter && a.in[2].dtype != a.in[0].dtype) return a.bad("updates must have the data's dtype");
  switch (a.op) {
  case Op::gather: return gather(a);
  case Op::gather_nd: return gather_nd(a);
  case Op::scatter_nd: return one(a.in[0].dtype, a.in[0].shape);
  default: return elements(a);
  }
}

} // namespace cutaway::infer_rules
