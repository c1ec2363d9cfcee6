#include "plan/streams/predict.h"

#include "base/check.h"

#include <algorithm>
#include <limits>

namespace cutaway::plan {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

std::array<double, resource_count> wanted_by(const StreamProblem& problem, const std::vector<uint32_t>& running) {
  std::array<double, resource_count> wanted{};
  for (const uint32_t t : running)
    for (size_t r = 0; r < resource_count; ++r) wanted[r] += problem.tasks[t].share[r];
  return wanted;
}

// One pass over time from change to change: a task starts, or one is done.
class Clock {
 public:
  Clock(const StreamProblem& problem, const StreamSchedule& schedule, const std::vector<StreamEvent>& events)
      : problem_(problem), waits_(schedule.order.size()), left_(schedule.order.size()) {
    out_.spans.assign(schedule.order.size(), {never, never});
    for (const StreamEvent& e : events) waits_[e.to].push_back(e.from);
    for (const uint32_t t : schedule.order) {
      if (lines_.size() <= schedule.queue[t]) lines_.resize(schedule.queue[t] + 1);
      lines_[schedule.queue[t]].tasks.push_back(t);
      left_[t] = problem.tasks[t].us;
    }
  }

  Prediction run() {
    for (;;) {
      std::vector<uint32_t> running;
      double next = start_ready(running);
      const std::vector<double> speed = speeds(problem_, running);
      std::vector<double> done(running.size());
      for (size_t i = 0; i < running.size(); ++i) next = std::min(next, done[i] = now_ + left_[running[i]] / speed[i]);
      if (next == never) break;
      for (size_t i = 0; i < running.size(); ++i) {
        left_[running[i]] -= (next - now_) * speed[i];
        if (done[i] <= next) finish(running[i], next);
      }
      now_ = next;
    }
    out_.makespan_us = now_;
    for (const Line& line : lines_) CUTAWAY_CHECK(line.at == line.tasks.size(), "queues wait for each other");
    return std::move(out_);
  }

 private:
  struct Line {
    std::vector<uint32_t> tasks;
    size_t at = 0;
  };
  // What runs now; when the next of the others may start.
  double start_ready(std::vector<uint32_t>& running) {
    double next = never;
    for (Line& line : lines_) {
      if (line.at == line.tasks.size()) continue;
      const uint32_t t = line.tasks[line.at];
      double ready = line.at ? out_.spans[line.tasks[line.at - 1]].end_us : 0;
      for (const uint32_t f : waits_[t]) ready = std::max(ready, out_.spans[f].end_us + problem_.event_us);
      if (ready > now_) {
        next = std::min(next, ready);
        continue;
      }
      if (out_.spans[t].start_us == never) out_.spans[t].start_us = now_;
      running.push_back(t);
    }
    return next;
  }
  void finish(uint32_t task, double at) {
    out_.spans[task].end_us = at;
    for (Line& line : lines_)
      if (line.at < line.tasks.size() && line.tasks[line.at] == task) ++line.at;
  }

  const StreamProblem& problem_;
  std::vector<std::vector<uint32_t>> waits_; // by task
  std::vector<double> left_;                 // by task: of its time alone
  std::vector<Line> lines_;
  Prediction out_;
  double now_ = 0;
};

} // namespace

const char* resource_name(Resource resource) {
  static constexpr const char* names[] = {"compute", "memory bandwidth", "cache", "the copy engine to the device", "the copy engine to the host"};
  return names[static_cast<size_t>(resource)];
}

std::vector<double> speeds(const StreamProblem& problem, const std::vector<uint32_t>& running) {
  const auto wanted = wanted_by(problem, running);
  std::vector<double> out;
  for (const uint32_t t : running) {
    double most = 1;
    for (size_t r = 0; r < resource_count; ++r)
      if (problem.tasks[t].share[r] > 0) most = std::max(most, wanted[r]);
    out.push_back(1 / most);
  }
  return out;
}

Demand scarcest(const StreamProblem& problem, const std::vector<uint32_t>& running) {
  const auto wanted = wanted_by(problem, running);
  const auto most = std::max_element(wanted.begin(), wanted.end());
  return {static_cast<Resource>(most - wanted.begin()), *most};
}

Prediction predict(const StreamProblem& problem, const StreamSchedule& schedule, const std::vector<StreamEvent>& events) {
  return Clock(problem, schedule, events).run();
}

double shortest_makespan(const StreamProblem& problem) {
  std::vector<double> end(problem.tasks.size(), 0);
  std::array<double, resource_count> busy{};
  double longest = 0;
  for (size_t t = 0; t < problem.tasks.size(); ++t) {
    const StreamTask& task = problem.tasks[t];
    for (const uint32_t f : task.after) end[t] = std::max(end[t], end[f]);
    longest = std::max(longest, end[t] += task.us);
    for (size_t r = 0; r < resource_count; ++r) busy[r] += task.us * task.share[r];
  }
  return std::max(longest, *std::max_element(busy.begin(), busy.end()));
}

} // namespace cutaway::plan
