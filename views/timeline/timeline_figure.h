#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// Runs on one clock: on top the whole of each with a brush round the part that is shown; below it each run with a sentence of
// why it takes so long, a lane for the host, one for each stream or thread and for copies; then the sums, and what was
// decided about streams or where the time went. Kernels have the colours that they have in the graph. Mock-up 04.
Figure timelineFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
