#include "plan/streams/hazards.h"

#include <algorithm>
#include <map>

namespace cutaway::plan {
namespace {

constexpr uint32_t none = ~0u;

// The last writer of each byte, and who has read it since.
struct Piece {
  uint64_t end = 0;
  uint32_t writer = none;
  std::vector<uint32_t> readers;
};
using Bytes = std::map<uint64_t, Piece>; // by its first byte; pieces do not overlap

// No piece crosses `at`.
void cut(Bytes& bytes, uint64_t at) {
  auto next = bytes.lower_bound(at);
  if (next == bytes.begin()) return;
  auto piece = std::prev(next);
  if (piece->second.end <= at) return;
  Piece upper = piece->second;
  piece->second.end = at;
  bytes.emplace_hint(next, at, std::move(upper));
}

void touch(Bytes& bytes, const Touch& t, uint32_t task, std::vector<uint32_t>& after) {
  if (t.begin >= t.end) return;
  cut(bytes, t.begin), cut(bytes, t.end);
  const auto add = [&](uint32_t first) {
    if (first != none && first != task) after.push_back(first);
  };
  uint64_t at = t.begin;
  for (auto it = bytes.lower_bound(t.begin); at < t.end; ++it) {
    const uint64_t next = it == bytes.end() ? t.end : std::min(it->first, t.end);
    if (at < next) it = bytes.emplace_hint(it, at, Piece{next, none, {}}); // nobody touched these yet
    Piece& p = it->second;
    at = p.end;
    if (!t.write) {
      add(p.writer);
      if (p.readers.empty() || p.readers.back() != task) p.readers.push_back(task);
      continue;
    }
    for (const uint32_t r : p.readers) add(r);
    if (p.readers.empty() || (p.readers.size() == 1 && p.readers[0] == task)) add(p.writer); // else its readers waited for it
    p.writer = task, p.readers.clear();
  }
}

} // namespace

std::vector<std::vector<uint32_t>> hazards(const std::vector<std::vector<Touch>>& touches) {
  Bytes bytes;
  std::vector<std::vector<uint32_t>> out(touches.size());
  for (uint32_t t = 0; t < touches.size(); ++t) {
    // Reads first: what a task both reads and writes counts as read from the writer before it.
    for (const bool writes : {false, true})
      for (const Touch& touched : touches[t])
        if (touched.write == writes) touch(bytes, touched, t, out[t]);
    std::sort(out[t].begin(), out[t].end());
    out[t].erase(std::unique(out[t].begin(), out[t].end()), out[t].end());
  }
  return out;
}

} // namespace cutaway::plan
