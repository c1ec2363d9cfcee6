#pragma once
#include "base/journal.h"
#include "driver/document/mirror.h"
#include "plan/pack/problem.h"
#include "runtime/executable.h"
#include "trace/panels.h"

namespace cutaway::driver {

// The arena that an executable runs in, with every other strategy packed on the same buffers for comparison (bounded
// effort). `mirror` names and colours. How the plan came about is told event by event.
trace::ArenaPanel arena_panel(const GraphMirror& mirror, const runtime::Executable& executable);

// Every strategy's peak on the same buffers (bounded effort), for comparison with the one that was used.
std::vector<trace::ArenaStrategy> compared_strategies(const plan::Problem& problem, const std::string& used, int64_t peak, int64_t bound);

// Adds what an event of the memory planner tells, as of that step.
void tell_arena(trace::ArenaPanel& arena, const Event& event, uint32_t step);

} // namespace cutaway::driver
