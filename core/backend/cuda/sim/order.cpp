#include "backend/cuda/sim/order.h"

#include <algorithm>

namespace cutaway::cuda::sim {

void join(Point& into, const Point& other) {
  for (uint64_t op : other.ops)
    if (std::find(into.ops.begin(), into.ops.end(), op) == into.ops.end()) into.ops.push_back(op);
  if (into.clock.size() < other.clock.size()) into.clock.resize(other.clock.size());
  for (size_t i = 0; i < other.clock.size(); ++i) into.clock[i] = std::max(into.clock[i], other.clock[i]);
  into.us = std::max(into.us, other.us);
}

int Order::new_lane() {
  epochs_.push_back(0);
  return int(epochs_.size()) - 1;
}

bool Order::before(const Access& access, const Point& at) {
  const auto lane = size_t(access.lane);
  return lane < at.clock.size() && access.epoch <= at.clock[lane];
}

void Order::add(const Note& note, Point& at, int lane, int stream, std::vector<std::string>& races) {
  const auto l = size_t(lane);
  if (at.clock.size() <= l) at.clock.resize(l + 1);
  const uint32_t epoch = at.clock[l] = ++epochs_[l];
  const std::string label = note.label + " (stream " + std::to_string(stream) + ")";
  for (const Range& r : note.touches) {
    for (const Access& a : accesses_) {
      if (a.range.begin >= r.end || r.begin >= a.range.end || (!a.range.write && !r.write) || before(a, at)) continue;
      const auto bytes = std::min(a.range.end, r.end) - std::max(a.range.begin, r.begin);
      races.push_back("race: " + label + (r.write ? " writes " : " reads ") + std::to_string(bytes) + " bytes that " +
                      a.label + (a.range.write ? " writes" : " reads") + ", with no order between them");
      break;
    }
    // Whoever conflicts with these also conflicts with the new one.
    std::erase_if(accesses_, [&](const Access& a) {
      return a.range.begin >= r.begin && a.range.end <= r.end && before(a, at) &&
             (r.write || (!a.range.write && a.lane == lane));
    });
  }
  for (const Range& r : note.touches) accesses_.push_back({r, lane, epoch, label});
}

} // namespace cutaway::cuda::sim
