#include "graph/graph_difference.h"

#include "kit/marks.h"

namespace cutaway::views {

void drawDifference(Sheet& s, const GraphScene& scene, const Difference& difference, const QString& letter, QRectF seen) {
  const bool words = s.level >= Level::Types;
  const auto mark = [&](QPointF at, Glyph g, const QString& text) {
    glyph(s, g, at, "changed", 5);
    if (words) s.text(at - QPointF(10, 0) / s.k, text, {.px = 11, .role = "changed", .weight = 600, .anchor = 1, .plate = s.t.c("canvas")});
  };
  const QString only = "only in " + letter;
  for (size_t i = 1; i < scene.box.size(); ++i) {
    const GraphItem& item = scene.model.items[i];
    const QRectF b = scene.box[i];
    if (b.isEmpty() || !seen.intersects(b.adjusted(-120, 0, 120, 0)) || item.kind == GraphItem::Scope) continue;
    const bool kernel = difference.differs.contains(item.entity);
    if (!kernel && !difference.only.contains(item.entity)) continue;
    s.rect(b.adjusted(-4, -4, 4, 4), kernel ? 13 : 7, {}, {s.t.c("changed"), 2, {6, 3}});
    mark({b.left() - 14 / s.k, b.top() + 12}, kernel ? Glyph::Tilde : Glyph::Diamond, kernel ? "differs" : only);
  }
  for (const SceneLink& link : scene.links) {
    if (link.label.isEmpty() || !difference.only.contains(entity(link.value)) || !seen.intersects(link.label)) continue;
    double x = link.label.left();
    for (const QPointF& p : link.points)
      if (std::abs(p.y() - link.label.center().y()) < 60) x = std::min(x, p.x());
    mark({x - 12 / s.k, link.label.center().y()}, Glyph::Diamond, only);
  }
}

} // namespace cutaway::views
