#include "plan/pack/checker.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace cutaway::plan {
namespace {

std::optional<Violation> check_position(const Problem& p, int i, int64_t at, int64_t arena) {
  const Buffer& b = p.buffers[i];
  if (at < 0) return Violation{i, -1, fmt::format("{} has no offset", p.name_of(i))};
  if (at % b.alignment != 0)
    return Violation{i, -1, fmt::format("{} at {} is not aligned to {}", p.name_of(i), at, b.alignment)};
  if (b.size > 0 && b.start < b.end && b.size > arena - at)
    return Violation{i, -1, fmt::format("{} at {} ends above the arena of {} bytes", p.name_of(i), at, arena)};
  return {};
}

} // namespace

std::optional<Violation> check_plan(const Problem& p, const Offsets& offsets, int64_t arena) {
  if (offsets.size() != p.buffers.size())
    return Violation{-1, -1, fmt::format("{} offsets for {} buffers", offsets.size(), p.buffers.size())};
  std::vector<std::tuple<int64_t, bool, int>> events; // time, born (deaths come first), buffer
  for (int i = 0; i < int(offsets.size()); ++i) {
    if (auto wrong = check_position(p, i, offsets[i], arena)) return wrong;
    const Buffer& b = p.buffers[i];
    if (b.size == 0 || b.start >= b.end) continue;
    events.emplace_back(b.start, true, i);
    events.emplace_back(b.end, false, i);
  }
  std::sort(events.begin(), events.end());
  // The live buffers never overlap, so by offset each newcomer has only its two neighbours to fear.
  std::map<int64_t, int> live;
  for (const auto& [time, born, i] : events) {
    const int64_t at = offsets[i];
    if (!born) {
      live.erase(at);
      continue;
    }
    const auto above = live.lower_bound(at);
    int other = -1;
    if (above != live.end() && above->first - at < p.buffers[i].size) other = above->second;
    if (above != live.begin()) {
      const auto below = std::prev(above);
      if (at - below->first < p.buffers[below->second].size) other = below->second;
    }
    if (other >= 0)
      return Violation{i, other, fmt::format("{} overlaps {} at time {}", p.name_of(i), p.name_of(other), time)};
    live.emplace(at, i);
  }
  return {};
}

} // namespace cutaway::plan
