#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cutaway::plan {

// A gap that a placement looked at: free for the buffer's whole life, from `offset` for `size` bytes (-1: open above).
struct GapTried {
  int64_t offset = 0, size = -1, needed = 0; // needed: with the bytes lost to alignment
};

inline bool lies_in(int64_t offset, const GapTried& gap) {
  return gap.offset <= offset && (gap.size < 0 || offset < gap.offset + gap.size);
}

// How one buffer of the plan got its place. Gaps are in order of offset, the accepted one among them; none where the
// packer does not look at gaps one by one (a complete search, slots) or past the trace's limit.
struct Placement {
  int buffer = 0;
  int64_t accepted = 0;
  std::vector<GapTried> tried;
  bool gaps_dropped = false;
  std::string by; // where a strategy has several ways: the greedy order, or "search"
};

// The best plan became this good.
struct Incumbent {
  int64_t peak = 0, lower_bound = 0;
  uint64_t effort = 0; // spent until then (budget.h)
  std::string by;      // the greedy order, or "search"
};

// One move of the search, with its target of the time.
struct SearchMove {
  enum class Kind : uint8_t { place, skip, fail };
  Kind kind = Kind::place;
  int buffer = 0;
  int64_t offset = 0;
};

// What a packer tells about its way. `placements` are those of the plan it returned, in the order in which they were
// made; past `limit` gaps they come without, and of the search's moves the last `ring` are kept. A null trace costs a
// branch.
struct PackTrace {
  size_t limit = 100'000; // gaps in all
  size_t ring = 512;

  std::vector<Placement> placements;
  std::vector<Incumbent> incumbents;
  std::vector<SearchMove> moves; // a ring: the oldest is at moves_seen % ring once it is full
  uint64_t moves_seen = 0;
  size_t gaps_seen = 0;

  void add(Placement placement) {
    gaps_seen += placement.tried.size();
    if (gaps_seen > limit) {
      placement.gaps_dropped = !placement.tried.empty();
      placement.tried.clear();
    }
    placements.push_back(std::move(placement));
  }
  void add(SearchMove move) {
    if (moves.size() < ring)
      moves.push_back(move);
    else
      moves[moves_seen % ring] = move;
    ++moves_seen;
  }
};

} // namespace cutaway::plan
