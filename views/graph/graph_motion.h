#pragma once
#include "graph/graph_painter.h"

namespace cutaway::views {

// How one scene becomes the next: where everything that is in both stood before.
struct Motion {
  std::vector<QRectF> from;         // by item of the new scene; its own box where it is new
  std::vector<QPolygonF> lines;     // by link; empty: new
  struct Guest {                    // an op that moves into a group's row
    QRectF from, to;
    QString name, opClass;
  };
  std::vector<Guest> guests;
};

// Nothing where nothing moves or too much does (VISUAL.md section 5: over 400 entities). `shift`: how far the camera
// follows what is kept in place.
std::optional<Motion> makeMotion(const GraphScene& before, const GraphScene& now, QPointF shift);
// t in 0 to 1, already eased. `classes` as for drawGraph.
void drawMotion(Sheet& s, const Motion& motion, const GraphScene& now, const StepMarks& marks, double t, QRectF seen, const GraphClasses* classes);

} // namespace cutaway::views
