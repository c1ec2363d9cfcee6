#pragma once
#include "plan/pack/problem.h"
#include "plan/pack/trace.h"

#include <atomic>
#include <span>
#include <string>
#include <vector>

namespace cutaway::plan {

// optimal: no plan has a lower peak (though it may exceed a capacity: then there is no plan within it). feasible: a
// plan, with an honest gap between lower_bound and peak. timeout: a capacity was given and no plan within it was found;
// where lower_bound exceeds the capacity there is none.
enum class Proof { optimal, feasible, timeout };
const char* proof_name(Proof proof);

struct PackResult {
  Offsets offsets;         // bytes, one a buffer of the problem; 0 where a buffer occupies nothing
  int64_t peak = 0;        // bytes; sizes count rounded up to their alignment
  int64_t lower_bound = 0; // bytes; at least the greatest load, more where the search proved more
  Proof proof = Proof::feasible;
  bool cut_short = false; // effort, clock or `cancel` ended it before it was done
  double seconds = 0; // elapsed
  std::string strategy;
};

// The same problem, seed and effort give the same plan, unless the clock or `cancel` stopped the search first. The
// default effort is for compiling: nothing where a greedy order reaches the bound, else below 0.1 s for some hundreds
// of buffers.
struct PackOptions {
  double seconds = 1.0;
  uint64_t effort = 40'000; // of search beyond the greedy orders, one or two microseconds each (budget.h); 0: no limit
  uint64_t seed = 1;
  int64_t capacity = 0; // bytes; 0: the problem's. Where given, a search stops at the first plan within it
  const std::atomic<bool>* cancel = nullptr;
  PackTrace* trace = nullptr;
};

struct Strategy {
  const char* name;
  const char* summary;
};
// by-size, best-fit, first-fit, by-breadth, online, colouring, hill-climb, search.
std::span<const Strategy> strategies();

// Packs by one strategy. bad-input for an unknown name or a problem that validate() refuses.
Result<PackResult> pack(const Problem& problem, const std::string& strategy, const PackOptions& options = {});

// Packs by every strategy, in the order of the table; empty where validate() refuses the problem. All rows carry the
// greatest lower bound that any of them proved. A trace receives the search's story only.
std::vector<PackResult> pack_all(const Problem& problem, const PackOptions& options = {});

} // namespace cutaway::plan
