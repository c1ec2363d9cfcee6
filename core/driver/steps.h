#pragma once
#include "base/journal.h"
#include "ir/graph.h"

#include <memory>

namespace cutaway::driver {

// The graph at any step of a compile: the journal's events as deltas, with whole graphs (keyframes) between them. At most
// 32 keyframes, so that 10,000 nodes and 50,000 steps stay far under 500 MB; a seek copies one keyframe and applies at most
// a spacing of events.
class Steps {
 public:
  // `last`: the graph after all events. The events must outlive this object.
  Steps(const Graph& last, const std::vector<Event>& events);

  size_t size() const { return events_.size(); }
  size_t spacing() const { return spacing_; }
  const Event& event(size_t i) const { return events_[i]; }
  // The graph after the first `count` events; 0: as imported.
  Graph at(size_t count) const;

 private:
  const std::vector<Event>& events_;
  size_t spacing_;
  std::vector<std::shared_ptr<const Graph>> keyframes_; // after 0, spacing, 2 * spacing, ... events
};

} // namespace cutaway::driver
