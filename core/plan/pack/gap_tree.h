#pragma once
#include "plan/pack/trace.h"

#include <cstdint>
#include <vector>

namespace cutaway::plan {

enum class Fit { lowest, tightest }; // the lowest gap that fits, or the smallest one (ties: the lowest)

// The arena while a greedy packer fills it: a segment tree over sections. `own` of a node: bytes taken during ALL of
// its sections by buffers stored there; `sub`: bytes taken during ANY of them by buffers stored there or below. Both
// are unions of spans, joined where they touch, so a well-packed arena keeps them short: a query looks at O(log
// sections) short lists, not at every overlapping buffer.
class GapTree {
 public:
  explicit GapTree(int sections);
  // Takes `size` bytes at a multiple of `alignment` that are free in all of sections [first, last); returns their
  // offset. `tried`, where given, receives every gap looked at.
  int64_t place(int first, int last, int64_t size, int64_t alignment, Fit fit, std::vector<GapTried>* tried = nullptr);

 private:
  struct Span {
    int64_t lo, hi;
  };
  using Spans = std::vector<Span>;
  struct Cursor {
    const Spans* spans;
    size_t next;
  };
  static void join(Spans& spans, Span x);
  void collect(int node, int lo, int hi, int first, int last);
  void insert(int node, int lo, int hi, int first, int last, Span x);
  int64_t climb(int64_t& at, int64_t needed);
  int64_t lowest(int64_t size, int64_t alignment);
  int64_t choose(int64_t size, int64_t alignment, Fit fit, std::vector<GapTried>* tried);

  int sections_;
  std::vector<Spans> own_, sub_;
  std::vector<Cursor> cursors_; // of the query in hand
};

} // namespace cutaway::plan
