#include "plan/streams/race_checker.h"

#include <algorithm>

namespace cutaway::plan {
namespace {

// By task: a bit for each task that is done before it starts.
class Past {
 public:
  Past(const StreamSchedule& schedule, const std::vector<StreamEvent>& events) : words_((schedule.order.size() + 63) / 64), bits_(schedule.order.size() * words_, 0) {
    std::vector<std::vector<uint32_t>> straight(schedule.order.size()); // before each task by one step
    std::vector<size_t> at(schedule.order.size());
    for (size_t i = 0; i < schedule.order.size(); ++i) at[schedule.order[i]] = i;
    for (const StreamEvent& e : events)
      if (at[e.from] < at[e.to]) straight[e.to].push_back(e.from);
    std::vector<int64_t> newest;
    for (const uint32_t t : schedule.order) {
      newest.resize(std::max<size_t>(newest.size(), schedule.queue[t] + 1), -1);
      if (newest[schedule.queue[t]] >= 0) straight[t].push_back(static_cast<uint32_t>(newest[schedule.queue[t]]));
      newest[schedule.queue[t]] = t;
      for (const uint32_t f : straight[t]) {
        for (size_t w = 0; w < words_; ++w) bits_[t * words_ + w] |= bits_[f * words_ + w];
        bits_[t * words_ + f / 64] |= uint64_t{1} << (f % 64);
      }
    }
  }
  bool ordered(uint32_t a, uint32_t b) const { return has(a, b) || has(b, a); }

 private:
  bool has(uint32_t of, uint32_t earlier) const { return bits_[of * words_ + earlier / 64] >> (earlier % 64) & 1; }
  size_t words_;
  std::vector<uint64_t> bits_;
};

struct Use {
  Touch touch;
  uint32_t task;
};

} // namespace

std::optional<Race> find_race(const std::vector<std::vector<Touch>>& touches, const StreamSchedule& schedule, const std::vector<StreamEvent>& events) {
  const Past past(schedule, events);
  std::vector<Use> uses;
  for (uint32_t t = 0; t < touches.size(); ++t)
    for (const Touch& touch : touches[t])
      if (touch.begin < touch.end) uses.push_back({touch, t});
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.touch.begin < b.touch.begin; });
  std::vector<Use> open; // those that reach to the current byte
  for (const Use& use : uses) {
    std::erase_if(open, [&](const Use& o) { return o.touch.end <= use.touch.begin; });
    for (const Use& o : open)
      if (o.task != use.task && (o.touch.write || use.touch.write) && !past.ordered(o.task, use.task)) return Race{o.task, use.task, use.touch.begin};
    open.push_back(use);
  }
  return std::nullopt;
}

} // namespace cutaway::plan
