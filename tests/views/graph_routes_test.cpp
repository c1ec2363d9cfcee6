// Where the lines of a graph run.
#include "graph/graph_scene.h"
#include "views_support.h"

namespace cutaway::views {
namespace {

// No line runs through a box of its level.
int crossings(const GraphScene& scene) {
  int out = 0;
  for (const SceneLink& l : scene.links) {
    const GraphLink& link = scene.model.links[size_t(l.link)];
    for (const int item : scene.model.items[size_t(link.level)].children) {
      const QRectF box = scene.box[size_t(item)].adjusted(3, 3, -3, -3);
      if (box.isEmpty()) continue; // those it joins are met at their border only
      for (qsizetype i = 0; i + 1 < l.points.size(); ++i)
        if (QRectF(l.points[i], l.points[i + 1]).normalized().adjusted(-.1, -.1, .1, .1).intersects(box)) {
          ++out;
          if (out < 4)
            ADD_FAILURE() << "the line of " << qPrintable(l.type) << " in '" << qPrintable(scene.model.items[size_t(link.level)].key) << "' runs through "
                          << qPrintable(scene.model.items[size_t(item)].name) << " at x " << l.points[i].x() << ", box " << box.left() << " to " << box.right() << ", y " << l.points[i].y()
                          << " to " << l.points[i + 1].y() << ", box " << box.top() << " to " << box.bottom();
          break;
        }
    }
  }
  return out;
}

TEST(GraphRoutes, RunThroughNoBox) {
  const QString other = qEnvironmentVariable("CUTAWAY_ROUTES_MODEL");
  const Place place = compiled(other.isEmpty() ? CUTAWAY_SOURCES "/resources/models/sample.onnx" : other.toStdString());
  const Theme theme = themeNamed("light");
  const trace::Trace& t = *place.trace();
  const auto last = uint32_t(t.steps().size() - 1);
  for (uint32_t step = 0; step <= last; step += std::max(1u, last / 12)) {
    const trace::GraphDoc graph = t.at(step);
    for (const QSet<QString>& open : {allScopes(graph), defaultOpen(graph, t.steps()[step].entities, 40)}) {
      const auto scene = layoutGraphNow(graph, buildGraph(graph, "model", {open, false}), theme);
      EXPECT_EQ(crossings(*scene), 0) << "step " << step << ", " << scene->links.size() << " lines, " << open.size() << " scopes open";
    }
  }
}

} // namespace
} // namespace cutaway::views
