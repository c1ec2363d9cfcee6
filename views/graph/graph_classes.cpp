#include "graph/graph_classes.h"

#include "kit/marks.h"
#include "kit/numbers.h"

#include <algorithm>
#include <numeric>

namespace cutaway::views {
namespace {

constexpr double lineHeight = 20, padding = 8, swatch = 12;

int leadingOf(const GraphScene& scene, size_t item, const GraphClasses::Counts& within) {
  if (within[size_t(trace::OpClass::contraction)] > 0) return int(trace::OpClass::contraction);
  const auto& members = scene.model.items[item].members;
  if (const trace::GraphNode* first = members.empty() ? nullptr : scene.graph.nodes.find(members.front())) return int(first->op_class);
  const auto most = std::max_element(within.begin(), within.end());
  return *most > 0 ? int(most - within.begin()) : -1;
}

} // namespace

GraphClasses classesOf(const GraphScene& scene, const Theme& theme) {
  GraphClasses out;
  for (size_t c = 0; c < out.category.size(); ++c) out.category[c] = int(theme.size("opClass", trace::op_class_words[c]));
  out.within.resize(scene.model.items.size());
  for (const trace::GraphNode& n : scene.graph.nodes)
    if (const int at = scene.model.itemOf(entity(n.id)); at >= 0) ++out.within[size_t(at)][size_t(n.op_class)];
  for (size_t i = 0; i < out.within.size(); ++i) out.leading.push_back(leadingOf(scene, i, out.within[i]));
  return out;
}

GraphClasses::Counts classesWithin(const GraphScene& scene, const GraphClasses& classes, QRectF seen) {
  GraphClasses::Counts out{};
  for (size_t i = 1; i < scene.box.size(); ++i)
    if (!scene.box[i].isEmpty() && scene.box[i].intersects(seen))
      for (size_t c = 0; c < out.size(); ++c) out[c] += classes.within[i][c];
  return out;
}

void drawClassShares(Sheet& s, QRectF box, const GraphClasses& classes, const GraphClasses::Counts& counts) {
  const int all = std::accumulate(counts.begin(), counts.end(), 0);
  double x = box.left();
  for (size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    const double width = box.width() * counts[c] / all;
    s.rects({s.pixels({x, box.top(), width, box.height()})}, {s.t.category(classes.category[c]).stroke});
    x += width;
  }
}

void drawClassLegend(Sheet& s, const GraphClasses& classes, const GraphClasses::Counts& counts, QPointF bottomLeft, double room) {
  struct Entry {
    QPointF at; // from the upper left corner
    size_t cls;
    QString words;
  };
  const Type type{.px = 11, .role = "textSecondary"};
  QList<Entry> entries;
  QPointF next(padding, padding + lineHeight / 2 - 2);
  double widest = 0;
  for (size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    const QString words = QString("%1 %2").arg(trace::op_class_words[c]).arg(number(counts[c]));
    const double width = swatch + 6 + s.width(words, type);
    if (next.x() > padding && next.x() + width + padding > room) next = {padding, next.y() + lineHeight};
    entries.append({next, c, words});
    widest = std::max(widest, next.x() + width + padding);
    next.rx() += width + 16;
  }
  if (entries.isEmpty()) return;
  const QSizeF size(widest, next.y() + lineHeight / 2 - 2 + padding);
  const QPointF corner = bottomLeft - QPointF(0, size.height());
  s.rect({corner, size}, 4, {s.t.c("raised")}, {s.t.c("line")});
  for (const Entry& e : entries) {
    const QPointF at = corner + e.at;
    const Category& look = s.t.category(classes.category[e.cls]);
    s.rect({at.x(), at.y() - swatch / 2, swatch, swatch}, 2, {look.fill, look.hatch, look.lines, 7}, {look.stroke, 1.5});
    s.text(at + QPointF(swatch + 6, 0), e.words, type);
  }
}

} // namespace cutaway::views
