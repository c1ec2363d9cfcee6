#include "drift/bands.h"

#include <QStringList>

namespace cutaway::views {
namespace {

QList<Band> cutAt(const QList<QStringList>& scopes, qsizetype depth) {
  QList<Band> out;
  QStringList before;
  for (qsizetype i = 0; i < scopes.size(); ++i) {
    const QStringList path = scopes[i].mid(0, depth);
    if (i == 0 || path != before) out.append({path.isEmpty() ? QString() : path.last(), size_t(i), size_t(i)});
    out.last().last = size_t(i) + 1;
    before = path;
  }
  return out;
}

} // namespace

QList<Band> scopeBands(const trace::Trace& trace, const std::vector<Entity>& places, int most) {
  if (trace.steps().empty()) return {};
  const trace::GraphDoc graph = trace.at(uint32_t(trace.steps().size() - 1)); // the end: axes do not move with the step
  QList<QStringList> scopes;
  qsizetype deepest = 0, known = 0;
  for (const Entity& e : places) {
    const trace::GraphNode* node = e.kind == Entity::Kind::op ? graph.nodes.find(NodeId(e.id)) : nullptr;
    scopes.append(node ? qt(node->scope).split('/', Qt::SkipEmptyParts) : QStringList());
    deepest = std::max(deepest, scopes.last().size());
    known += !scopes.last().isEmpty();
  }
  if (known * 2 < scopes.size()) return {};
  QList<Band> best;
  for (qsizetype depth = 1; depth <= deepest; ++depth) {
    const QList<Band> bands = cutAt(scopes, depth);
    if (bands.size() > most) break;
    if (bands.size() > 1) best = bands;
  }
  return best;
}

} // namespace cutaway::views
