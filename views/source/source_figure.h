#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// The texts of one kernel side by side (one below the other where the room is narrow): loop nest, C, assembly. The kernel is
// that of the selection, else the one the step speaks of, else the first. Lines that compute a value of the graph carry a bar
// in the colour of its op.
Figure sourceFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
