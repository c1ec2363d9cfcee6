#pragma once
#include "base/journal.h"
#include "plan/storage.h"

namespace cutaway::plan {

// A kernel as the planner sees it: the storages it reads and writes, in schedule order.
struct Step {
  std::vector<ValueId> reads, writes; // roots
  std::vector<ValueId> in_place;      // reads that writes[0] may overwrite where they die here
  // Where kernels run in several queues: the first and last step of those that may run at the same time; -1: none does.
  int64_t first_beside = -1, last_beside = -1;
};

inline constexpr int64_t arena_alignment = 64; // bytes, of every buffer

// One buffer of the arena, alive at the steps [start, end): from its first to its last use, and as long as steps go on that
// may run beside one of them. Several roots where each overwrites the one before in place.
struct Allocation {
  std::vector<ValueId> roots;
  std::vector<int64_t> written; // the step that writes each root
  int64_t start = 0, end = 0, bytes = 0, offset = 0;
};

struct MemoryPlan {
  std::vector<Allocation> placements;
  int64_t peak = 0, lower_bound = 0;
  std::string strategy;
  bool optimal = false;
};

// What liveness alone says of a schedule: the most bytes alive at once, which no plan is below.
int64_t most_alive(const Graph& graph, const std::vector<Step>& schedule);

// Liveness over the schedule and packing. Params, constants and graph outputs have storage of their own and take none here.
// The journal receives in-place hand-overs, what the packer held for best on its way ("incumbent"), and the placements of
// the plan in the order in which they were made.
MemoryPlan plan_memory(const Graph& graph, const Storage& storage, const std::vector<Step>& schedule, const std::string& strategy, Journal* journal);

} // namespace cutaway::plan
