#pragma once
#include "graph/dot.h"

namespace cutaway::views {

// Where a line leaves or enters a box, as x; unset: its middle, or spread with others.
struct LinkEnds {
  std::optional<double> from, to;
  quint64 trunk = 0; // lines with the same trunk carry the same value: they may share their way
};

// Orthogonal lines along dot's splines: straight down through each rank, sideways only between ranks, in lanes. Lines of
// the same trunk lie on each other; no other two do for more than a crossing.
// A line that leads upward (scopes may need each other in turn) goes round the right side, in the room of backChannel().
std::vector<QPolygonF> routeLinks(const DotInput& input, const DotResult& placed, const std::vector<LinkEnds>& ends);

// px that lines leading upward need at the right of the placed boxes.
double backChannel(const DotInput& input, const DotResult& placed);

} // namespace cutaway::views
