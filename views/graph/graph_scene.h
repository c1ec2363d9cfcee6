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
  QHash<QString, QRectF> places; // by key, rows of ops included: what moves from one scene to the next
};

QRectF memberBox(const QRectF& group, int row);

// Finds the place for everything, level by level, inner ones first.
class GraphLayout {
 public:
  GraphLayout(const trace::GraphDoc& graph, GraphModel model, const Theme& theme);
  ~GraphLayout();
  // Dot's answer for a question by its text; null where there is none yet.
  using Known = std::function<const DotResult*(const QByteArray&)>;
  // Goes as far as answers are known. The scene once all is placed; else null, and what dot must be asked is in `missing`.
  std::shared_ptr<const GraphScene> advance(const Known& known, std::vector<DotQuestion>& missing);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};
// The same, waiting for dot. `answers` keeps what dot said for the next graph.
using DotAnswers = QHash<QByteArray, std::shared_ptr<const DotResult>>;
std::shared_ptr<const GraphScene> layoutGraphNow(const trace::GraphDoc& graph, GraphModel model, const Theme& theme, DotAnswers* answers = nullptr);

} // namespace cutaway::views
