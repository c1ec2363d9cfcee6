#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// The texts of one kernel side by side (one below the other where the room is narrow): loop nest, C and, where the document
// holds it, assembly. Lines that compute a value of the graph carry a bar in the colour of its op; those of the selected op
// are lit in all texts and stand at one height.
Figure sourceFigure(const Place& place, const Theme& theme, QSizeF room);
// The kernel that it shows: that of the selection, else the one the step speaks of, else the one with the most work.
std::optional<Entity> sourceKernel(const Place& place);

} // namespace cutaway::views
