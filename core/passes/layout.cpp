#include "passes/passes.h"

#include <algorithm>

namespace cutaway::passes {
namespace {

Layout channels_last(size_t rank) {
  Layout l{0};
  for (size_t d = 2; d < rank; ++d) l.push_back(static_cast<int64_t>(d));
  l.push_back(1);
  return l;
}

// The order of a permuted value's dims in the memory of its operand.
Layout permuted(const Layout& in, const std::vector<int64_t>& perm) {
  Layout out;
  for (size_t k = 0; k < perm.size(); ++k) {
    const int64_t d = in.empty() ? static_cast<int64_t>(k) : in[k];
    out.push_back(std::find(perm.begin(), perm.end(), d) - perm.begin());
  }
  return out;
}

// A product read only by a transpose that is then flattened writes in the transposed order: the transpose vanishes.
Layout wanted_by_reader(const Graph& g, const Node& n) {
  const ValueId v = n.outputs[0];
  if (g.uses(v).size() != 1) return {};
  const Node& reader = g.node(g.uses(v)[0].node);
  if (reader.op != Op::permute) return {};
  for (const Use& u : g.uses(reader.outputs[0]))
    if (g.node(u.node).op == Op::reshape) return reader.attrs.ints("perm");
  return {};
}

// The first operand of the output's rank that has a layout of its own and is not a constant.
Layout from_operands(const Graph& g, const Node& n) {
  const size_t rank = g.type(n.outputs[0]).rank();
  for (ValueId v : n.inputs) {
    const Value& in = g.value(v);
    if (in.type.rank() == rank && !in.layout.empty() && g.producer(v).op != Op::constant) return in.layout;
  }
  return {};
}

Layout choose(const Graph& g, const Node& n) {
  const size_t rank = g.type(n.outputs[0]).rank();
  switch (n.op) {
  case Op::conv: return g.producer(n.inputs[1]).op == Op::constant ? channels_last(rank) : Layout{};
  case Op::permute: return permuted(g.value(n.inputs[0]).layout, n.attrs.ints("perm"));
  case Op::dot_general: return wanted_by_reader(g, n);
  case Op::reduce_window:
  case Op::pad:
  case Op::concat:
  case Op::gather:
  case Op::slice: return from_operands(g, n);
  default: break;
  }
  if (is_elementwise(n.op) || op_class(n.op) == OpClass::reduction) return from_operands(g, n);
  return {};
}

} // namespace

// Convolutions read and write channels last; what is computed from their results keeps that order, and inputs and outputs
// of the graph stay row-major. A transpose then is another reading of the same bytes.
void layout(const PassContext& c) {
  const Graph& g = c.graph;
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    if (n.op == Op::param || n.op == Op::constant || n.outputs.size() != 1) continue;
    const ValueId v = n.outputs[0];
    if (g.is_output(v)) continue;
    Layout l = choose(g, n);
    if (std::is_sorted(l.begin(), l.end())) l.clear();
    if (l.empty()) continue;
    c.rw.begin("layout", {entity(v), entity(id)}, {});
    c.rw.annotate_layout(v, l);
    c.rw.end();
  }
}

} // namespace cutaway::passes
