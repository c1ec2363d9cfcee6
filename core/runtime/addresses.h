#pragma once
#include "plan/memory.h"
#include "plan/streams/hazards.h"

namespace cutaway::runtime {

// Where the bytes of roots lie, for hazards: buffers of the arena at their offsets where a plan is given; everything else,
// and every root without a plan, apart from all others.
class Addresses {
 public:
  Addresses(const Graph& graph, const plan::MemoryPlan* memory);
  plan::Touch of(ValueId root, bool write) const { return {begin_[root.v], begin_[root.v] + static_cast<uint64_t>(graph_.type(root).bytes()), write}; }
  uint64_t end() const { return end_; } // nothing lies there or behind

 private:
  const Graph& graph_;
  std::vector<uint64_t> begin_; // by value id
  uint64_t end_ = 0;
};

} // namespace cutaway::runtime
