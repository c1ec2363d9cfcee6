#include "graph/graph_index.h"

#include "place/reading.h"

#include <algorithm>

namespace cutaway::views {

GraphIndex::GraphIndex(const trace::GraphDoc& graph) : graph_(graph) {
  struct Range {
    size_t inputs, outputs, end;
  };
  std::vector<Range> ranges;
  ops_.reserve(graph.nodes.size()), ranges.reserve(graph.nodes.size()), ids_.reserve(4 * graph.nodes.size());
  for (const trace::GraphNode& n : graph.nodes) {
    ops_.push_back({&n, n.order, n.id, n.group, n.owner.valid(), {}, {}});
    const size_t start = ids_.size(), middle = start + n.inputs.size();
    ids_.insert(ids_.end(), n.inputs.begin(), n.inputs.end());
    ids_.insert(ids_.end(), n.outputs.begin(), n.outputs.end());
    ranges.push_back({start, middle, ids_.size()});
    if (!n.group.valid()) continue;
    const int known = leader_of_.value(n.group.v);
    if (known < 0) leader_of_.insert(n.group.v, int(leaders_.size())), leaders_.push_back(&n);
    else if (leads(n, *leaders_[size_t(known)])) leaders_[size_t(known)] = &n;
  }
  for (size_t i = 0; i < ops_.size(); ++i) {
    const Range& r = ranges[i];
    ops_[i].inputs = {ids_.data() + r.inputs, r.outputs - r.inputs};
    ops_[i].outputs = {ids_.data() + r.outputs, r.end - r.outputs};
  }
  std::sort(ops_.begin(), ops_.end(), [](const Op& a, const Op& b) { return a.order != b.order ? a.order < b.order : a.id < b.id; });
}

const trace::GraphNode* GraphIndex::leader(GroupId group) const {
  const int known = leader_of_.value(group.v);
  return known < 0 ? nullptr : leaders_[size_t(known)];
}

const trace::GraphNode* GraphIndex::leader(Entity e) const {
  const auto drawn = [this](const trace::GraphNode* n) { return n && n->group.valid() ? leader(n->group) : n; };
  switch (e.kind) {
    case Entity::Kind::op: return drawn(graph_.nodes.find(NodeId(e.id)));
    case Entity::Kind::kernel: return leader(GroupId(e.id));
    case Entity::Kind::value:
      for (const Op& op : ops_)
        if (std::find(op.outputs.begin(), op.outputs.end(), ValueId(e.id)) != op.outputs.end()) return leader(op);
      return nullptr;
    default: return nullptr;
  }
}

} // namespace cutaway::views
