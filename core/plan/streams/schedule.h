#pragma once
#include "plan/streams/predict.h"

namespace cutaway::plan {

// A task that could have started while another queue had room, and why it did not: beside `with` the tasks together would
// have wanted more of a resource than there is.
struct StreamKept {
  uint32_t task = 0, with = 0; // with: the task that it waited for
  Demand demand;
};

struct StreamPlan {
  StreamSchedule schedule;
  std::vector<StreamEvent> events;
  Prediction predicted;
  double serial_us = 0, shortest_us = 0; // of one queue; of no schedule less
  uint32_t queues = 1;                   // used
  double best_us = 0;                    // the best that was found with more queues, taken or not
  std::vector<StreamKept> kept;
};

// List scheduling by critical path (the longest chain behind a task first) of tasks that share resources: a task starts
// beside others only where they get more done together. Several orders of preference compete under predict(), the best is
// mended by moves of single tasks. Where it gains less than problem.least_gain, all stay in one queue, in the given order.
// The same problem always gives the same plan.
StreamPlan plan_streams(const StreamProblem& problem);

// The plan that keeps to `queue`s and order of an earlier one though tasks have more to wait for.
StreamPlan replan_events(const StreamProblem& problem, StreamPlan plan);

void number_as_submitted(StreamPlan& plan);
// Numbers the tasks of a plan as they are submitted; gives what belongs to each in that order.
template <class T> std::vector<T> renumber(StreamPlan& plan, const std::vector<T>& by_task) {
  std::vector<T> out;
  for (const uint32_t t : plan.schedule.order) out.push_back(by_task[t]);
  number_as_submitted(plan);
  return out;
}

} // namespace cutaway::plan
