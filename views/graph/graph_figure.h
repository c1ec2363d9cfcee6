#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// The graph after the place's step: scopes around what fires are open; where nothing fires, as many as fit `room`. Waits
// for the layout. The figure is as large as the graph.
Figure graphFigure(const Place& place, const Theme& theme, QSizeF room);
// The same, its boxes coloured by drift, with a legend on top.
Figure graphHeatFigure(const Place& place, const Theme& theme, QSizeF room);
// The same, its boxes coloured by op class, with a legend below.
Figure graphClassFigure(const Place& place, const Theme& theme, QSizeF room);
// The graphs after each step from the place's to `last`, all of one size, what stays in one place. One set of scopes is
// open throughout, unless those around all that fires show too much.
QList<Figure> graphFigures(const Place& place, uint32_t last, const Theme& theme, QSizeF room);

} // namespace cutaway::views
