#include "ir/eval.h"
#include "passes/passes.h"

#include <algorithm>

namespace cutaway::passes {

// Constants meet: n = op(constants...) becomes a constant of the same bits that strict eager would have computed. Views
// are left alone: they cost nothing, and reading through them keeps weights where they are in the file.
void fold(const PassContext& c) {
  const Graph& g = c.graph;
  int64_t spent = 0;
  for (NodeId id : g.order()) {
    if (!g.alive(id)) continue;
    const Node n = g.node(id);
    if (n.op == Op::param || n.op == Op::constant || n.op == Op::call_fallback) continue;
    if (op_class(n.op) == OpClass::view && n.op != Op::reshape && g.type(n.outputs[0]).bytes() > 4096) continue;
    const bool constant = std::all_of(n.inputs.begin(), n.inputs.end(), [&](ValueId v) { return g.producer(v).op == Op::constant; });
    if (!constant) continue;
    int64_t bytes = 0;
    for (ValueId v : n.outputs) bytes += g.type(v).bytes();
    const bool splat = !n.inputs.empty() && std::all_of(n.inputs.begin(), n.inputs.end(), [&](ValueId v) { return g.producer(v).attrs.tensor("data").is_splat(); });
    if (!splat && bytes > 4096 && spent + bytes > c.settings.fold_budget) {
      c.rw.refuse("not-folded.budget", {entity(id)}, {bytes, c.settings.fold_budget - spent});
      continue;
    }
    std::vector<Tensor> in;
    for (ValueId v : n.inputs) in.push_back(g.producer(v).attrs.tensor("data"));
    std::vector<Type> types;
    for (ValueId v : n.outputs) types.push_back(g.type(v));
    auto out = eval(n.op, n.attrs, in, types);
    if (!out) {
      c.rw.refuse("not-folded.error", {entity(id)}, {out.error().what});
      continue;
    }
    spent += splat || n.op == Op::reshape ? 0 : bytes;
    c.rw.begin("fold", {entity(id)}, {std::string(op_name(n.op)), bytes});
    for (size_t i = 0; i < n.outputs.size(); ++i) {
      if (g.uses(n.outputs[i]).empty() && !g.is_output(n.outputs[i])) continue;
      c.rw.replace(n.outputs[i], c.rw.insert_constant((*out)[i], id, n.origin));
    }
    c.rw.erase_dead(id);
    c.rw.end();
  }
}

} // namespace cutaway::passes
