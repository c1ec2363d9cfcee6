#pragma once
#include "backend/cuda/sim/launch.h"

#include <functional>

namespace cutaway::cuda::sim {

// One operation of the device.
struct Work {
  Unit unit = Unit::none;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL; // as a node of a graph
  Note note;
  std::shared_ptr<const Launch> launch; // of a kernel
  std::function<DeviceFault()> run;     // of anything else
};

} // namespace cutaway::cuda::sim
