#pragma once
#include "graph/graph_scene.h"
#include "kit/sheet.h"
#include "place/place.h"

namespace cutaway::views {

// How far the compiled values drift, as colours of a scene's boxes: each box shows the farthest value made in it.
struct GraphHeat {
  struct Box {
    double ulp = -1; // negative: nothing in it was compared; NaN is no number at all
    bool over = false, culprit = false;
  };
  std::vector<Box> boxes;         // by item of the scene
  double low = -2, high = 2;      // powers of two of the ramp's ends
  double limit = 2, worst = 0;    // ulp
  size_t compared = 0, over = 0;  // values
  QString culprit;                // the op that first passes its limit; empty: none
};

// Nothing where the document holds no drift (nothing was run and compared).
std::optional<GraphHeat> heatOf(const Place& place, const GraphScene& scene);
// Over the scene's boxes as drawGraph leaves them.
void drawHeat(Sheet& s, const GraphScene& scene, const GraphHeat& heat, QRectF seen);
// The ramp with its numbers and what is over the limit, from its upper left corner. Null: why there is none.
void drawHeatLegend(Sheet& s, const GraphHeat* heat, QPointF at);
inline constexpr QSizeF heatLegendSize{388, 60};

} // namespace cutaway::views
