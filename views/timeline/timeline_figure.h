#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// One run on a clock: a lane for the host and one for each thread or stream, kernels in the colours that they have in the
// graph, host calls grey; above them the whole run as a slim strip. The whole run fills the room: a window zooms by giving
// a wider one. Mock-up 04.
Figure timelineFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
