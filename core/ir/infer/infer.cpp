#include "ir/infer/rules.h"

#include "base/check.h"

#include <algorithm>

namespace cutaway {
namespace infer_rules {
namespace {

Types leaf(const Args& a) {
  switch (a.op) {
  case Op::param: return std::vector<Type>{{a.attrs.dtype("to"), a.attrs.dims("shape")}};
  case Op::constant: return std::vector<Type>{a.attrs.tensor("data").type()};
  case Op::iota: {
    const Shape& shape = a.attrs.dims("shape");
    if (auto axis = axis_of(a, shape.size()); !axis) return axis.error();
    return std::vector<Type>{{a.attrs.dtype("to"), shape}};
  }
  default: break;
  }
  if (auto axis = axis_of(a, a.in[0].rank()); !axis) return axis.error();
  return std::vector<Type>{{DType::i64, {}}};
}

Types dispatch(const Args& a) {
  switch (op_class(a.op)) {
  case OpClass::leaf: return leaf(a);
  case OpClass::elementwise: return elementwise(a);
  case OpClass::reduction:
  case OpClass::scan: return reduction(a);
  case OpClass::view:
  case OpClass::injective: return movement(a);
  case OpClass::gather:
  case OpClass::scatter: return indexed(a);
  case OpClass::contraction: return contraction(a);
  case OpClass::window: return window(a);
  case OpClass::opaque: break;
  }
  if (a.op == Op::topk) return indexed(a);
  if (a.op == Op::recurrent) return recurrent(a);
  return a.bad("its output types are given, not inferred");
}

} // namespace

Result<int64_t> axis_of(const Args& a, size_t rank) {
  const int64_t axis = a.attrs.i("axis");
  if (axis < 0 || axis >= static_cast<int64_t>(rank))
    return a.bad("axis " + std::to_string(axis) + " is not within rank " + std::to_string(rank));
  return axis;
}

Status check_list(const Args& a, const char* name, size_t length) {
  const AttrValue* v = a.attrs.find(name);
  const auto* list = v ? std::get_if<std::vector<int64_t>>(v) : nullptr;
  if (!list) return a.bad(std::string("attribute '") + name + "' is missing");
  if (list->size() != length)
    return a.bad(std::string("'") + name + "' has " + std::to_string(list->size()) + " entries, " + std::to_string(length) + " are needed");
  return {};
}

} // namespace infer_rules

Result<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  for (size_t i = 0; i < shorter.size(); ++i) {
    Dim& at = out[longer.size() - shorter.size() + i];
    if (at == shorter[i] || shorter[i].is(1)) continue;
    if (!at.is(1)) return invalid_model("", "shapes " + shape_str(a) + " and " + shape_str(b) + " do not broadcast: " + at.str() + " and " + shorter[i].str());
    at = shorter[i];
  }
  return out;
}

Result<std::vector<Type>> infer(Op op, std::span<const Type> inputs, const Attrs& attrs) {
  const OpRow& row = op_row(op);
  const auto n = static_cast<int>(inputs.size());
  if (n < row.least_inputs || n > row.most_inputs)
    return invalid_model(row.name, "takes " + std::to_string(row.least_inputs) + " to " + std::to_string(row.most_inputs) + " inputs, has " + std::to_string(n));
  auto types = infer_rules::dispatch({op, inputs, attrs});
  if (!types) return types;
  for (const Type& t : *types) {
    const Dim count = element_count(t.shape) * Dim(std::max<int64_t>(dtype_size(t.dtype), 1));
    const bool negative = std::any_of(t.shape.begin(), t.shape.end(), [](const Dim& d) { return d.is_const() && d.value() < 0; });
    if (negative) return invalid_model(row.name, "the result has a negative extent: " + t.str());
    if (count.is_invalid()) return over_limit(row.name, "the size of the result overflows: " + t.str());
  }
  return types;
}

} // namespace cutaway
