#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// The arena after the place's step, in three ways; x = the launches of the schedule, half-open. Mock-ups 03 and 11.

// Buffers placed by then as rectangles over their bytes. At a step that places one: the gaps refused, each with why, and
// the one taken. Beside it every strategy's peak against the bound.
Figure arenaOffsets(const Place& place, const Theme& theme, QSizeF room);
// Bytes alive at each launch, stacked, and the buffers alive where they are most.
Figure arenaBytes(const Place& place, const Theme& theme, QSizeF room);
// A row a buffer in order of birth: hand-overs in place and views that share its bytes.
Figure arenaIntervals(const Place& place, const Theme& theme, QSizeF room);

} // namespace cutaway::views
