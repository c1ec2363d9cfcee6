#include "graph/graph_motion.h"

#include "kit/marks.h"

namespace cutaway::views {
namespace {

constexpr size_t mostMoving = 400, mostItems = 4000;

QRectF between(const QRectF& a, const QRectF& b, double t) {
  return {a.topLeft() + (b.topLeft() - a.topLeft()) * t, a.size() + (b.size() - a.size()) * t};
}

QString linkKey(const GraphScene& s, const SceneLink& l) {
  const GraphLink& link = s.model.links[size_t(l.link)];
  const auto key = [&](int i) { return i < 0 ? QString("-") : s.model.items[size_t(i)].key; };
  return s.model.items[size_t(link.level)].key + '|' + key(link.from) + '|' + key(link.to) + '|' + QString::number(l.value.v);
}

} // namespace

std::optional<Motion> makeMotion(const GraphScene& before, const GraphScene& now, QPointF shift) {
  if (now.model.items.size() > mostItems || before.model.items.size() > mostItems) return {};
  const auto& old = before.places;
  Motion out;
  out.from = now.box;
  size_t moving = 0;
  for (size_t i = 1; i < now.box.size(); ++i) {
    const auto found = old.constFind(now.model.items[i].key);
    if (found == old.constEnd() || now.box[i].isEmpty()) continue;
    out.from[i] = found->translated(shift);
    moving += out.from[i] != now.box[i];
  }
  for (size_t i = 1; i < now.box.size(); ++i) {
    const GraphItem& item = now.model.items[i];
    if (item.kind != GraphItem::Group || now.box[i].isEmpty()) continue;
    for (size_t row = 0; row < item.members.size(); ++row) {
      const QString key = QString("n:%1").arg(item.members[row].v);
      const int was = before.model.by_key.value(key, -1);
      if (was < 0 || before.box[size_t(was)].isEmpty()) continue; // it was a row before
      const GraphItem& alone = before.model.items[size_t(was)];
      out.guests.push_back({before.box[size_t(was)].translated(shift), memberBox(now.box[i], int(row)), alone.name, alone.note});
      ++moving;
    }
  }
  if (moving == 0 || moving > mostMoving) return {};
  QHash<QString, QPolygonF> lines;
  for (const SceneLink& l : before.links) lines.insert(linkKey(before, l), l.points.translated(shift));
  for (const SceneLink& l : now.links) {
    const QPolygonF line = lines.value(linkKey(now, l));
    out.lines.push_back(line.size() == l.points.size() ? line : QPolygonF());
  }
  return out;
}

void drawMotion(Sheet& s, const Motion& motion, const GraphScene& now, const StepMarks& marks, double t, QRectF seen, const GraphClasses* classes) {
  GraphScene moving = now;
  for (size_t i = 1; i < moving.box.size(); ++i)
    if (!now.box[i].isEmpty()) moving.box[i] = between(motion.from[i], now.box[i], t);
  for (size_t i = 0; i < moving.links.size(); ++i) {
    SceneLink& l = moving.links[i];
    const QPolygonF& from = motion.lines[i];
    if (from.isEmpty()) {
      if (t < .6) l.points.clear(), l.label = {}; // it appears when its ends have arrived
      continue;
    }
    const QPointF head = l.points.value(0) - from[0];
    for (qsizetype p = 0; p < from.size(); ++p) l.points[p] = from[p] + (l.points[p] - from[p]) * t;
    if (!l.label.isEmpty()) l.label.translate(-head * (1 - t));
  }
  std::erase_if(moving.links, [](const SceneLink& l) { return l.points.isEmpty(); });
  drawGraph(s, moving, marks, {}, seen, classes);
  for (const Motion::Guest& g : motion.guests) {
    const QRectF b = between(g.from, g.to, t);
    node(s, b, g.name, g.opClass);
    s.rect(b, 4, {}, {s.t.c("accent"), 2});
  }
}

} // namespace cutaway::views
