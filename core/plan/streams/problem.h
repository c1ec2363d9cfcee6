#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cutaway::plan {

// What tasks that run at once share.
enum class Resource : uint8_t { compute, bandwidth, cache, copy_in, copy_out };
inline constexpr size_t resource_count = 5;
const char* resource_name(Resource resource);

// A launch or a copy as the scheduler of queues sees it.
struct StreamTask {
  double us = 0;                              // where it runs alone
  std::array<double, resource_count> share{}; // of each resource while it does, 0 to 1
  std::vector<uint32_t> after;                // tasks that must be done before it starts; all have smaller numbers
};

// Tasks in an order in which one queue can run them.
struct StreamProblem {
  std::vector<StreamTask> tasks;
  int queues = 1;
  double event_us = 0;     // from the end of a task to the start of one in another queue that waits for it
  double least_gain = .02; // of the time of one queue; for less, one it is
};

// The device's own queue of the second task waits until the first is done.
struct StreamEvent {
  uint32_t from = 0, to = 0;
  friend bool operator==(const StreamEvent&, const StreamEvent&) = default;
};

// Which queue runs what in which order. Tasks of one queue run in the order of their submission.
struct StreamSchedule {
  std::vector<uint32_t> order; // the tasks as they are submitted
  std::vector<uint32_t> queue; // by task
};

} // namespace cutaway::plan
