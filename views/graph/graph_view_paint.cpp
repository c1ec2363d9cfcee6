#include "graph/graph_difference.h"
#include "graph/graph_view.h"
#include "kit/marks.h"
#include "kit/probe_sheet.h"
#include "place/empty.h"

#include <QPainter>

// How the graph view draws: the graph, and over it minimap and legends.
namespace cutaway::views {

void GraphView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_look.theme().c("canvas"));
  if (!m_scene) {
    PainterSheet sheet(painter, m_look.theme());
    if (m_navigator.place().trace()) return; // under 300 ms nothing is shown
    return emptyFigure(m_navigator.place(), size(), "graph", {}, {}).draw(sheet);
  }
  const double t = progress();
  const double zoom = m_fromZoom + (m_zoom - m_fromZoom) * t;
  const QPointF centre = t < 1 ? m_fromCentre + (m_centre - m_fromCentre) * t : m_centre;
  const double k = t < 1 ? zoom : m_zoom;
  const QPointF half(width() / 2., height() / 2.);
  painter.save();
  painter.translate(half - centre * k);
  painter.scale(k, k);
  {
    PainterSheet sheet(painter, m_look.theme(), k);
    const QRectF seen(centre - half / k, QSizeF(size()) / k);
    if (m_motion && t < 1) drawMotion(sheet, *m_motion, *m_scene, m_marks, t, seen, classes());
    else drawGraph(sheet, *m_scene, m_marks, m_navigator.place().selected, seen, classes());
    if (m_difference && t >= 1) drawDifference(sheet, *m_scene, *m_difference, m_letter, seen);
    if (m_heat && !(m_motion && t < 1)) drawHeat(sheet, *m_scene, *m_heat, seen);
  }
  painter.restore();
  if (width() >= 640) drawOverlay(painter);
  if (m_showsBefore) {
    PainterSheet sheet(painter, m_look.theme());
    tag(sheet, {16, 24}, QString("before step %1").arg(m_navigator.place().step + 1), -1, false, "accent");
  }
  if (hasFocus() && m_keyFocus) {
    PainterSheet sheet(painter, m_look.theme());
    sheet.rect(QRectF(rect()).adjusted(2, 2, -2, -2), 4, {}, {m_look.theme().c("accent"), 2});
  }
}

void GraphView::drawOverlay(QPainter& painter) const {
  PainterSheet s(painter, m_look.theme());
  const QRectF map = minimapBox();
  s.rect(map, 4, {s.t.c("raised")}, {s.t.c("line")});
  const Minimap& m = minimap();
  s.rects(m.plain, {s.t.c("lineStrong")});
  for (int i = 0; i < 12; ++i) s.rects(m.groups[size_t(i)], {s.t.category(i).stroke});
  const QRectF seen = this->seen();
  s.rect(QRectF(m.origin + seen.topLeft() * m.scale, seen.size() * m.scale).intersected(map.adjusted(1, 1, -1, -1)), 2, {}, {s.t.c("accent"), 2});
  drawLegend(s);
  const QPointF above(16, height() - 48); // that of states
  if (m_drift) drawHeatLegend(s, m_heat ? &*m_heat : nullptr, above - QPointF(0, heatLegendSize.height()));
  else if (m_classes) drawClassLegend(s, *m_classes, classesWithin(*m_scene, *m_classes, seen), above, map.left() - 32);
}

const GraphView::Minimap& GraphView::minimap() const {
  if (m_minimap) return *m_minimap;
  Minimap m;
  const QRectF map = minimapBox();
  m.scale = std::min((map.width() - 12) / std::max(1., m_scene->size.width()), (map.height() - 12) / std::max(1., m_scene->size.height()));
  m.origin = map.center() - QPointF(m_scene->size.width(), m_scene->size.height()) * m.scale / 2;
  const ProbeSheet sheet(m_look.theme());
  for (size_t i = 1; i < m_scene->box.size(); ++i) {
    const GraphItem& item = m_scene->model.items[i];
    if (m_scene->box[i].isEmpty() || (item.kind == GraphItem::Scope && item.open)) continue;
    const QRect r = sheet.pixels({m.origin + m_scene->box[i].topLeft() * m.scale, m_scene->box[i].size() * m.scale});
    const int category = m_classes ? m_classes->of(i) : item.kind == GraphItem::Group ? item.category : -1;
    QList<QRect>& list = category >= 0 ? m.groups[size_t(category) % 12] : m.plain;
    if (list.isEmpty() || list.back() != r) list << r; // thousands fall on one pixel
  }
  return m_minimap.emplace(std::move(m));
}

void GraphView::drawLegend(Sheet& s) const {
  struct Entry {
    Glyph glyph;
    const char *role, *words;
    bool shown;
  };
  const Entry entries[] = {{Glyph::Play, "accent", "fires now", !m_marks.firing.isEmpty() && !m_marks.refused},
                           {Glyph::Plus, "created", "created", !m_marks.created.isEmpty()},
                           {Glyph::Tilde, "changed", "changed", !m_marks.changed.isEmpty()},
                           {Glyph::Refused, "refused", "refused, with reason", !m_marks.notes.empty()},
                           {Glyph::Minus, "removed", "gone", !m_marks.ghosts.empty()}};
  const Type type{.px = 11, .role = "textSecondary"};
  double wide = 8;
  for (const Entry& e : entries) wide += e.shown ? 34 + s.width(e.words, type) : 0;
  if (wide == 8) return;
  const QRectF box(16, height() - 40, wide - 8, 24);
  s.rect(box, 4, {s.t.c("raised")}, {s.t.c("line")});
  double x = box.left() + 8;
  for (const Entry& e : entries) {
    if (!e.shown) continue;
    glyph(s, e.glyph, {x + 6, box.center().y()}, e.role, 6);
    s.text({x + 18, box.center().y()}, e.words, type);
    x += 34 + s.width(e.words, type);
  }
}

Figure GraphView::figure() const {
  if (!m_scene) return {};
  Figure out;
  out.size = m_scene->size;
  out.draw = [scene = m_scene, marks = m_marks, chosen = m_navigator.place().selected, heat = m_heat, classes = m_classes](Sheet& s) {
    const QRectF all({}, scene->size);
    s.rect(all, 0, {s.t.c("canvas")});
    drawGraph(s, *scene, marks, chosen, all, classes ? &*classes : nullptr);
    if (heat) drawHeat(s, *scene, *heat, all), drawHeatLegend(s, &*heat, {16, 16});
    else if (classes) drawClassLegend(s, *classes, classesWithin(*scene, *classes, all), all.bottomLeft() + QPointF(16, -16), all.width() - 32);
  };
  return out;
}

} // namespace cutaway::views
