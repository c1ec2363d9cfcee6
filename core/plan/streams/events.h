#pragma once
#include "plan/streams/problem.h"

namespace cutaway::plan {

// The fewest events that order all that `after` asks for: the transitive reduction of hazards across queues, where the
// order of a queue comes free. It is unique (Aho, Garey, Ullman 1972).
std::vector<StreamEvent> fewest_events(const StreamProblem& problem, const StreamSchedule& schedule);

// What is known to be done before what.
class StreamOrder {
 public:
  StreamOrder(const StreamSchedule& schedule, const std::vector<StreamEvent>& events);

  bool before(uint32_t a, uint32_t b) const { return a != b && clock(b)[queue_[a]] > place_[a]; }
  // Of the tasks at places [0, size) of the order, the first and the last that may run at the same time as that at `place`;
  // `place` itself where there are none.
  struct Span {
    uint32_t first = 0, last = 0;
  };
  Span beside(uint32_t place) const;

 private:
  const uint32_t* clock(uint32_t task) const { return clocks_.data() + task * line_.size(); }
  uint32_t* clock(uint32_t task) { return clocks_.data() + task * line_.size(); }

  std::vector<uint32_t> order_, queue_; // as in the schedule
  std::vector<uint32_t> place_;         // by task: its place in its queue
  std::vector<std::vector<uint32_t>> line_;  // by queue: the places of its tasks in the order
  std::vector<uint32_t> clocks_; // by task and queue: how many of the queue's tasks are done before it starts, of its own itself too
};

} // namespace cutaway::plan
