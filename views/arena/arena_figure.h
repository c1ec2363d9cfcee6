#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// The arena as it is after the place's step: buffers placed by then as rectangles, x = the launches during which each lives
// (half-open), y = its bytes from the bottom of the arena, the peak and the bound as lines. Mock-ups 03 and 11.
Figure arenaFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
