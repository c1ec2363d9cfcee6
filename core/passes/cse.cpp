#include "passes/passes.h"

#include <map>

namespace cutaway::passes {
namespace {

// Op, inputs and the attributes' names; equal keys are then compared in full.
std::string key_of(const Node& n) {
  std::string key = op_name(n.op);
  for (ValueId v : n.inputs) key += "," + std::to_string(v.v);
  return key;
}

} // namespace

void cse(const PassContext& c) {
  const Graph& g = c.graph;
  std::map<std::string, std::vector<NodeId>> seen;
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    if (n.op == Op::param || n.op == Op::call_fallback) continue;
    if (n.op == Op::constant && n.attrs.tensor("data").bytes() > 4096) continue;
    auto& twins = seen[n.op == Op::constant ? "constant" + g.type(n.outputs[0]).str() : key_of(n)];
    NodeId twin;
    for (NodeId t : twins)
      if (g.node(t).attrs == n.attrs) twin = t;
    if (!twin) {
      twins.push_back(id);
      continue;
    }
    const Node copy = n;
    c.rw.begin("merge", {entity(id), entity(twin)}, {std::string(op_name(copy.op))});
    for (size_t i = 0; i < copy.outputs.size(); ++i) c.rw.replace(copy.outputs[i], g.node(twin).outputs[i]);
    c.rw.erase(id);
    c.rw.end();
  }
}

void dce(const PassContext& c) {
  const Graph& g = c.graph;
  auto order = g.order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!g.alive(*it) || g.node(*it).op == Op::param) continue;
    bool used = false;
    for (ValueId v : g.node(*it).outputs) used = used || !g.uses(v).empty() || g.is_output(v);
    if (used) continue;
    c.rw.begin("drop", {entity(*it)}, {std::string(op_name(g.node(*it).op))});
    c.rw.erase(*it);
    c.rw.end();
  }
}

} // namespace cutaway::passes
