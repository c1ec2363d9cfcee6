#include "graph/graph_figure.h"

#include "graph/graph_painter.h"
#include "kit/marks.h"
#include "place/empty.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr int mostShown = 60;      // with one set of open scopes for a range of steps

// Where ink falls: cards, tags and ghosts stand beside the boxes of a scene.
class InkSheet : public Sheet {
 public:
  explicit InkSheet(const Theme& t) : Sheet(t, 1) {}
  QRectF ink;
  void push(QPointF shift, const QPainterPath*, double) override { m_shifts.append(shift), m_shift += shift; }
  void pop() override { m_shift -= m_shifts.takeLast(); }

 protected:
  void rawPath(const QPainterPath& p, const Fill&, const Stroke& s) override {
    if (!p.isEmpty()) ink |= p.boundingRect().adjusted(-s.width, -s.width, s.width, s.width).translated(m_shift);
  }
  void rawText(QPointF at, const QString&, const Type& type, const Prepared& p) override {
    ink |= QRectF(at.x(), at.y() - px(type.px), p.width, px(type.px) * 1.3).translated(m_shift);
  }

 private:
  QList<QPointF> m_shifts;
  QPointF m_shift;
};

// The scene and all that is drawn beside it.
QRectF canvasOf(const GraphScene& scene, const StepMarks& marks, const std::optional<Entity>& selected, const Theme& theme) {
  InkSheet sheet(theme);
  drawGraph(sheet, scene, marks, selected, QRectF(QPointF(), scene.size).adjusted(-4000, -4000, 4000, 4000));
  const QRectF all = sheet.ink.adjusted(-8, -8, 8, 8).united(QRectF(QPointF(), scene.size));
  return all.toAlignedRect();
}

// A scene with its origin at `at` on a canvas of `size`.
Figure figureOf(std::shared_ptr<const GraphScene> scene, const StepMarks& marks, const std::optional<Entity>& selected, QPointF at, QSizeF size) {
  Figure out{size, [=](Sheet& s) {
               s.rect({{}, size}, 0, {s.t.c("canvas")});
               s.push(at, nullptr);
               drawGraph(s, *scene, marks, selected, QRectF(-at, size));
               s.pop();
             }, {}};
  for (size_t i = 1; i < scene->box.size(); ++i)
    if (!scene->box[i].isEmpty()) out.hits.append({scene->box[i].translated(at), scene->model.items[i].entity, spokenItem(*scene, int(i))});
  return out;
}

bool atEnd(const trace::Trace& trace, uint32_t step) { return step == 0 || step + 1 == trace.steps().size(); }

QSet<QString> openAt(const trace::Trace& trace, uint32_t step, const trace::GraphDoc& graph) {
  return defaultOpen(graph, atEnd(trace, step) ? std::vector<Entity>{} : trace.steps()[step].entities, 48);
}

// The scopes around all that fires in the range; empty where they show too much, or nothing fires within a scope.
QSet<QString> openThroughout(const trace::Trace& trace, uint32_t first, uint32_t last) {
  QSet<QString> open;
  for (uint32_t step = first; step <= last; ++step)
    for (const QString& path : scopesAround(trace.at(step), trace.steps()[step].entities)) open.insert(path);
  const GraphModel model = buildGraph(trace.at(first), {}, {open, false});
  int shown = 0;
  for (const GraphItem& item : model.items) shown += item.parent >= 0 && model.items[size_t(item.parent)].open;
  return shown > mostShown ? QSet<QString>() : open;
}

// How far most of what is in both scenes moved from the old one to the new.
QPointF moved(const GraphScene& old, const GraphScene& now) {
  const auto before = old.places(), after = now.places();
  std::vector<double> x, y;
  for (auto it = after.begin(); it != after.end(); ++it) {
    const auto found = before.constFind(it.key());
    if (found == before.constEnd()) continue;
    x.push_back(it->center().x() - found->center().x()), y.push_back(it->top() - found->top());
  }
  const auto middle = [](std::vector<double>& all) {
    if (all.empty()) return 0.;
    std::nth_element(all.begin(), all.begin() + long(all.size() / 2), all.end());
    return std::round(all[all.size() / 2]);
  };
  return {middle(x), middle(y)};
}

GraphScene translated(const GraphScene& scene, QPointF by) {
  GraphScene out = scene;
  for (QRectF& box : out.box)
    if (!box.isEmpty()) box.translate(by);
  return out;
}

} // namespace

Figure graphFigure(const Place& place, const Theme& theme, QSizeF room) {
  const trace::Trace* trace = place.trace();
  if (!trace || trace->steps().empty()) return emptyFigure(place, room, "graph", {}, {});
  const trace::GraphDoc graph = trace->at(place.step);
  const auto open = openAt(*trace, place.step, graph);
  const auto scene = layoutGraphNow(graph, buildGraph(graph, qt(trace->name), {open, false}), theme);
  std::shared_ptr<const GraphScene> before;
  if (!atEnd(*trace, place.step)) {
    const trace::GraphDoc old = trace->at(place.step - 1);
    before = layoutGraphNow(old, buildGraph(old, qt(trace->name), {open, false}), theme);
  }
  const StepMarks marks = marksOf(place, *scene, before.get());
  const QRectF canvas = canvasOf(*scene, marks, place.selected, theme);
  return figureOf(scene, marks, place.selected, -canvas.topLeft(), canvas.size());
}

QList<Figure> graphFigures(const Place& place, uint32_t last, const Theme& theme, QSizeF room) {
  const trace::Trace* trace = place.trace();
  if (!trace || trace->steps().empty()) return {emptyFigure(place, room, "graph", {}, {})};
  struct Shot {
    std::shared_ptr<const GraphScene> scene;
    StepMarks marks;
    QPointF at; // of the scene's origin beside that of the first
  };
  const QSet<QString> throughout = openThroughout(*trace, place.step, last);
  std::vector<Shot> shots;
  Place now = place;
  DotAnswers answers;
  QRectF all;
  for (; now.step <= last; ++now.step) {
    const trace::GraphDoc graph = trace->at(now.step);
    const auto open = throughout.isEmpty() ? openAt(*trace, now.step, graph) : throughout;
    const auto layout = [&](const trace::GraphDoc& g) { return layoutGraphNow(g, buildGraph(g, qt(trace->name), {open, false}), theme, &answers); };
    Shot shot{layout(graph), {}, {}};
    std::shared_ptr<const GraphScene> old;
    if (now.step > 0) old = throughout.isEmpty() || shots.empty() ? layout(trace->at(now.step - 1)) : shots.back().scene;
    const QPointF by = old ? moved(*old, *shot.scene) : QPointF();
    if (!shots.empty()) shot.at = shots.back().at - moved(*shots.back().scene, *shot.scene);
    std::optional<GraphScene> before; // where it would be on this scene's canvas
    if (old) before = translated(*old, by);
    shot.marks = marksOf(now, *shot.scene, before ? &*before : nullptr);
    all |= canvasOf(*shot.scene, shot.marks, place.selected, theme).translated(shot.at);
    shots.push_back(std::move(shot));
  }
  QList<Figure> out;
  for (const Shot& shot : shots) out.append(figureOf(shot.scene, shot.marks, place.selected, shot.at - all.topLeft(), all.size()));
  return out;
}

} // namespace cutaway::views
