#include "plan/streams/events.h"

#include <algorithm>

namespace cutaway::plan {
namespace {

uint32_t queues_of(const StreamSchedule& schedule) {
  uint32_t queues = 1;
  for (const uint32_t q : schedule.queue) queues = std::max(queues, q + 1);
  return queues;
}

void merge(uint32_t* into, const uint32_t* from, size_t queues) {
  for (size_t q = 0; q < queues; ++q) into[q] = std::max(into[q], from[q]);
}

} // namespace

// A task that must come first needs an event unless a later one that also must (or the queue) comes after it: so the latest
// in the order of submission are asked first.
std::vector<StreamEvent> fewest_events(const StreamProblem& problem, const StreamSchedule& schedule) {
  const size_t n = schedule.order.size(), queues = queues_of(schedule);
  std::vector<uint32_t> at(n), place(n);
  std::vector<uint32_t> clocks(n * queues, 0); // by task and queue: how many of the queue's tasks are done before it starts
  std::vector<uint32_t> length(queues, 0), last(queues, 0), first;
  std::vector<StreamEvent> out;
  for (uint32_t i = 0; i < n; ++i) at[schedule.order[i]] = i;
  for (const uint32_t t : schedule.order) {
    const uint32_t q = schedule.queue[t];
    place[t] = length[q];
    uint32_t* clock = clocks.data() + t * queues;
    if (length[q]) merge(clock, clocks.data() + last[q] * queues, queues);
    first = problem.tasks[t].after;
    std::sort(first.begin(), first.end(), [&](uint32_t a, uint32_t b) { return at[a] > at[b]; });
    for (const uint32_t f : first) {
      if (clock[schedule.queue[f]] > place[f]) continue;
      out.push_back({f, t});
      merge(clock, clocks.data() + f * queues, queues);
    }
    clock[q] = ++length[q];
    last[q] = t;
  }
  return out;
}

StreamOrder::StreamOrder(const StreamSchedule& schedule, const std::vector<StreamEvent>& events) : order_(schedule.order), queue_(schedule.queue), place_(order_.size()), line_(queues_of(schedule)), clocks_(order_.size() * line_.size(), 0) {
  std::vector<std::vector<uint32_t>> waits(order_.size());
  for (const StreamEvent& e : events) waits[e.to].push_back(e.from);
  for (uint32_t i = 0; i < order_.size(); ++i) {
    const uint32_t t = order_[i];
    auto& line = line_[queue_[t]];
    if (!line.empty()) merge(clock(t), clock(order_[line.back()]), line_.size());
    for (const uint32_t f : waits[t]) merge(clock(t), clock(f), line_.size());
    place_[t] = static_cast<uint32_t>(line.size());
    line.push_back(i);
    clock(t)[queue_[t]] = place_[t] + 1;
  }
}

StreamOrder::Span StreamOrder::beside(uint32_t place) const {
  const uint32_t t = order_[place];
  Span out{place, place};
  for (uint32_t q = 0; q < line_.size(); ++q) {
    if (q == queue_[t]) continue;
    // Clocks only grow along a queue: those done before t, then those beside it, then those that start after it.
    const auto& line = line_[q];
    const auto begin = line.begin() + clock(t)[q];
    const auto end = std::partition_point(begin, line.end(), [&](uint32_t i) { return !before(t, order_[i]); });
    if (begin == end) continue;
    out.first = std::min(out.first, *begin), out.last = std::max(out.last, *std::prev(end));
  }
  return out;
}

} // namespace cutaway::plan
