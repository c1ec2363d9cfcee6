#include "import/onnx/op_context.h"

#include "import/onnx/lowerer.h"
#include "ir/eval.h"

#include <algorithm>

namespace cutaway::onnx {

OpContext::OpContext(Lowerer& lowerer, const WorkNode& work) : node(*work.node), lowerer_(lowerer), work_(work) {}

void OpContext::fail(Diagnostic d) {
  if (!ok()) return;
  d.where = d.where.empty() ? node.label() : node.label() + ": " + d.where;
  error_ = std::move(d);
}

void OpContext::bad(const std::string& what, const std::string& hint) { fail(invalid_model("", what, hint)); }

void OpContext::defer(BreakCause cause, const std::string& reason) {
  if (ok()) deferred_ = Deferral{cause, reason};
}

ValueId OpContext::in(size_t i) {
  if (!has(i)) {
    bad("input " + std::to_string(i) + " is missing");
    return {};
  }
  const ValueId v = lowerer_.value(node.inputs[i]);
  if (!v) bad("reads '" + node.inputs[i] + "', which nothing gives");
  else if (type(v).dtype == DType::string) defer(BreakCause::element_type, "strings live on the eager path");
  return v;
}

void OpContext::out(size_t i, ValueId v) {
  if (!ok()) return;
  if (!v) return bad("a result was not made");
  if (wants(i)) lowerer_.define(node.outputs[i], v);
}

const Type& OpContext::type(ValueId v) const {
  static const Type none{DType::f32, {}};
  return v ? lowerer_.builder().type(v) : none;
}

std::vector<int64_t> OpContext::dims(ValueId v) {
  if (is_static(shape(v))) return static_dims(shape(v));
  defer(BreakCause::data_dependent, "the extents " + shape_str(shape(v)) + " are not known");
  return std::vector<int64_t>(rank(v), 1);
}

int64_t OpContext::axis(int64_t value, size_t rank, bool end_too) {
  const auto r = static_cast<int64_t>(rank);
  const int64_t a = value < 0 ? value + r : value;
  if (a >= 0 && (a < r || (end_too && a == r))) return a;
  bad("axis " + std::to_string(value) + " is not within rank " + std::to_string(rank));
  return 0;
}

std::vector<int64_t> OpContext::axes(std::vector<int64_t> values, size_t rank) {
  for (int64_t& v : values) v = axis(v, rank);
  std::sort(values.begin(), values.end());
  if (std::adjacent_find(values.begin(), values.end()) != values.end()) bad("an axis is named twice");
  return values;
}

std::optional<Tensor> OpContext::maybe_known(ValueId v) { return v && ok() ? lowerer_.known(v) : std::nullopt; }

Tensor OpContext::known(size_t input) {
  const ValueId v = in(input);
  if (auto t = maybe_known(v)) return *t;
  if (ok()) defer(BreakCause::data_dependent, "'" + node.inputs[input] + "' must be known before the kernels are made");
  return Tensor(DType::i64, {0});
}

std::vector<int64_t> OpContext::known_ints(size_t input) { return known(input).ints(); }

int64_t OpContext::attr_i(const char* name, int64_t otherwise) const {
  const Attribute* a = node.attribute(name);
  return a && a->kind == Attribute::Kind::i ? a->i : otherwise;
}

double OpContext::attr_f(const char* name, double otherwise) const {
  const Attribute* a = node.attribute(name);
  return a && a->kind == Attribute::Kind::f ? a->f : otherwise;
}

std::string OpContext::attr_s(const char* name, const std::string& otherwise) const {
  const Attribute* a = node.attribute(name);
  return a && a->kind == Attribute::Kind::s ? a->s : otherwise;
}

std::vector<int64_t> OpContext::attr_ints(const char* name, std::vector<int64_t> otherwise) const {
  const Attribute* a = node.attribute(name);
  return a && a->kind == Attribute::Kind::ints ? a->ints : otherwise;
}

std::vector<float> OpContext::attr_floats(const char* name, std::vector<float> otherwise) const {
  const Attribute* a = node.attribute(name);
  return a && a->kind == Attribute::Kind::floats ? a->floats : otherwise;
}

std::optional<Tensor> OpContext::attr_tensor(const char* name) {
  const Attribute* a = node.attribute(name);
  if (!a || a->kind != Attribute::Kind::tensor || a->tensors.empty()) return std::nullopt;
  const TensorData& t = a->tensors[0];
  if (!t.unreadable.empty()) {
    fail(unsupported(std::string("attribute '") + name + "'", t.unreadable));
    return std::nullopt;
  }
  return t.tensor;
}

ValueId OpContext::emit(Op op, std::vector<ValueId> inputs, Attrs attrs) {
  return emit_many(op, std::move(inputs), std::move(attrs), 1)[0];
}

std::vector<ValueId> OpContext::emit_many(Op op, std::vector<ValueId> inputs, Attrs attrs, size_t outputs) {
  const bool missing = std::any_of(inputs.begin(), inputs.end(), [](ValueId v) { return !v.valid(); });
  if (missing && ok()) bad("an operand is missing");
  if (!ok()) return std::vector<ValueId>(outputs);
  auto made = lowerer_.builder().make_many(op, std::move(inputs), std::move(attrs));
  if (made) return *made;
  fail(made.error());
  return std::vector<ValueId>(outputs);
}

ValueId OpContext::constant(Tensor t) { return ok() ? lowerer_.builder().constant(std::move(t)) : ValueId(); }

ValueId OpContext::scalar(double value, DType dtype) {
  const Tensor wide = is_integer(dtype) || dtype == DType::boolean ? Tensor::scalar_i64(static_cast<int64_t>(value))
                                                                   : Tensor::of<double>(DType::f64, {}, {value});
  const Type to{dtype, {}};
  auto narrow = eval(Op::cast, {{"to", dtype}}, std::span(&wide, 1), std::span(&to, 1));
  if (!narrow) {
    fail(narrow.error());
    return {};
  }
  return constant((*narrow)[0]);
}

ValueId OpContext::cast(ValueId v, DType to) { return dtype(v) == to ? v : emit(Op::cast, {v}, {{"to", to}}); }

ValueId OpContext::reshape(ValueId v, const Shape& to) { return shape(v) == to ? v : emit(Op::reshape, {v}, {{"shape", to}}); }

ValueId OpContext::permute(ValueId v, const std::vector<int64_t>& perm) {
  return std::is_sorted(perm.begin(), perm.end()) ? v : emit(Op::permute, {v}, {{"perm", perm}});
}

ValueId OpContext::broadcast(ValueId v, const Shape& to) { return shape(v) == to ? v : emit(Op::broadcast, {v}, {{"shape", to}}); }

ValueId OpContext::slice(ValueId v, std::vector<int64_t> starts, std::vector<int64_t> steps, std::vector<int64_t> sizes) {
  const bool whole = make_shape(sizes) == shape(v) && std::all_of(steps.begin(), steps.end(), [](int64_t s) { return s == 1; });
  if (whole) return v;
  return emit(Op::slice, {v}, {{"starts", std::move(starts)}, {"steps", std::move(steps)}, {"sizes", std::move(sizes)}});
}

ValueId OpContext::slice_axis(ValueId v, int64_t axis, int64_t start, int64_t size) {
  auto sizes = dims(v);
  std::vector<int64_t> starts(sizes.size(), 0), steps(sizes.size(), 1);
  if (!ok()) return {};
  starts[static_cast<size_t>(axis)] = start;
  sizes[static_cast<size_t>(axis)] = size;
  return slice(v, std::move(starts), std::move(steps), std::move(sizes));
}

ValueId OpContext::pad(ValueId v, std::vector<int64_t> low, std::vector<int64_t> high, ValueId fill) {
  const auto zero = [](int64_t p) { return p == 0; };
  if (std::all_of(low.begin(), low.end(), zero) && std::all_of(high.begin(), high.end(), zero)) return v;
  std::vector<int64_t> interior(low.size(), 0);
  return emit(Op::pad, {v, fill}, {{"low", std::move(low)}, {"high", std::move(high)}, {"interior", std::move(interior)}});
}

ValueId OpContext::concat(std::vector<ValueId> parts, int64_t axis) {
  return parts.size() == 1 ? parts[0] : emit(Op::concat, std::move(parts), {{"axis", axis}});
}

ValueId OpContext::reduce(Op op, ValueId v, std::vector<int64_t> axes, bool keepdims) {
  return emit(op, {v}, {{"axes", std::move(axes)}, {"keepdims", int64_t{keepdims}}});
}

ValueId OpContext::gather(ValueId data, ValueId indices, int64_t axis) { return emit(Op::gather, {data, indices}, {{"axis", axis}}); }

ValueId OpContext::mean(ValueId v, std::vector<int64_t> axes, bool keepdims) {
  int64_t count = 1;
  const auto extents = dims(v);
  for (int64_t a : axes) count *= extents[static_cast<size_t>(a)];
  return div(reduce(Op::reduce_sum, v, std::move(axes), keepdims), scalar(static_cast<double>(count), dtype(v)));
}

} // namespace cutaway::onnx
