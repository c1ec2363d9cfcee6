#pragma once
#include <cstdint>
#include <vector>

namespace cutaway::cuda::sim {

// A moment in the order of things: what must have run, what is known to happen before it (a vector clock with an entry a
// lane), and when it is in modelled time.
struct Point {
  std::vector<uint64_t> ops;
  std::vector<uint32_t> clock;
  double us = 0;
};

// After both.
void join(Point& into, const Point& other);

} // namespace cutaway::cuda::sim
