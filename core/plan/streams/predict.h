#pragma once
#include "plan/streams/problem.h"

namespace cutaway::plan {

struct StreamSpan {
  double start_us = 0, end_us = 0;
};

// How fast tasks go that run at once, of their speed alone: a resource of which they want more than there is is shared out
// in proportion, and each goes as fast as the scarcest that it uses lets it.
std::vector<double> speeds(const StreamProblem& problem, const std::vector<uint32_t>& running);

// The scarcest resource of those, and what they want of it together.
struct Demand {
  Resource resource = Resource::compute;
  double wanted = 0;
};
Demand scarcest(const StreamProblem& problem, const std::vector<uint32_t>& running);

// When each task runs under that model: as soon as its queue and its events let it.
struct Prediction {
  std::vector<StreamSpan> spans; // by task
  double makespan_us = 0;
};
Prediction predict(const StreamProblem& problem, const StreamSchedule& schedule, const std::vector<StreamEvent>& events);

// No schedule is shorter than this: the longest chain, or the busiest resource.
double shortest_makespan(const StreamProblem& problem);

} // namespace cutaway::plan
