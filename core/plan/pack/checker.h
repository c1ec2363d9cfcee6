#pragma once
#include "plan/pack/problem.h"

#include <optional>
#include <string>

namespace cutaway::plan {

// What is wrong with a plan: the buffer, the other one where two overlap (else -1), and why.
struct Violation {
  int buffer = -1, other = -1;
  std::string why;
};

// Checks a plan without any of the packers' code: every buffer has an offset, at a multiple of its alignment and at
// least 0; it ends at or below `arena` bytes; no two buffers that live at the same time share a byte. The first
// violation in time order, or nothing. Linearithmic.
std::optional<Violation> check_plan(const Problem& problem, const Offsets& offsets, int64_t arena);

} // namespace cutaway::plan
