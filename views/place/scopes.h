#pragma once
#include "place/place.h"

#include <unordered_map>

namespace cutaway::views {

// The name scopes that the compiled program's ops and kernels stand in: "layer1/layer1.0". A kernel's is that of its
// contraction, else of its first op.
class Scopes {
 public:
  explicit Scopes(const trace::Trace& trace);
  QString of(const Entity& entity) const;

 private:
  trace::GraphDoc graph_;
  std::unordered_map<GroupId, const trace::GraphNode*> kernels_;
};

} // namespace cutaway::views
