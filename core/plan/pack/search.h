#pragma once
#include "plan/pack/budget.h"
#include "plan/pack/instance.h"
#include "plan/pack/trace.h"

namespace cutaway::plan {

struct Solution {
  Offsets offsets;   // units
  int64_t bound = 0; // units: no plan is lower
};

// Our search: cuts the problem where no buffer lives across, and packs each component by a portfolio of greedy orders,
// until one reaches the goal: the lower bound, or `capacity` units where that is more than 0. Where none does, a
// complete search (branch.h) decides the bound first and then gallops between the last target given up and the best
// peak, with growing limits; a `no` raises the bound. Components above 2000 items move what sticks out to the front of
// the order and pack again ("squeaky wheel"; Joslin and Clements, JAIR 1999). Never worse than any greedy packer.
// Anytime: when the budget is spent it returns what it has. A trace receives the incumbents, the last moves and, at the
// end, the placements of the plan returned.
Solution pack_search(const Instance& instance, int64_t capacity, uint64_t seed, Budget& budget, PackTrace* trace);

} // namespace cutaway::plan
