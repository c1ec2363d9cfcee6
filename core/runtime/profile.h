#pragma once
#include "base/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cutaway::runtime {

// When one run did what. Microseconds from its start.
struct Timing {
  struct Span {
    double start_us = 0, duration_us = 0;
    double end_us() const { return start_us + duration_us; }
  };
  // A lane at work on a launch: a thread from the first unit that it took to the last one it finished, a queue on its
  // kernel; or a copy engine on a value.
  struct Busy : Span {
    uint32_t launch = 0;
    ValueId value; // valid: a copy of it, and `launch` says nothing
  };
  struct Lane {
    std::string name; // "thread 0" (the host itself), "stream 0", "copy to device"
    std::vector<Busy> busy; // in order of time
  };
  double duration_us = 0; // until the last launch is done
  // On the host, in the order of the calls: of each launch until all threads are done, or until it is submitted; one for
  // each region where they are replayed.
  std::vector<Span> calls;
  std::vector<Lane> lanes;
};

// One run, launched one by one; beside it the same launches replayed as one submission, and as the plan of the streams
// predicted them, where there are such.
struct RunProfile : Timing {
  bool modelled = false; // times are those of a device model
  bool device = false;   // launches are submitted to a device, which runs them in its streams
  // A launch that waits for an event which another queue records after a launch.
  struct Flow {
    uint32_t from = 0, to = 0;
  };
  std::vector<Flow> flows;
  std::optional<Timing> replayed, planned;
};

} // namespace cutaway::runtime
