#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// How far eager and compiled values lie from the float64 oracle along the schedule, in ulp on a logarithmic axis; what is
// equal lies on the floor line. The first place over its limit is the culprit; below, the five worst places in numbers.
// Mock-up 05.
Figure driftFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
