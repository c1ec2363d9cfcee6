#pragma once
#include "kit/figure_file.h"
#include "trace/panels.h"

namespace cutaway::views {

// The arena as it is after a step: buffers placed by then as rectangles, x = the launches during which each lives
// (half-open), y = its bytes from the bottom of the arena, the peak and the bound as lines. Mock-ups 03 and 11.
// `step` < 0: all buffers. The panel is copied.
Figure arenaFigure(const trace::ArenaPanel& arena, const Theme& theme, int64_t step = -1);

} // namespace cutaway::views
