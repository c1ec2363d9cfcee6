#pragma once
#include "base/journal.h"
#include "plan/pack/pack.h"

#include <functional>

namespace cutaway::plan {

// What a "placed" event carries: the accepted gap and the largest refused ones, at most gaps_kept, of gaps_tried.
struct PlacedHow final : Payload {
  static constexpr size_t gaps_kept = 12;
  Placement placement;
  size_t gaps_tried = 0;
};

// How a packer came to its plan, as events of the pass "memory": what it held for best on its way ("incumbent"), each buffer in
// the order in which it was placed ("placed"), and the end ("packed"). `who`: the entities of a buffer, its BufferId last.
void tell_packing(const Problem& problem, const PackResult& result, PackTrace&& trace, const std::function<std::vector<Entity>(size_t)>& who, Journal& journal);

} // namespace cutaway::plan
