#include "place/scopes.h"

#include "place/reading.h"

namespace cutaway::views {

Scopes::Scopes(const trace::Trace& trace) {
  if (trace.steps().empty()) return;
  graph_ = trace.at(uint32_t(trace.steps().size() - 1));
  for (const trace::GraphNode& n : graph_.nodes) {
    if (!n.group) continue;
    const auto [at, first] = kernels_.emplace(n.group, &n);
    if (!first && leads(n, *at->second)) at->second = &n;
  }
}

QString Scopes::of(const Entity& e) const {
  const trace::GraphNode* node = nullptr;
  if (e.kind == Entity::Kind::op) node = graph_.nodes.find(NodeId(e.id));
  if (e.kind == Entity::Kind::kernel)
    if (const auto at = kernels_.find(GroupId(e.id)); at != kernels_.end()) node = at->second;
  return node ? qt(node->scope) : QString();
}

Entity Scopes::kernelOf(const Entity& e) const {
  const trace::GraphNode* node = e.kind == Entity::Kind::op ? graph_.nodes.find(NodeId(e.id)) : nullptr;
  return node && node->group ? entity(node->group) : e;
}

} // namespace cutaway::views
