#pragma once
#include "place/place.h"

#include <unordered_map>

namespace cutaway::views {

// Where the compiled program's ops and kernels stand.
class Scopes {
 public:
  explicit Scopes(const trace::Trace& trace);
  // The name scopes: "layer1/layer1.0". A kernel's are those of its contraction, else of its first op.
  QString of(const Entity& entity) const;
  // The kernel that runs an op; any other entity is given back.
  Entity kernelOf(const Entity& entity) const;

 private:
  trace::GraphDoc graph_;
  std::unordered_map<GroupId, const trace::GraphNode*> kernels_;
};

} // namespace cutaway::views
