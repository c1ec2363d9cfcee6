#include "codegen/reduction.h"
#include "codegen/window.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {
namespace {

constexpr int64_t tile = 64;

// Reductions and windows whose fastest dim stays: a strip of accumulators runs along it, so that each output keeps its
// own order and the loop is one vector instruction after another.
class ColumnPrinter {
 public:
  ColumnPrinter(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel) : p_(p), nodes_(nodes), kernel_(kernel) {}

  // `result`: the reduced value. `out_at`: its indices. `loops`: C text of the loops over what is reduced, with `checks`
  // inside; `in_at`: the input's indices.
  void print(const Node& reducer, Op op, const Indices& out_at, const std::string& loops, const std::string& check, const Indices& in_at,
             const std::vector<LoopDim>& kept, const LoopDim& strip) {
    const ValueId result = reducer.outputs[0];
    const DType t = p_.g.type(result).dtype;
    const char* type = c_type(t);
    const int64_t width = std::min(tile, strip.extent), tiles = (strip.extent + width - 1) / width;
    std::string before, after;
    const ValueId in = reducer.inputs[0];
    bool past = false;
    for (NodeId id : nodes_) {
      const Node& n = p_.g.node(id);
      if (n.id == reducer.id) {
        past = true;
        continue;
      }
      (past ? after : before) += value(n, past ? out_at : in_at);
    }
    const std::string x = p_.in_group(in) ? fmt::format("v{}", in.v) : p_.load(in, in_at);
    std::string body = fmt::format("    const long j0 = t * {0}L, jn = {1}L - j0 < {0}L ? {1}L - j0 : {0}L;\n    {2} acc[{0}];\n", width, strip.extent, sum_type(op, t));
    body += fmt::format("    for (long j = 0; j < {}L; ++j) acc[j] = {};\n", width, neutral(op, t));
    body += loops + "    {\n" + check;
    body += fmt::format("      for (long j = 0; j < jn; ++j) {{\n        const long i{} = j0 + j;\n{}        acc[j] = {};\n      }}\n    }}\n", strip.dim, before, guarded(combine(op, t, "acc[j]", x)));
    body += fmt::format("    for (long j = 0; j < jn; ++j) {{\n      const long i{} = j0 + j;\n      (void)i{};\n      const {} v{} = {};\n", strip.dim, strip.dim, type, result.v, rounded_result(t, "acc[j]"));
    if (p_.escapes(result)) body += "      " + p_.store(result, out_at, fmt::format("v{}", result.v)) + "\n";
    body += after + "    }\n";

    std::vector<LoopDim> outer = kept;
    int64_t rows = tiles;
    for (const LoopDim& l : outer) rows *= l.extent;
    // `row` counts kept indices, then strips.
    std::string split = fmt::format("    const long t = row % {}L;\n", tiles);
    int64_t below = tiles;
    for (size_t k = outer.size(); k-- > 0; below *= outer[k].extent)
      split += fmt::format("    const long i{} = row / {}L % {}L;\n", outer[k].dim, below, outer[k].extent);
    kernel_.text = fmt::format("void {}(void* const* buffers, long begin, long end, void* scratch) {{\n  (void)scratch;\n{}{}{}{}  }}\n}}\n", kernel_.symbol,
                               p_.pointers(), open_units(rows, 1), split, body);
    kernel_.units = rows;
    kernel_.loop_nest = fmt::format("for row in 0..{}\n  for reduced\n    for j in 0..{}\n      {}\n", rows, width, kernel_.name);
  }

  void check_each(std::string condition) { inner_condition_ = std::move(condition); }

 private:
  std::string value(const Node& n, const Indices& at) {
    std::vector<std::string> operands;
    const ValueId out = n.outputs[0];
    for (ValueId v : n.inputs) operands.push_back(p_.in_group(v) ? fmt::format("v{}", v.v) : p_.load(v, p_.operand_indices(v, out, at)));
    std::string s = fmt::format("      const {} v{} = {};\n", c_type(p_.g.type(out).dtype), out.v, p_.expression(n, operands));
    if (p_.escapes(out)) s += "      " + p_.store(out, at, fmt::format("v{}", out.v)) + "\n";
    return s;
  }
  std::string guarded(const std::string& e) const { return inner_condition_.empty() ? e : fmt::format("{} ? {} : acc[j]", inner_condition_, e); }

  NestPrinter& p_;
  const std::vector<NodeId>& nodes_;
  Kernel& kernel_;
  std::string inner_condition_;
};

bool print_window(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel) {
  const auto nest = WindowNest::of(p, nodes);
  if (!nest) return false;
  auto kept = nest->order;
  const LoopDim strip = kept.back();
  kept.pop_back();
  std::string loops, check, each;
  for (const LoopDim& l : nest->loops) loops += fmt::format("    for (long w{0} = 0; w{0} < {1}L; ++w{0})\n", l.dim, l.extent);
  for (const WindowNest::Check& c : nest->checks) {
    if (c.dim == strip.dim) each += (each.empty() ? "" : " && ") + c.condition;
    else check += fmt::format("      if (!({})) continue;\n", c.condition);
  }
  // `continue` needs a loop around it.
  if (loops.empty()) loops = "    for (int once = 0; once < 1; ++once)\n";
  ColumnPrinter printer(p, nodes, kernel);
  printer.check_each(each);
  printer.print(p.g.node(nodes.front()), nest->op, nest->at, loops, check, nest->in_at, kept, strip);
  return true;
}

} // namespace

bool print_columns(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options&) {
  if (print_window(p, nodes, kernel)) return true;
  auto group = RowGroup::of(p, nodes);
  if (!group || group->reductions != 1) return false;
  const Node* reducer = nullptr;
  ValueId loaded;
  for (NodeId id : nodes) {
    const Node& n = p.g.node(id);
    const bool reduces = op_class(n.op) == OpClass::reduction;
    if (reduces) reducer = &n;
    // No full value may wait for the result, and what follows the reducer must come after it in the list.
    if (!reduces && !group->is_row[n.outputs[0].v] && (group->stage[n.outputs[0].v] > 0 || reducer)) return false;
    if (!reduces && group->is_row[n.outputs[0].v] && !reducer) return false;
    if (!loaded)
      for (ValueId v : n.inputs)
        if (!p.in_group(v) && static_dims(p.g.type(v).shape) == group->dims) loaded = v;
  }
  if (!loaded) return false;
  const auto order = loop_order(group->dims, p.storage.access(loaded).strides);
  if (order.empty() || order.back().extent < 8) return false;
  const LoopDim strip = order.back();
  if (std::binary_search(group->axes.begin(), group->axes.end(), static_cast<int64_t>(strip.dim))) return false;
  std::vector<LoopDim> kept;
  Indices in_at, out_at;
  std::string loops;
  const bool keep = p.g.type(reducer->outputs[0]).rank() == group->dims.size();
  for (size_t d = 0; d < group->dims.size(); ++d) {
    const bool gone = std::binary_search(group->axes.begin(), group->axes.end(), static_cast<int64_t>(d));
    in_at.push_back(group->dims[d] == 1 ? "0" : fmt::format("i{}", d));
    if (gone) {
      if (group->dims[d] != 1) loops += fmt::format("    for (long i{0} = 0; i{0} < {1}L; ++i{0})\n", d, group->dims[d]);
      if (keep) out_at.push_back("0");
      continue;
    }
    out_at.push_back(in_at.back());
    if (d != strip.dim && group->dims[d] != 1) kept.push_back({group->dims[d], d});
  }
  if (!keep && nodes.back() != reducer->id) return false; // what follows would index otherwise
  ColumnPrinter(p, nodes, kernel).print(*reducer, reducer->op, out_at, loops, "", in_at, kept, strip);
  return true;
}

} // namespace cutaway::codegen
