#include "plan/pack/gap_tree.h"

#include "plan/pack/problem.h"

#include <algorithm>
#include <limits>

namespace cutaway::plan {

namespace {
constexpr int64_t open = std::numeric_limits<int64_t>::max();
}

GapTree::GapTree(int sections) : sections_(sections), own_(4 * size_t(sections)), sub_(4 * size_t(sections)) {}

int64_t GapTree::place(int first, int last, int64_t size, int64_t alignment, Fit fit, std::vector<GapTried>* tried) {
  cursors_.clear();
  collect(1, 0, sections_, first, last);
  const int64_t at = fit == Fit::lowest && !tried ? lowest(size, alignment) : choose(size, alignment, fit, tried);
  insert(1, 0, sections_, first, last, {at, at + size});
  return at;
}

// Moves `at` up to the first gap of at least `needed` bytes of the union of the lists; returns where that gap ends.
int64_t GapTree::climb(int64_t& at, int64_t needed) {
  for (;;) {
    int64_t ceiling = open;
    bool moved = false;
    for (auto& [spans, next] : cursors_) {
      while (next < spans->size() && (*spans)[next].hi <= at) ++next;
      if (next == spans->size()) continue;
      if (const Span& s = (*spans)[next]; s.lo < at + needed) {
        at = s.hi;
        moved = true;
      } else {
        ceiling = std::min(ceiling, s.lo);
      }
    }
    if (!moved) return ceiling;
  }
}

int64_t GapTree::lowest(int64_t size, int64_t alignment) {
  for (int64_t at = 0;;) {
    const int64_t before = at;
    climb(at, size);
    const int64_t aligned = round_up(at, alignment);
    if (aligned == at || aligned == before) return aligned;
    at = aligned;
  }
}

int64_t GapTree::choose(int64_t size, int64_t alignment, Fit fit, std::vector<GapTried>* tried) {
  int64_t found = -1, found_gap = open;
  for (int64_t at = 0;;) {
    const int64_t ceiling = climb(at, 1);
    const int64_t start = round_up(at, alignment), needed = start - at + size;
    const bool fits = ceiling == open || ceiling - at >= needed;
    if (tried) tried->push_back({at, ceiling == open ? -1 : ceiling - at, needed});
    if (ceiling == open) return found < 0 ? start : found;
    if (fits && ceiling - at < found_gap) {
      found = start;
      found_gap = ceiling - at;
      if (fit == Fit::lowest) return found;
    }
    at = ceiling;
  }
}

void GapTree::join(Spans& v, Span x) {
  const auto a = std::lower_bound(v.begin(), v.end(), x.lo, [](const Span& s, int64_t lo) { return s.hi < lo; });
  auto b = a;
  for (; b != v.end() && b->lo <= x.hi; ++b) x = {std::min(x.lo, b->lo), std::max(x.hi, b->hi)};
  if (a == b) {
    v.insert(a, x);
  } else {
    *a = x;
    v.erase(a + 1, b);
  }
}

void GapTree::collect(int node, int lo, int hi, int first, int last) {
  if (last <= lo || hi <= first) return;
  const bool whole = first <= lo && hi <= last;
  const Spans& spans = whole ? sub_[node] : own_[node];
  if (!spans.empty()) cursors_.push_back({&spans, 0});
  if (whole) return;
  const int middle = (lo + hi) / 2;
  collect(2 * node, lo, middle, first, last);
  collect(2 * node + 1, middle, hi, first, last);
}

void GapTree::insert(int node, int lo, int hi, int first, int last, Span x) {
  if (last <= lo || hi <= first) return;
  join(sub_[node], x);
  if (first <= lo && hi <= last) return join(own_[node], x);
  const int middle = (lo + hi) / 2;
  insert(2 * node, lo, middle, first, last, x);
  insert(2 * node + 1, middle, hi, first, last, x);
}

} // namespace cutaway::plan
