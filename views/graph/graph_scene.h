#pragma once
#include "graph/dot.h"
#include "graph/graph_model.h"
#include "kit/theme.h"

#include <functional>
#include <memory>

namespace cutaway::views {

// A line between two items of one level, as drawn.
struct SceneLink {
  QPolygonF points;
  QRectF label; // where type and bytes stand; empty: none
  QString type, bytes;
  ValueId value;
  int link = -1; // in the model
};

// A graph with a place for everything, in px at zoom 1.
struct GraphScene {
  trace::GraphDoc graph;
  GraphModel model;
  std::vector<QRectF> box; // by item; empty: not in sight
  std::vector<SceneLink> links;
  QSizeF size;
  bool exact = true; // false: some level was laid out plainly (see DotResult)

  // Where something stands: an item, or the row of an op in its group. Empty: not in sight.
  QRectF boxOf(Entity e) const;
  // By key, rows of ops included: what moves from one scene to the next.
  QHash<QString, QRectF> places() const;
};

QRectF memberBox(const QRectF& group, int row);

// Finds the place for everything. `known` gives dot's answer for an input, null where it has none yet. Where answers are
// missing, gives null and puts their inputs into `missing`: ask again when they are there (inner levels come first).
std::shared_ptr<const GraphScene> layoutGraph(const trace::GraphDoc& graph, GraphModel model, const Theme& theme,
                                              const std::function<const DotResult*(const DotInput&)>& known, std::vector<DotInput>& missing);
// The same, waiting for dot. `answers` keeps what dot said for the next graph.
using DotAnswers = QHash<QByteArray, std::shared_ptr<const DotResult>>;
std::shared_ptr<const GraphScene> layoutGraphNow(const trace::GraphDoc& graph, GraphModel model, const Theme& theme, DotAnswers* answers = nullptr);

} // namespace cutaway::views
