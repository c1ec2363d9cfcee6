#include "plan/pack/problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace cutaway::plan {
namespace {

constexpr size_t most_buffers = 1'000'000;
constexpr int64_t most_bytes = int64_t{1} << 61; // sums of two such numbers cannot overflow
constexpr int64_t latest_time = int64_t{1} << 61;

Status validate_buffer(const Problem& p, int i) {
  const Buffer& b = p.buffers[i];
  if (b.size < 0) return bad_input(p.name_of(i), fmt::format("size {} is negative", b.size), "give sizes in bytes");
  if (b.size > most_bytes) return bad_input(p.name_of(i), fmt::format("size {} is too large", b.size), "at most 2^61");
  if (b.alignment < 1 || b.alignment > most_bytes)
    return bad_input(p.name_of(i), fmt::format("alignment {} is out of range", b.alignment), "give 1 for none");
  if (b.start > b.end)
    return bad_input(p.name_of(i), fmt::format("it ends at {}, before its start {}", b.end, b.start));
  if (b.start < -latest_time || b.end > latest_time)
    return bad_input(p.name_of(i), "its lifetime is out of range", "times lie within -2^61 and 2^61");
  return {};
}

} // namespace

std::string Problem::name_of(int buffer) const {
  if (size_t(buffer) < names.size()) return names[buffer];
  return fmt::format("buffer {}", buffer);
}

Status validate(const Problem& p) {
  if (p.buffers.size() > most_buffers)
    return over_limit("", fmt::format("{} buffers", p.buffers.size()), "at most a million are packed");
  if (p.capacity < 0) return bad_input("", "the capacity is negative", "give 0 for none");
  int64_t room = most_bytes;
  for (int i = 0; i < int(p.buffers.size()); ++i) {
    if (Status s = validate_buffer(p, i); !s) return s;
    // An aligned buffer may leave almost its alignment unused below it.
    const int64_t most = occupied(p.buffers[i]) + p.buffers[i].alignment - 1;
    if (most > room) return bad_input(p.name_of(i), "the sizes together are too large", "their sum is at most 2^61");
    room -= most;
  }
  for (const IdleWindow& w : p.idle) {
    const bool known = w.buffer >= 0 && size_t(w.buffer) < p.buffers.size();
    if (!known || w.start < p.buffers[w.buffer].start || w.end > p.buffers[w.buffer].end || w.start > w.end ||
        w.low < 0 || w.low > w.high || w.high > p.buffers[w.buffer].size)
      return bad_input("", fmt::format("an idle window of buffer {} lies outside of it", w.buffer));
  }
  return {};
}

int64_t lower_bound(const Problem& p) {
  std::vector<std::pair<int64_t, int64_t>> steps; // time, change of load; deaths first, for they are negative
  steps.reserve(2 * p.buffers.size());
  for (const Buffer& b : p.buffers) {
    if (b.start == b.end) continue;
    steps.emplace_back(b.start, occupied(b));
    steps.emplace_back(b.end, -occupied(b));
  }
  for (const IdleWindow& w : p.idle) {
    const int64_t freed = occupied(p.buffers[w.buffer]) - (w.high - w.low);
    steps.emplace_back(w.start, -freed);
    steps.emplace_back(w.end, freed);
  }
  std::sort(steps.begin(), steps.end());
  int64_t load = 0, most = 0;
  for (const auto& [time, change] : steps) most = std::max(most, load += change);
  return most;
}

int64_t peak_of(const Problem& p, const Offsets& offsets) {
  int64_t peak = 0;
  for (size_t i = 0; i < p.buffers.size(); ++i)
    if (const Buffer& b = p.buffers[i]; b.size > 0 && b.start < b.end) peak = std::max(peak, offsets[i] + occupied(b));
  return peak;
}

} // namespace cutaway::plan
