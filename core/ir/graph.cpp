#include "ir/graph.h"

#include "base/check.h"

#include <algorithm>

namespace cutaway {

const Node& Graph::node(NodeId n) const {
  CUTAWAY_CHECK(alive(n), "no such node: n" + std::to_string(n.v));
  return nodes_[n.v];
}

const Value& Graph::value(ValueId v) const {
  CUTAWAY_CHECK(alive(v), "no such value: %" + std::to_string(v.v));
  return values_[v.v];
}

std::vector<NodeId> Graph::order() const {
  std::vector<NodeId> out;
  out.reserve(count_);
  for (NodeId n = head_; n; n = links_[n.v].next) out.push_back(n);
  return out;
}

bool Graph::is_output(ValueId v) const { return v.v < output_uses_.size() && output_uses_[v.v] > 0; }

std::vector<OriginId> Graph::model_nodes(OriginId o) const {
  std::vector<OriginId> out, stack;
  if (o) stack.push_back(o);
  std::vector<bool> seen(origins_.size());
  while (!stack.empty()) {
    const OriginId at = stack.back();
    stack.pop_back();
    if (seen[at.v]) continue;
    seen[at.v] = true;
    const Origin& origin = origins_[at.v];
    if (origin.derived_from.empty()) out.push_back(at);
    for (auto it = origin.derived_from.rbegin(); it != origin.derived_from.rend(); ++it) stack.push_back(*it);
  }
  return out;
}

std::string Graph::model_name(NodeId n) const {
  const auto model = model_nodes(node(n).origin);
  return model.empty() ? "n" + std::to_string(n.v) : origin(model[0]).name;
}

std::string Graph::place(NodeId n) const {
  const auto model = model_nodes(node(n).origin);
  return model.empty() ? "n" + std::to_string(n.v) : "node '" + origin(model[0]).name + "' (" + origin(model[0]).op_type + ")";
}

bool operator==(const Graph& a, const Graph& b) {
  if (a.name != b.name || a.count_ != b.count_ || a.outputs_ != b.outputs_ || a.origins_ != b.origins_) return false;
  const auto order = a.order();
  if (order != b.order()) return false;
  return std::all_of(order.begin(), order.end(), [&](NodeId n) {
    const Node &x = a.node(n), &y = b.node(n);
    if (!(x == y)) return false;
    return std::all_of(x.outputs.begin(), x.outputs.end(), [&](ValueId v) { return a.value(v) == b.value(v); });
  });
}

} // namespace cutaway
