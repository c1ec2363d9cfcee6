#pragma once
#include "views_support.h"

// Documents and a theme for tests of the graph.
namespace cutaway::views {

inline Place compiledSample() {
  Place out = compiled(CUTAWAY_SOURCES "/resources/models/sample.onnx");
  out.step = 0;
  return out;
}

// A chain of `count` ops in scopes of four, "block.0/part.0"; the drift of each is its number in ulp, eager's is 1.
inline Place chainWithDrift(uint32_t count) {
  trace::GraphEditor graph;
  trace::SeriesPanel drift;
  drift.limit = 2;
  drift.curves = {{"eager", {}}, {"compiled", {}}};
  for (uint32_t i = 0; i < count; ++i) {
    trace::GraphNode n{.id = NodeId(i), .name = "op " + std::to_string(i), .op = "abs"};
    n.scope = "block." + std::to_string(i / 8) + "/part." + std::to_string(i / 4);
    n.order = i, n.outputs = {ValueId(i)};
    if (i) n.inputs = {ValueId(i - 1)};
    drift.places.push_back(n.name), drift.entities.push_back(entity(n.id));
    drift.curves[0].y.push_back(1), drift.curves[1].y.push_back(i / 8.);
    graph.set(trace::GraphValue{.id = ValueId(i), .name = "v" + std::to_string(i), .dtype = "f32", .shape = "[4]", .bytes = 16});
    graph.set(n);
  }
  trace::Step step;
  step.panels = {0};
  trace::Pass pass;
  pass.last = 1;
  auto document = std::make_shared<trace::Document>();
  document->traces.push_back(std::make_shared<trace::Trace>(graph.graph(), std::vector{step}, std::vector{pass}, std::vector<trace::Panel>{drift}));
  Place out;
  out.document = document;
  return out;
}

inline const Theme& lightTheme() {
  static const Theme theme = themeNamed("light");
  return theme;
}

} // namespace cutaway::views
