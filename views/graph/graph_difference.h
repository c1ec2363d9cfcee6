#pragma once
#include "compare/difference.h"
#include "graph/graph_scene.h"
#include "kit/sheet.h"

namespace cutaway::views {

// Marks what sets this graph apart from the other pane's: "only in A" at ops and at lines, "differs" at kernels. `letter` is
// that of this pane.
void drawDifference(Sheet& s, const GraphScene& scene, const Difference& difference, const QString& letter, QRectF seen);

} // namespace cutaway::views
