#pragma once
#include "ir/graph.h"

#include <string>
#include <vector>

namespace cutaway::driver {

// How people read the nodes of a model: a short name, and the path of name scopes that it stands in.
struct NodeName {
  std::string name;  // "conv1"
  std::string scope; // "layer1/layer1.0"; empty: the model itself
};

// By origin id; empty for derived origins. Exporters write "layer1.0.conv1/Conv" (PyTorch) or "model/block/Relu;..."
// (TensorFlow): path segments between slashes, and module paths with dots in the first. A scope that would hold one node
// is not made: its name goes to the node. No scope is the whole model either. A scope that would hold more than 48 nodes of its own is cut into parts ("part 3") of 10
// to 30 where the fewest values cross, and many parts into sections.
std::vector<NodeName> node_names(const Graph& graph);

} // namespace cutaway::driver
