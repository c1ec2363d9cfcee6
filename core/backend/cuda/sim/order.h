#pragma once
#include "backend/cuda/sim/point.h"
#include "backend/cuda/sim/sim.h"

#include <string>
#include <vector>

namespace cutaway::cuda::sim {

// The happens-before checker. Every operation lies on a lane (a stream, or a branch of a graph) and says which bytes it
// touches; two that touch the same ones, one of them writing, must be ordered by streams and events. What really ran
// first plays no part.
class Order {
 public:
  int new_lane();
  // Takes the operation's turn on its lane, which follows `at`, and adds to `races` what conflicts with it.
  void add(const Note& note, Point& at, int lane, int stream, std::vector<std::string>& races);

 private:
  struct Access {
    Range range;
    int lane;
    uint32_t epoch;
    std::string label;
  };
  static bool before(const Access& access, const Point& at);

  std::vector<uint32_t> epochs_; // by lane
  std::vector<Access> accesses_;
};

} // namespace cutaway::cuda::sim
