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
std::vector<QPolygonF> routeLinks(const DotInput& input, const DotResult& placed, const std::vector<LinkEnds>& ends);

} // namespace cutaway::views
