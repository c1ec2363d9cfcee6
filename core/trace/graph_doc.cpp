#include "trace/graph_doc.h"

namespace cutaway::trace {
namespace {

template <class T> void put(GraphDoc& graph, const Shared<T>& from, const Shared<T>& to) {
  if (to) {
    graph.table<T>().set(to);
  } else if (from) {
    graph.table<T>().erase(from->id);
  }
}

template <class T> void add_difference(const GraphDoc& a, const GraphDoc& b, std::vector<Edit>& edits) {
  ElementTable<T>::difference(a.table<T>(), b.table<T>(), [&](const Shared<T>& before, const Shared<T>& after) {
    edits.push_back(Change<T>{before, after});
  });
}

} // namespace

void GraphDoc::apply(const Edit& edit) {
  std::visit([&](const auto& change) { put(*this, change.before, change.after); }, edit);
}

void GraphDoc::undo(const Edit& edit) {
  std::visit([&](const auto& change) { put(*this, change.after, change.before); }, edit);
}

std::vector<Edit> difference(const GraphDoc& a, const GraphDoc& b) {
  std::vector<Edit> edits;
  add_difference<GraphNode>(a, b, edits);
  add_difference<GraphValue>(a, b, edits);
  add_difference<GraphGroup>(a, b, edits);
  add_difference<GraphNote>(a, b, edits);
  return edits;
}

void GraphEditor::erase_notes() {
  for (const GraphNote& note : graph_.notes) touch(notes_, note.id.v);
  graph_.notes = {};
}

template <class T> void GraphEditor::collect(Touched& ids, std::vector<Edit>& edits) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const uint32_t v : ids) {
    const decltype(T::id) id(v);
    Shared<T> before = start_.table<T>().get(id), after = graph_.table<T>().get(id);
    if (before == after) continue;
    if (before && after && *before == *after) {
      graph_.table<T>().set(before);
      continue;
    }
    edits.push_back(Change<T>{std::move(before), std::move(after)});
  }
  ids.clear();
}

std::vector<Edit> GraphEditor::take() {
  std::vector<Edit> edits;
  collect<GraphNode>(nodes_, edits);
  collect<GraphValue>(values_, edits);
  collect<GraphGroup>(groups_, edits);
  collect<GraphNote>(notes_, edits);
  start_ = graph_;
  return edits;
}

Wiring::Wiring(const GraphDoc& graph) {
  for (const GraphNode& node : graph.nodes) {
    for (const ValueId output : node.outputs) producers_[output] = node.id;
    for (uint32_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i]) consumers_[node.inputs[i]].push_back({node.id, i});
    if (node.group) members_[node.group].push_back(node.id);
  }
}

NodeId Wiring::producer(ValueId value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? NodeId() : found->second;
}

const std::vector<Wiring::Use>& Wiring::consumers(ValueId value) const {
  static const std::vector<Use> none;
  const auto found = consumers_.find(value);
  return found == consumers_.end() ? none : found->second;
}

const std::vector<NodeId>& Wiring::members(GroupId group) const {
  static const std::vector<NodeId> none;
  const auto found = members_.find(group);
  return found == members_.end() ? none : found->second;
}

} // namespace cutaway::trace
