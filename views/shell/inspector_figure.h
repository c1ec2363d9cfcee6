#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// The present step: its reason, what it cost before and after, and what was refused near it.
Figure stepFigure(const Place& place, const Theme& theme, QSizeF room);
// What is selected: the op, value or kernel, with where it came from in the model.
Figure entityFigure(const Place& place, const Theme& theme, QSizeF room);
// The nodes of the model that what is selected (else what fires) comes from: what each reads and writes, the ops that it became
// at import, and where those are now.
Figure sourceNodesFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
