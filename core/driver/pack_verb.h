#pragma once
#include "plan/pack/problem.h"

namespace cutaway::driver {

// How one strategy packed a problem.
struct PackRow {
  std::string strategy;
  int64_t peak = 0, lower_bound = 0;
  bool optimal = false;
  double seconds = 0; // of processor time
};

// Names in the order in which `pack --strategy all` prints them.
std::vector<std::string> pack_strategies();
// Packs by one strategy, or by all; bad-input names the strategies there are.
Result<std::vector<PackRow>> pack_by(const plan::Problem& problem, const std::string& strategy);

} // namespace cutaway::driver
