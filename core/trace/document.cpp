#include "trace/document.h"

#include "base/check.h"

namespace cutaway::trace {

Trace::Trace(GraphDoc first, std::vector<Step> steps, std::vector<Pass> passes, std::vector<Panel> panels)
    : steps_(std::move(steps)), passes_(std::move(passes)), panels_(std::move(panels)) {
  GraphDoc graph = std::move(first);
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    if (i > 0)
      for (const Edit& edit : steps_[i].edits) graph.apply(edit);
    if (i % spacing == 0) keyframes_.push_back(graph);
  }
}

GraphDoc Trace::at(uint32_t step) const {
  CUTAWAY_CHECK(step < steps_.size(), "there are " + std::to_string(steps_.size()) + " steps");
  GraphDoc graph = keyframes_[step / spacing];
  for (uint32_t i = step / spacing * spacing + 1; i <= step; ++i)
    for (const Edit& edit : steps_[i].edits) graph.apply(edit);
  return graph;
}

} // namespace cutaway::trace
