#include "codegen/reduction.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {

const char* sum_type(Op op, DType t) { return op == Op::reduce_sum && is_float(t) ? "double" : c_type(t); }

std::string neutral(Op op, DType t) {
  const std::string type = c_type(t);
  if (op == Op::reduce_prod) return "1";
  if (op == Op::reduce_sum) return "0";
  const bool max = op == Op::reduce_max;
  if (is_float(t)) return max ? "-__builtin_inf()" : "__builtin_inf()";
  if (!is_signed_integer(t)) return max ? "0" : fmt::format("({})~({})0", type, type);
  const int bits = integer_bits(t);
  const std::string least = fmt::format("({})((cw_u64)1 << {})", type, bits - 1);
  return max ? least : fmt::format("({})~{}", type, least);
}

std::string combine(Op op, DType t, const std::string& acc, const std::string& v) {
  switch (op) {
  case Op::reduce_max: return fmt::format("cw_max_{}({}, {})", suffix(t), acc, v);
  case Op::reduce_min: return fmt::format("cw_min_{}({}, {})", suffix(t), acc, v);
  case Op::reduce_prod: return is_float(t) ? acc + " * " + v : fmt::format("cw_mul_{}({}, {})", suffix(t), acc, v);
  default: return is_float(t) ? acc + " + " + v : fmt::format("cw_add_{}({}, {})", suffix(t), acc, v);
  }
}

std::string rounded_result(DType t, const std::string& acc) {
  if (t == DType::f16) return "cw_round_f16((float)" + acc + ")";
  if (t == DType::bf16) return "cw_round_bf16((float)" + acc + ")";
  return fmt::format("({}){}", c_type(t), acc);
}

std::optional<RowGroup> RowGroup::of(NestPrinter& p, const std::vector<NodeId>& nodes) {
  RowGroup r;
  for (NodeId id : nodes) {
    const Node& n = p.g.node(id);
    if (op_class(n.op) != OpClass::reduction) continue;
    if (n.op == Op::argmax || n.op == Op::argmin) return std::nullopt;
    const auto dims = static_dims(p.g.type(n.inputs[0]).shape);
    if (r.reductions == 0) r.dims = dims, r.axes = n.attrs.ints("axes");
    if (dims != r.dims || n.attrs.ints("axes") != r.axes) return std::nullopt;
    ++r.reductions;
  }
  if (r.reductions == 0) return std::nullopt;
  for (size_t d = 0; d < r.dims.size(); ++d) {
    const bool gone = std::binary_search(r.axes.begin(), r.axes.end(), static_cast<int64_t>(d));
    r.keep_shape.push_back(gone ? 1 : r.dims[d]);
    if (!gone) r.drop_shape.push_back(r.dims[d]);
  }
  std::map<uint32_t, int> stage; // of full values: the loop they can be made in; of row values: when they are ready
  for (NodeId id : nodes) {
    const Node& n = p.g.node(id);
    const ValueId out = n.outputs[0];
    const bool reduces = op_class(n.op) == OpClass::reduction;
    if (!reduces && (!is_elementwise(n.op) || !can_generate(p.g, n))) return std::nullopt;
    if (!can_generate(p.g, n)) return std::nullopt;
    int s = 0;
    for (ValueId v : n.inputs)
      if (p.in_group(v)) s = std::max(s, stage[v.v]);
    if (reduces && p.in_group(n.inputs[0]) && r.is_row[n.inputs[0].v]) return std::nullopt;
    const auto shape = static_dims(p.g.type(out).shape);
    const bool row = reduces || (shape != r.dims && (shape == r.keep_shape || shape == r.drop_shape)) || (shape == r.dims && r.dims == r.keep_shape && s > 0);
    if (!row && shape != r.dims) return std::nullopt;
    if (row && !reduces)
      for (ValueId v : n.inputs)
        if (p.in_group(v) && !r.is_row[v.v]) return std::nullopt;
    if (!row)
      for (ValueId v : n.inputs)
        if (p.in_group(v) && r.is_row[v.v] && p.g.type(v).rank() != r.dims.size()) return std::nullopt;
    stage[out.v] = reduces ? s + 1 : s;
    r.is_row[out.v] = row;
    r.stages = std::max(r.stages, stage[out.v]);
  }
  r.stage = std::move(stage);
  return r;
}

namespace {

bool expensive(Op op) {
  switch (op) {
  case Op::exp: case Op::log: case Op::tanh: case Op::sigmoid: case Op::erf: case Op::sin: case Op::cos: case Op::pow: case Op::sqrt: case Op::div: return true;
  default: return false;
  }
}

bool holds(const std::vector<ValueId>& list, ValueId v) { return std::find(list.begin(), list.end(), v) != list.end(); }

} // namespace

RowNest::RowNest(NestPrinter& printer, const std::vector<NodeId>& group_nodes, RowGroup group) : p(printer), nodes(group_nodes), r(std::move(group)) {
  for (size_t d = 0; d < r.dims.size(); ++d) at.push_back(r.dims[d] == 1 ? "0" : fmt::format("i{}", d));
}

int64_t RowNest::inner() const {
  int64_t n = 1;
  for (int64_t a : r.axes) n *= r.dims[static_cast<size_t>(a)];
  return n;
}

int64_t RowNest::rows() const {
  int64_t n = 1;
  for (int64_t d : r.drop_shape) n *= d;
  return n;
}

Indices RowNest::row_indices(ValueId v) const {
  if (p.g.type(v).rank() == r.dims.size()) {
    Indices out = at;
    for (int64_t a : r.axes) out[static_cast<size_t>(a)] = "0";
    return out;
  }
  Indices out;
  for (size_t d = 0; d < r.dims.size(); ++d)
    if (!reduced(d)) out.push_back(at[d]);
  return out;
}

std::string RowNest::value_of(const Node& n, const Indices& indices) {
  std::vector<std::string> operands;
  for (ValueId v : n.inputs) operands.push_back(p.in_group(v) ? fmt::format("v{}", v.v) : p.load(v, p.operand_indices(v, n.outputs[0], indices)));
  return p.expression(n, operands);
}

std::vector<ValueId> RowNest::worth_keeping() const {
  std::vector<ValueId> out;
  for (NodeId id : nodes) {
    const ValueId v = node(id).outputs[0];
    if (row(v) || !expensive(node(id).op)) continue;
    const bool later = std::any_of(p.g.uses(v).begin(), p.g.uses(v).end(), [&](const Use& u) {
      const ValueId w = node(u.node).outputs[0];
      return p.in_group(w) && !row(w) && stage(w) > stage(v);
    });
    if (later) out.push_back(v);
  }
  return out;
}

void RowNest::require(ValueId v, int s, const std::vector<ValueId>& kept, std::vector<bool>& wanted) const {
  std::vector<ValueId> stack{v};
  while (!stack.empty()) {
    const ValueId now = stack.back();
    stack.pop_back();
    if (!p.in_group(now) || row(now) || wanted[now.v]) continue;
    wanted[now.v] = true;
    if (stage(now) < s && holds(kept, now)) continue;
    for (ValueId in : p.g.producer(now).inputs) stack.push_back(in);
  }
}

RowNest::Loop RowNest::loop_of(int s, const std::vector<ValueId>& kept) const {
  Loop loop;
  loop.wanted.resize(p.g.value_bound());
  for (NodeId id : nodes) {
    const Node& n = node(id);
    const ValueId v = n.outputs[0];
    const bool reduces = op_class(n.op) == OpClass::reduction;
    const bool goal = reduces ? stage(v) == s + 1 : !row(v) && stage(v) == s && (p.escapes(v) || holds(kept, v));
    if (!goal) continue;
    loop.any = true;
    if (reduces) loop.reductions.push_back(&n);
    require(reduces ? n.inputs[0] : v, s, kept, loop.wanted);
  }
  return loop;
}

std::string RowNest::row_statements(int s, const Form& form) {
  std::string out;
  for (NodeId id : nodes) {
    const Node& n = node(id);
    const ValueId v = n.outputs[0];
    if (!row(v) || stage(v) != s) continue;
    const bool reduces = op_class(n.op) == OpClass::reduction;
    const std::string e = reduces ? rounded_result(p.g.type(v).dtype, fmt::format("acc{}", v.v)) : value_of(n, row_indices(v));
    out += fmt::format("{}const {} v{} = {};\n", form.indent, c_type(p.g.type(v).dtype), v.v, e);
    if (p.escapes(v)) out += form.indent + form.guarded(p.store(v, row_indices(v), fmt::format("v{}", v.v)), true) + "\n";
  }
  return out;
}

std::string RowNest::accumulators(const Loop& loop, const Form& form) const {
  std::string out;
  for (const Node* n : loop.reductions) {
    const DType t = p.g.type(n->outputs[0]).dtype;
    out += fmt::format("{}{} acc{} = {};\n", form.indent, sum_type(n->op, t), n->outputs[0].v, neutral(n->op, t));
  }
  return out;
}

std::string RowNest::loop_statements(int s, const Loop& loop, const std::vector<ValueId>& kept, const Form& form) {
  std::string out;
  const std::string indent = form.indent + "  ";
  for (NodeId id : nodes) {
    const Node& n = node(id);
    const ValueId v = n.outputs[0];
    if (row(v) || !loop.wanted[v.v]) continue;
    const char* type = c_type(p.g.type(v).dtype);
    if (holds(kept, v) && stage(v) < s) {
      out += fmt::format("{}const {} v{} = {};\n", indent, type, v.v, form.place(v));
      continue;
    }
    out += fmt::format("{}const {} v{} = {};\n", indent, type, v.v, value_of(n, at));
    if (holds(kept, v)) out += fmt::format("{}{} = v{};\n", indent, form.place(v), v.v);
    if (p.escapes(v) && stage(v) == s) out += indent + form.guarded(p.store(v, at, fmt::format("v{}", v.v)), false) + "\n";
  }
  for (const Node* n : loop.reductions) {
    const ValueId in = n->inputs[0], v = n->outputs[0];
    const std::string x = p.in_group(in) ? fmt::format("v{}", in.v) : p.load(in, at);
    out += fmt::format("{0}acc{1} = {2};\n", indent, v.v, combine(n->op, p.g.type(v).dtype, fmt::format("acc{}", v.v), x));
  }
  return out;
}

} // namespace cutaway::codegen
