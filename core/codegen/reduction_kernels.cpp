#include "codegen/reduction.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {
namespace {

// Prints a group of reductions over the same axes with elementwise work before, between and after, row by row.
class RowPrinter {
 public:
  RowPrinter(NestPrinter& p, const std::vector<NodeId>& nodes, RowGroup group, Kernel& kernel, bool strict)
      : n_(p, nodes, std::move(group)), p_(p), kernel_(kernel), strict_(strict), kept_(n_.worth_keeping()) {}

  void print() {
    for (ValueId v : kept_) {
      slot_[v.v] = kernel_.scratch_bytes;
      kernel_.scratch_bytes += (n_.inner() * dtype_size(p_.g.type(v).dtype == DType::f64 ? DType::f64 : DType::i64) + 63) / 64 * 64;
    }
    for (int s = 0; s <= n_.r.stages; ++s) {
      row_nodes(s);
      loop(s);
    }
    finish();
  }

 private:
  void row_nodes(int s) {
    for (NodeId id : n_.nodes) {
      const Node& n = n_.node(id);
      const ValueId v = n.outputs[0];
      if (!n_.row(v) || n_.stage(v) != s) continue;
      const bool reduces = op_class(n.op) == OpClass::reduction;
      const std::string e = reduces ? rounded_result(p_.g.type(v).dtype, fmt::format("acc{}", v.v)) : n_.value_of(n, n_.row_indices(v));
      body_ += fmt::format("    const {} v{} = {};\n", c_type(p_.g.type(v).dtype), v.v, e);
      if (p_.escapes(v)) body_ += "    " + p_.store(v, n_.row_indices(v), fmt::format("v{}", v.v)) + "\n";
    }
  }

  void loop(int s) {
    const RowNest::Loop goals = n_.loop_of(s, kept_);
    if (!goals.any) return;
    for (const Node* n : goals.reductions) {
      const DType t = p_.g.type(n->outputs[0]).dtype;
      body_ += fmt::format("    {} acc{} = {};\n", sum_type(n->op, t), n->outputs[0].v, neutral(n->op, t));
    }
    std::string indent = "    ";
    for (int64_t a : n_.r.axes) {
      if (n_.r.dims[static_cast<size_t>(a)] != 1) body_ += fmt::format("{0}for (long i{1} = 0; i{1} < {2}L; ++i{1})\n", indent, a, n_.r.dims[static_cast<size_t>(a)]);
      indent += " ";
    }
    body_ += indent + "{\n";
    if (!strict_ && !goals.reductions.empty()) body_ += "#pragma clang fp reassociate(on)\n";
    if (!kept_.empty()) body_ += fmt::format("      const long k = {};\n", linear());
    for (NodeId id : n_.nodes) full_node(n_.node(id), s, goals.wanted);
    for (const Node* n : goals.reductions) {
      const ValueId in = n->inputs[0], v = n->outputs[0];
      const std::string x = p_.in_group(in) ? fmt::format("v{}", in.v) : p_.load(in, n_.at);
      body_ += fmt::format("      acc{0} = {1};\n", v.v, combine(n->op, p_.g.type(v).dtype, fmt::format("acc{}", v.v), x));
    }
    body_ += indent + "}\n";
  }

  void full_node(const Node& n, int s, const std::vector<bool>& wanted) {
    const ValueId v = n.outputs[0];
    if (n_.row(v) || !wanted[v.v]) return;
    const auto slot = slot_.find(v.v);
    const char* type = c_type(p_.g.type(v).dtype);
    if (slot != slot_.end() && n_.stage(v) < s) {
      body_ += fmt::format("      const {0} v{1} = (({0}*)((char*)scratch + {2}))[k];\n", type, v.v, slot->second);
      return;
    }
    body_ += fmt::format("      const {} v{} = {};\n", type, v.v, n_.value_of(n, n_.at));
    if (slot != slot_.end()) body_ += fmt::format("      (({0}*)((char*)scratch + {1}))[k] = v{2};\n", type, slot->second, v.v);
    if (p_.escapes(v) && n_.stage(v) == s) body_ += "      " + p_.store(v, n_.at, fmt::format("v{}", v.v)) + "\n";
  }

  std::string linear() const {
    std::string e = "0";
    for (int64_t a : n_.r.axes) e = fmt::format("({}) * {}L + {}", e, n_.r.dims[static_cast<size_t>(a)], n_.at[static_cast<size_t>(a)]);
    return e;
  }

  void finish() {
    std::vector<LoopDim> kept;
    for (size_t d = 0; d < n_.r.dims.size(); ++d)
      if (!n_.reduced(d) && n_.r.dims[d] != 1) kept.push_back({n_.r.dims[d], d});
    const int64_t rows = n_.rows(), inner = n_.inner(), grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(inner, 1));
    kernel_.text = fmt::format("void {}(void* const* buffers, long begin, long end, void* scratch) {{\n  (void)scratch;\n{}{}{}{}  }}\n}}\n", kernel_.symbol,
                               p_.pointers(), open_units(rows, grain), split_row(kept), body_);
    kernel_.units = (rows + grain - 1) / grain;
    kernel_.loop_nest = fmt::format("for row in 0..{}\n  for k in 0..{}\n    {}\n", rows, inner, kernel_.name);
  }

  RowNest n_;
  NestPrinter& p_;
  Kernel& kernel_;
  bool strict_;
  std::vector<ValueId> kept_;
  std::map<uint32_t, int64_t> slot_; // of a kept value: its place in scratch
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
