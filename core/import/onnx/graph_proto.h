#pragma once
#include "import/onnx/context.h"
#include "import/onnx/scope.h"

namespace cutaway::onnx {

// Reads a GraphProto with everything under it, checks its names and sorts its nodes (scope.h). Names that it reads and
// does not give go to `free`.
Graph read_graph(Message message, Context& context, std::vector<FreeName>& free);

// A node list in the making, with what its subgraphs leave to the scope around them.
struct NodeList {
  std::vector<Node> nodes;
  std::unordered_map<uint32_t, std::vector<FreeName>> captures;
};
void read_node(Message message, Context& context, NodeList& list);
// What a graph in the attribute reads and does not give goes to `free`.
Attribute read_attribute(Message message, Context& context, std::vector<FreeName>& free);

ValueInfo read_value_info(Message message, Context& context);
void read_property(Message message, Context& context, Properties& out);
// "ai.onnx" is "".
std::string read_domain(Message& message);

} // namespace cutaway::onnx
