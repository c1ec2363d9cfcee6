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

// Prints a group of reductions over the same axes with elementwise work before, between and after, row by row.
class RowPrinter {
 public:
  RowPrinter(NestPrinter& p, const std::vector<NodeId>& nodes, RowGroup group, Kernel& kernel, bool strict)
      : p_(p), nodes_(nodes), r_(std::move(group)), kernel_(kernel), strict_(strict) {}

  void print() {
    find_buffers();
    for (size_t d = 0; d < r_.dims.size(); ++d) at_.push_back(r_.dims[d] == 1 ? "0" : fmt::format("i{}", d));
    for (int s = 0; s <= r_.stages; ++s) {
      row_nodes(s);
      loop(s);
    }
    finish();
  }

 private:
  const Node& node(NodeId id) const { return p_.g.node(id); }
  bool row(ValueId v) const { return r_.is_row.at(v.v); }
  int stage(ValueId v) const { return r_.stage.at(v.v); }

  // Full values that a later loop reads and that cost too much to make twice.
  void find_buffers() {
    int64_t inner = 1;
    for (int64_t a : r_.axes) inner *= r_.dims[static_cast<size_t>(a)];
    for (NodeId id : nodes_) {
      const Node& n = node(id);
      const ValueId v = n.outputs[0];
      if (row(v) || !expensive(n.op)) continue;
      const bool later = std::any_of(p_.g.uses(v).begin(), p_.g.uses(v).end(), [&](const Use& u) {
        const ValueId w = node(u.node).outputs[0];
        return p_.in_group(w) && !row(w) && stage(w) > stage(v);
      });
      if (!later) continue;
      buffers_[v.v] = kernel_.scratch_bytes;
      kernel_.scratch_bytes += (inner * dtype_size(p_.g.type(v).dtype == DType::f64 ? DType::f64 : DType::i64) + 63) / 64 * 64;
    }
  }

  Indices row_indices(ValueId v) const {
    if (p_.g.type(v).rank() == r_.dims.size()) {
      Indices at = at_;
      for (int64_t a : r_.axes) at[static_cast<size_t>(a)] = "0";
      return at;
    }
    Indices at;
    for (size_t d = 0; d < r_.dims.size(); ++d)
      if (!std::binary_search(r_.axes.begin(), r_.axes.end(), static_cast<int64_t>(d))) at.push_back(at_[d]);
    return at;
  }

  std::string value_of(const Node& n, const Indices& at) {
    std::vector<std::string> operands;
    for (ValueId v : n.inputs) operands.push_back(p_.in_group(v) ? fmt::format("v{}", v.v) : p_.load(v, p_.operand_indices(v, n.outputs[0], at)));
    return p_.expression(n, operands);
  }

  void row_nodes(int s) {
    for (NodeId id : nodes_) {
      const Node& n = node(id);
      const ValueId v = n.outputs[0];
      if (!row(v) || stage(v) != s) continue;
      const bool reduces = op_class(n.op) == OpClass::reduction;
      const std::string e = reduces ? rounded_result(p_.g.type(v).dtype, fmt::format("acc{}", v.v)) : value_of(n, row_indices(v));
      body_ += fmt::format("    const {} v{} = {};\n", c_type(p_.g.type(v).dtype), v.v, e);
      if (p_.escapes(v)) body_ += "    " + p_.store(v, row_indices(v), fmt::format("v{}", v.v)) + "\n";
    }
  }

  // The full values to print in loop s, for the given goals; values of earlier loops stop at their buffers.
  void require(ValueId v, int s, std::vector<bool>& wanted) const {
    std::vector<ValueId> stack{v};
    while (!stack.empty()) {
      const ValueId at = stack.back();
      stack.pop_back();
      if (!p_.in_group(at) || row(at) || wanted[at.v]) continue;
      wanted[at.v] = true;
      if (stage(at) < s && buffers_.count(at.v)) continue;
      for (ValueId in : p_.g.producer(at).inputs) stack.push_back(in);
    }
  }

  void loop(int s) {
    std::vector<bool> wanted(p_.g.value_bound());
    std::vector<const Node*> reductions;
    bool any = false;
    for (NodeId id : nodes_) {
      const Node& n = node(id);
      const ValueId v = n.outputs[0];
      const bool reduces = op_class(n.op) == OpClass::reduction;
      const bool goal = reduces ? stage(v) == s + 1 : !row(v) && stage(v) == s && (p_.escapes(v) || buffers_.count(v.v));
      if (!goal) continue;
      any = true;
      if (reduces) reductions.push_back(&n), require(n.inputs[0], s, wanted);
      else require(v, s, wanted);
    }
    if (!any) return;
    for (const Node* n : reductions) {
      const DType t = p_.g.type(n->outputs[0]).dtype;
      body_ += fmt::format("    {} acc{} = {};\n", sum_type(n->op, t), n->outputs[0].v, neutral(n->op, t));
    }
    std::string indent = "    ";
    for (int64_t a : r_.axes) {
      if (r_.dims[static_cast<size_t>(a)] != 1) body_ += fmt::format("{0}for (long i{1} = 0; i{1} < {2}L; ++i{1})\n", indent, a, r_.dims[static_cast<size_t>(a)]);
      indent += " ";
    }
    body_ += indent + "{\n";
    if (!strict_ && !reductions.empty()) body_ += "#pragma clang fp reassociate(on)\n";
    if (!buffers_.empty()) body_ += fmt::format("      const long k = {};\n", linear());
    for (NodeId id : nodes_) full_node(node(id), s, wanted);
    for (const Node* n : reductions) {
      const ValueId in = n->inputs[0], v = n->outputs[0];
      const std::string x = p_.in_group(in) ? fmt::format("v{}", in.v) : p_.load(in, at_);
      body_ += fmt::format("      acc{0} = {1};\n", v.v, combine(n->op, p_.g.type(v).dtype, fmt::format("acc{}", v.v), x));
    }
    body_ += indent + "}\n";
  }

  void full_node(const Node& n, int s, const std::vector<bool>& wanted) {
    const ValueId v = n.outputs[0];
    if (row(v) || !wanted[v.v]) return;
    const auto slot = buffers_.find(v.v);
    const char* type = c_type(p_.g.type(v).dtype);
    if (slot != buffers_.end() && stage(v) < s) {
      body_ += fmt::format("      const {0} v{1} = (({0}*)((char*)scratch + {2}))[k];\n", type, v.v, slot->second);
      return;
    }
    body_ += fmt::format("      const {} v{} = {};\n", type, v.v, value_of(n, at_));
    if (slot != buffers_.end()) body_ += fmt::format("      (({0}*)((char*)scratch + {1}))[k] = v{2};\n", type, slot->second, v.v);
    if (p_.escapes(v) && stage(v) == s) body_ += "      " + p_.store(v, at_, fmt::format("v{}", v.v)) + "\n";
  }

  std::string linear() const {
    std::string e = "0";
    for (int64_t a : r_.axes) e = fmt::format("({}) * {}L + {}", e, r_.dims[static_cast<size_t>(a)], at_[static_cast<size_t>(a)]);
    return e;
  }

  void finish() {
    std::vector<LoopDim> kept;
    int64_t rows = 1, inner = 1;
    for (size_t d = 0; d < r_.dims.size(); ++d) {
      const bool gone = std::binary_search(r_.axes.begin(), r_.axes.end(), static_cast<int64_t>(d));
      (gone ? inner : rows) *= r_.dims[d];
      if (!gone && r_.dims[d] != 1) kept.push_back({r_.dims[d], d});
    }
    const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(inner, 1));
    kernel_.text = fmt::format("void {}(void* const* buffers, long begin, long end, void* scratch) {{\n  (void)scratch;\n{}{}{}{}  }}\n}}\n", kernel_.symbol,
                               p_.pointers(), open_units(rows, grain), split_row(kept), body_);
    kernel_.units = (rows + grain - 1) / grain;
    kernel_.loop_nest = fmt::format("for row in 0..{}\n  for k in 0..{}\n    {}\n", rows, inner, kernel_.name);
  }

  NestPrinter& p_;
  const std::vector<NodeId>& nodes_;
  RowGroup r_;
  Kernel& kernel_;
  bool strict_;
  Indices at_;
  std::map<uint32_t, int64_t> buffers_; // value -> offset in scratch
  std::string body_;
};

} // namespace

bool print_rows(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  auto group = RowGroup::of(p, nodes);
  if (!group) return false;
  RowPrinter(p, nodes, std::move(*group), kernel, options.strict).print();
  return true;
}

} // namespace cutaway::codegen
