#include "runtime/addresses.h"

namespace cutaway::runtime {

Addresses::Addresses(const Graph& graph, const plan::MemoryPlan* memory) : graph_(graph), begin_(graph.value_bound(), 0) {
  end_ = memory ? static_cast<uint64_t>(memory->peak) : 0;
  for (uint32_t v = 0; v < graph.value_bound(); ++v)
    if (graph.alive(ValueId(v)) && is_static(graph.type(ValueId(v)).shape)) begin_[v] = end_, end_ += static_cast<uint64_t>(graph.type(ValueId(v)).bytes());
  if (memory)
    for (const plan::Allocation& a : memory->placements)
      for (const ValueId root : a.roots) begin_[root.v] = static_cast<uint64_t>(a.offset);
}

} // namespace cutaway::runtime
