#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// What the variant that ran was compiled for, a row a guard, under the policy in force; then the variants that are kept.
// Mock-up 07.
Figure guardsFigure(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
