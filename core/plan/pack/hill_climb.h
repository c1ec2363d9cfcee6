#pragma once
#include "plan/pack/budget.h"
#include "plan/pack/instance.h"
#include "plan/pack/trace.h"

namespace cutaway::plan {

// Hill climbing over orders of greedy by size (TVM's unified static memory planner, hill_climb.cc): of a buffer at the
// peak and one that it conflicts with, at first or second hand, the places in the order are swapped; worse peaks are
// taken with a chance that falls to nothing. Stops at the bound, after 500 orders, or when the budget is spent. A trace receives
// the placements of the best order.
Offsets pack_hill_climb(const Instance& instance, uint64_t seed, Budget& budget, PackTrace* trace);

} // namespace cutaway::plan
