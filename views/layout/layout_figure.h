#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// How a value lies in memory: its planes with the walk of addresses, and which view ops copy bytes. The value is the selected
// one, else that of a step of the layout pass, else the one with the most bytes. Mock-up 06.
Figure layoutFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
