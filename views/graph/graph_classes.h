#pragma once
#include "graph/graph_scene.h"
#include "kit/sheet.h"

#include <array>

namespace cutaway::views {

// The op classes within a scene's boxes, where the graph is coloured by them.
struct GraphClasses {
  using Counts = std::array<int, std::size(trace::op_class_words)>; // ops, by class
  std::vector<Counts> within; // by item of the scene
  std::vector<int> leading;   // by item: the class of a node, of a group's contraction, else of its first op; -1: no ops
  std::array<int, std::tuple_size_v<Counts>> category{}; // of each class, in the theme's list
  int of(trace::OpClass cls) const { return category[size_t(cls)]; }
  int of(size_t item) const { return leading[item] < 0 ? -1 : category[size_t(leading[item])]; }
};
GraphClasses classesOf(const GraphScene& scene, const Theme& theme);
// Of all boxes that touch `seen`.
GraphClasses::Counts classesWithin(const GraphScene& scene, const GraphClasses& classes, QRectF seen);

// What a closed scope holds: its ops by class, each as wide as its share.
void drawClassShares(Sheet& s, QRectF box, const GraphClasses& classes, const GraphClasses::Counts& counts);
// Names the classes that are there and counts their ops, in lines no longer than `room`.
void drawClassLegend(Sheet& s, const GraphClasses& classes, const GraphClasses::Counts& counts, QPointF bottomLeft, double room);

} // namespace cutaway::views
