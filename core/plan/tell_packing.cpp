#include "plan/tell_packing.h"

#include <algorithm>

namespace cutaway::plan {
namespace {

std::shared_ptr<const PlacedHow> how_placed(Placement&& placement) {
  auto how = std::make_shared<PlacedHow>();
  how->placement = std::move(placement);
  auto& tried = how->placement.tried;
  how->gaps_tried = tried.size();
  if (tried.size() <= PlacedHow::gaps_kept) return how;
  std::stable_sort(tried.begin(), tried.end(), [&](const GapTried& a, const GapTried& b) {
    const bool first = lies_in(how->placement.accepted, a), second = lies_in(how->placement.accepted, b);
    return first != second ? first : static_cast<uint64_t>(a.size) > static_cast<uint64_t>(b.size); // open above: -1, the largest
  });
  tried.resize(PlacedHow::gaps_kept);
  std::sort(tried.begin(), tried.end(), [](const GapTried& a, const GapTried& b) { return a.offset < b.offset; });
  return how;
}

} // namespace

void tell_packing(const Problem& problem, const PackResult& result, PackTrace&& trace, const std::function<std::vector<Entity>(size_t)>& who, Journal& journal) {
  int64_t before = -1;
  for (const Incumbent& i : trace.incumbents) {
    journal.append({"memory", "incumbent", false, {}, {i.by, i.peak, i.lower_bound, static_cast<int64_t>(i.effort)}, {.bytes = before}, {.bytes = i.peak}, nullptr});
    before = i.peak;
  }
  const auto placed = [&](size_t i, std::shared_ptr<const Payload> how) {
    const Buffer& b = problem.buffers[i];
    journal.append({"memory", "placed", false, who(i), {b.size, result.offsets[i], b.start, b.end}, {}, {}, std::move(how)});
  };
  std::vector<bool> told(problem.buffers.size());
  for (Placement& p : trace.placements) {
    const auto buffer = static_cast<size_t>(p.buffer);
    told[buffer] = true;
    placed(buffer, how_placed(std::move(p)));
  }
  for (size_t i = 0; i < told.size(); ++i)
    if (!told[i]) placed(i, nullptr); // no bytes: nothing to decide
  journal.append({"memory", "packed", false, {}, {result.strategy, result.peak, result.lower_bound, static_cast<int64_t>(trace.moves_seen)}, {}, {.bytes = result.peak}, nullptr});
}

} // namespace cutaway::plan
