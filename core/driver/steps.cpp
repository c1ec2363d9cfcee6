#include "driver/steps.h"

#include "base/check.h"
#include "ir/edit.h"

#include <algorithm>

namespace cutaway::driver {

Steps::Steps(const Graph& last, const std::vector<Event>& events) : events_(events), spacing_(std::max<size_t>(256, (events.size() + 31) / 32)) {
  Graph g = last;
  keyframes_.resize(events.size() / spacing_ + 1);
  for (size_t i = events.size();; --i) {
    if (i % spacing_ == 0) keyframes_[i / spacing_] = std::make_shared<const Graph>(g);
    if (i == 0) break;
    undo(g, events[i - 1]);
  }
}

Graph Steps::at(size_t count) const {
  CUTAWAY_CHECK(count <= events_.size(), "there are " + std::to_string(events_.size()) + " steps");
  Graph g = *keyframes_[count / spacing_];
  for (size_t i = count / spacing_ * spacing_; i < count; ++i) replay(g, events_[i]);
  return g;
}

} // namespace cutaway::driver
