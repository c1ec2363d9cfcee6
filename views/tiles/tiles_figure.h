#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// The schedule that each product and convolution got, with the loop nest of one (of the selection, else of the step, else
// the one with the most work) and the tiles that the rule preferred for it. Mock-up 08, without measurements.
Figure tilesFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
