#include "graph/graph_figure.h"

#include "graph/graph_heat.h"
#include "graph/graph_painter.h"
#include "kit/marks.h"
#include "kit/probe_sheet.h"
#include "place/empty.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double leastLegend = 400; // px of its lines
constexpr int mostShown = 60;       // with one set of open scopes for a range of steps

// The scene and all that is drawn beside it: cards, tags and ghosts.
QRectF canvasOf(const GraphScene& scene, const StepMarks& marks, const std::optional<Entity>& selected, const Theme& theme) {
  ProbeSheet sheet(theme);
  drawGraph(sheet, scene, marks, selected, QRectF(QPointF(), scene.size).adjusted(-4000, -4000, 4000, 4000));
  const QRectF all = sheet.ink.adjusted(-8, -8, 8, 8).united(QRectF(QPointF(), scene.size));
  return all.toAlignedRect();
}

// A scene with its origin at `at` on a canvas of `size`; its colours tell `classes`, where there are any.
Figure figureOf(std::shared_ptr<const GraphScene> scene, const StepMarks& marks, const std::optional<Entity>& selected, QPointF at, QSizeF size, std::shared_ptr<const GraphClasses> classes = {}) {
  Figure out{size, [=](Sheet& s) {
               s.rect({{}, size}, 0, {s.t.c("canvas")});
               s.push(at, nullptr);
               drawGraph(s, *scene, marks, selected, QRectF(-at, size), classes.get());
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
  const auto &before = old.places, &after = now.places;
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

using Places = QHash<QString, QRectF>;
Places translated(Places places, QPointF by) {
  for (QRectF& box : places) box.translate(by);
  return places;
}

// The graph of a place, and all that a figure of it needs.
struct Shown {
  std::shared_ptr<const GraphScene> scene;
  StepMarks marks;
  std::optional<Entity> selected;
  QRectF canvas;

  Figure figure(std::shared_ptr<const GraphClasses> classes = {}) const { return figureOf(scene, marks, selected, -canvas.topLeft(), canvas.size(), std::move(classes)); }
};

std::optional<Shown> shownOf(const Place& place, const Theme& theme) {
  const trace::Trace* trace = place.trace();
  if (!trace || trace->steps().empty()) return {};
  const trace::GraphDoc graph = trace->at(place.step);
  const auto open = openAt(*trace, place.step, graph);
  Shown out{layoutGraphNow(graph, buildGraph(graph, qt(trace->name), {open, false}), theme), {}, place.selected, {}};
  Places before;
  if (!atEnd(*trace, place.step)) {
    const trace::GraphDoc graphBefore = trace->at(place.step - 1);
    const auto old = layoutGraphNow(graphBefore, buildGraph(graphBefore, qt(trace->name), {open, false}), theme);
    before = translated(old->places, moved(*old, *out.scene));
  }
  out.marks = marksOf(place, *out.scene, before);
  out.canvas = canvasOf(*out.scene, out.marks, place.selected, theme);
  return out;
}

} // namespace

Figure graphFigure(const Place& place, const Theme& theme, QSizeF room) {
  const auto shown = shownOf(place, theme);
  return shown ? shown->figure() : emptyFigure(place, room, "graph", {}, {});
}

Figure graphHeatFigure(const Place& place, const Theme& theme, QSizeF room) {
  auto shown = shownOf(place, theme);
  if (!shown) return emptyFigure(place, room, "graph", {}, {});
  const auto scene = shown->scene;
  QRectF& canvas = shown->canvas;
  const std::optional<GraphHeat> heat = heatOf(place, *scene);
  ProbeSheet probe(theme);
  if (heat) drawHeat(probe, *scene, *heat, QRectF(QPointF(), scene->size)), canvas |= probe.ink.adjusted(-8, -8, 8, 8);
  canvas.adjust(0, -heatLegendSize.height() - 32, std::max(0., heatLegendSize.width() + 32 - canvas.width()), 0);
  canvas = canvas.toAlignedRect();
  Figure out = shown->figure();
  out.draw = [graph = out.draw, scene, heat, at = -canvas.topLeft()](Sheet& s) {
    graph(s);
    s.push(at);
    if (heat) drawHeat(s, *scene, *heat, QRectF(QPointF(), scene->size));
    s.pop();
    drawHeatLegend(s, heat ? &*heat : nullptr, {16, 16});
  };
  return out;
}

Figure graphClassFigure(const Place& place, const Theme& theme, QSizeF room) {
  auto shown = shownOf(place, theme);
  if (!shown) return emptyFigure(place, room, "graph", {}, {});
  const auto classes = std::make_shared<const GraphClasses>(classesOf(*shown->scene, theme));
  const auto counts = classesWithin(*shown->scene, *classes, QRectF(QPointF(), shown->scene->size));
  const double width = std::max(shown->canvas.width() - 32, leastLegend);
  ProbeSheet probe(theme);
  drawClassLegend(probe, *classes, counts, {}, width);
  shown->canvas.adjust(0, 0, std::max(0., probe.ink.width() + 32 - shown->canvas.width()), probe.ink.height() + 32);
  shown->canvas = shown->canvas.toAlignedRect();
  Figure out = shown->figure(classes);
  out.draw = [graph = out.draw, classes, counts, width, bottom = out.size.height() - 16](Sheet& s) {
    graph(s);
    drawClassLegend(s, *classes, counts, {16, bottom}, width);
  };
  return out;
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
    if (!shots.empty()) shot.at = shots.back().at - moved(*shots.back().scene, *shot.scene);
    shot.marks = marksOf(now, *shot.scene, old ? translated(old->places, moved(*old, *shot.scene)) : Places());
    all |= canvasOf(*shot.scene, shot.marks, place.selected, theme).translated(shot.at);
    shots.push_back(std::move(shot));
  }
  QList<Figure> out;
  for (const Shot& shot : shots) out.append(figureOf(shot.scene, shot.marks, place.selected, shot.at - all.topLeft(), all.size()));
  return out;
}

} // namespace cutaway::views
