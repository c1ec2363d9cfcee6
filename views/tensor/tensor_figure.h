#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// What a value holds: where the numbers come from, statistics, the histogram, the first elements.
Figure tensorFigure(const trace::TensorFacts& facts, const Theme& theme, QSizeF room);

// The value whose numbers a selection stands for: itself, or what an op writes first. Invalid: none.
ValueId valueOf(const Place& place);

} // namespace cutaway::views
