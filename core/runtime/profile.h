#pragma once
#include <cstdint>
#include <vector>

namespace cutaway::runtime {

// What one run did when. Microseconds from the start of the run.
struct RunProfile {
  struct Span {
    double start_us = 0, duration_us = 0;
    double end_us() const { return start_us + duration_us; }
  };
  // A thread at work on a launch, from the first unit that it took to the last one it finished.
  struct Busy : Span {
    uint32_t launch = 0;
  };
  double duration_us = 0; // until the last launch is done
  std::vector<Span> launches;             // on the host, one a launch in order: until all threads are done
  std::vector<std::vector<Busy>> threads; // one list a thread of the pool (0: the host itself), in order of time
};

} // namespace cutaway::runtime
