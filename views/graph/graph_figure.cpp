#include "graph/graph_figure.h"

#include "graph/graph_painter.h"
#include "kit/marks.h"

namespace cutaway::views {

Figure graphFigure(const Place& place, const Theme& theme, QSizeF room) {
  const trace::Trace* trace = place.trace();
  if (!trace || trace->steps().empty())
    return {room, [room](Sheet& s) { emptyNote(s, room, "No graph yet", "Open a model, a .cut text or a saved document."); }, {}};
  const trace::GraphDoc graph = trace->at(place.step);
  const bool whole = place.step == 0 || place.step + 1 == trace->steps().size();
  const auto open = defaultOpen(graph, whole ? std::vector<Entity>{} : place.at()->entities, 48);
  const auto scene = layoutGraphNow(graph, buildGraph(graph, qt(trace->name), {open, false}), theme);
  std::shared_ptr<const GraphScene> before;
  if (place.step > 0 && !whole) {
    const trace::GraphDoc old = trace->at(place.step - 1);
    before = layoutGraphNow(old, buildGraph(old, qt(trace->name), {open, false}), theme);
  }
  const StepMarks marks = marksOf(place, *scene, before.get());
  // A refusal's card stands beside the graph.
  const double margin = marks.refused ? 264 : 0;
  const QSizeF size(scene->size.width() + margin, scene->size.height());
  Figure out{size, [scene, marks, margin, size, selected = place.selected](Sheet& s) {
               s.rect({{}, size}, 0, {s.t.c("canvas")});
               s.push({margin, 0});
               drawGraph(s, *scene, marks, selected, QRectF(-margin, 0, size.width(), size.height()));
               s.pop();
             }, {}};
  for (size_t i = 1; i < scene->box.size(); ++i)
    if (!scene->box[i].isEmpty()) out.hits.append({scene->box[i].translated(margin, 0), scene->model.items[i].entity, spokenItem(*scene, int(i))});
  return out;
}

} // namespace cutaway::views
