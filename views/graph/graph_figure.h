#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// The graph after the place's step: scopes around what fires are open; where nothing fires, as many as fit `room`. Waits
// for the layout. The figure is as large as the graph.
Figure graphFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
