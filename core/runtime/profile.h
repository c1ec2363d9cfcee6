#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cutaway::runtime {

// What one run did when. Microseconds from the start of the run.
struct RunProfile {
  struct Span {
    double start_us = 0, duration_us = 0;
    double end_us() const { return start_us + duration_us; }
  };
  // A lane at work on a launch: a thread from the first unit that it took to the last one it finished, a stream on its kernel.
  struct Busy : Span {
    uint32_t launch = 0;
  };
  struct Lane {
    std::string name; // "thread 0" (the host itself), "stream"
    std::vector<Busy> busy; // in order of time
  };
  double duration_us = 0; // until the last launch is done
  bool modelled = false;  // times are those of a device model
  std::vector<Span> launches; // on the host, one a launch in order: until all threads are done, or until it is submitted
  std::vector<Lane> lanes;
};

} // namespace cutaway::runtime
