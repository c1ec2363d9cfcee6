#pragma once
#include "base/journal.h"
#include "plan/storage.h"

namespace cutaway::plan {

// A kernel as the planner sees it: the storages it reads and writes, in schedule order.
struct Step {
  std::vector<ValueId> reads, writes; // roots
  std::vector<ValueId> in_place;      // reads that writes[0] may overwrite where they die here
};

// One buffer of the arena, alive at the steps [start, end). Several roots where each overwrites the one before in place.
struct Allocation {
  std::vector<ValueId> roots;
  int64_t start = 0, end = 0, bytes = 0, offset = 0;
};

struct MemoryPlan {
  std::vector<Allocation> placements;
  int64_t peak = 0, lower_bound = 0;
  std::string strategy;
  bool optimal = false;
};

// Liveness over the schedule and packing. Params, constants and graph outputs have storage of their own and take none here.
MemoryPlan plan_memory(const Graph& graph, const Storage& storage, const std::vector<Step>& schedule, const std::string& strategy, Journal* journal);

} // namespace cutaway::plan
