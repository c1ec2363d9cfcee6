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

QList<Band> scopeBands(const Scopes& known, const std::vector<Entity>& places, int most) {
  QList<QStringList> scopes;
  qsizetype deepest = 0, found = 0;
  for (const Entity& e : places) {
    scopes.append(known.of(e).split('/', Qt::SkipEmptyParts));
    deepest = std::max(deepest, scopes.last().size());
    found += !scopes.last().isEmpty();
  }
  if (found * 2 < scopes.size()) return {};
  QList<Band> best;
  for (qsizetype depth = 1; depth <= deepest; ++depth) {
    const QList<Band> bands = cutAt(scopes, depth);
    if (bands.size() > most) break;
    if (bands.size() > 1) best = bands;
  }
  return best;
}

} // namespace cutaway::views
