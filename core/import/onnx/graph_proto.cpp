#include "import/onnx/graph_proto.h"

#include "import/onnx/tensor_proto.h"
#include "import/onnx/type_proto.h"

#include <algorithm>

namespace cutaway::onnx {

namespace {

void read_field(Message& m, Context& context, Graph& graph, NodeList& list) {
  switch (m.field()) {
  case 1: read_node(m.message(), context, list); break;
  case 2: graph.name = m.name("a graph's name"); break;
  case 5: graph.initializers.push_back(read_tensor(m.message(), context, "initializer")); break;
  case 11: graph.inputs.push_back(read_value_info(m.message(), context)); break;
  case 12: graph.outputs.push_back(read_value_info(m.message(), context)); break;
  case 13: graph.value_info.push_back(read_value_info(m.message(), context)); break;
  case 15: graph.sparse_initializers.push_back(read_sparse_tensor(m.message(), context)); break;
  case 16: read_property(m.message(), context, graph.metadata); break;
  default: m.skip();
  }
}

bool check_names(Graph& graph, const NodeList& list, std::vector<FreeName>& free) {
  Scope scope;
  scope.label = graph.name.empty() ? "the graph" : "graph " + quote(graph.name);
  for (const ValueInfo& value : graph.inputs) scope.inputs.push_back(value.name);
  for (const ValueInfo& value : graph.outputs) scope.outputs.push_back(value.name);
  for (const TensorData& tensor : graph.initializers) scope.initializers.push_back(tensor.name);
  for (const SparseTensorData& tensor : graph.sparse_initializers) scope.initializers.push_back(tensor.values.name);
  scope.nodes = &graph.nodes;
  scope.captures = &list.captures;
  if (graph.outputs.empty())
    refuse(invalid_model(scope.label, "it has no outputs", "name the values to compute as outputs"));
  return check_scope(scope, free);
}

} // namespace

Graph read_graph(Message message, Context& context, std::vector<FreeName>& free) {
  const Level level(context.graph_depth);
  if (context.graph_depth > max_graph_depth)
    refuse(over_limit("", "graphs are nested more than " + std::to_string(max_graph_depth) + " deep",
                      "flatten the model's branches and loops"));
  context.charge_structs(sizeof(Graph));
  Graph graph;
  NodeList list;
  while (message.next()) read_field(message, context, graph, list);
  graph.nodes = std::move(list.nodes);
  if (check_names(graph, list, free))
    context.warn("the nodes of graph " + quote(graph.name) + " were not in order; they have been sorted");
  return graph;
}

void read_node(Message message, Context& context, NodeList& list) {
  Node node;
  node.index = static_cast<uint32_t>(list.nodes.size());
  std::vector<FreeName> free;
  const auto label = [&] { return node.label(); };
  within(label, [&] {
    while (message.next()) {
      switch (message.field()) {
      case 1: node.inputs.push_back(message.name("an input's name")); break;
      case 2: node.outputs.push_back(message.name("an output's name")); break;
      case 3: node.name = message.name("a node's name"); break;
      case 4: node.op_type = message.name("an operator's name"); break;
      case 5:
        if (node.attributes.size() == max_attributes_per_node)
          refuse(over_limit("", "the node has more than " + std::to_string(max_attributes_per_node) + " attributes"));
        node.attributes.push_back(read_attribute(message.message(), context, free));
        break;
      case 7: node.domain = read_domain(message); break;
      case 8: node.overload = message.name("an overload's name"); break;
      case 9: read_property(message.message(), context, node.metadata); break;
      default: message.skip();
      }
    }
    if (node.op_type.empty()) refuse(invalid_model("", "the node names no operator", "export the model again"));
    for (size_t i = 0; i < node.attributes.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (node.attributes[i].name == node.attributes[k].name)
          refuse(invalid_model("", "the node has two attributes called " + quote(node.attributes[i].name),
                               "remove one of the two"));
    size_t bytes = sizeof(Node) + (node.inputs.size() + node.outputs.size()) * (sizeof(std::string) + 32);
    for (const std::string& name : node.inputs) bytes += name.size();
    for (const std::string& name : node.outputs) bytes += name.size();
    context.charge_structs(bytes);
  });
  if (node.domain.empty() && context.default_domain_user.empty()) context.default_domain_user = node.label();
  context.charge_structs(free.size() * 2 * sizeof(FreeName));
  if (!free.empty()) list.captures.emplace(node.index, std::move(free));
  list.nodes.push_back(std::move(node));
}

ValueInfo read_value_info(Message message, Context& context) {
  ValueInfo value;
  const auto label = [&] { return value.name.empty() ? std::string() : "value " + quote(value.name); };
  within(label, [&] {
    while (message.next()) {
      switch (message.field()) {
      case 1: value.name = message.name("a value's name"); break;
      case 2: value.type = read_type(message.message(), context); break;
      default: message.skip();
      }
    }
    context.charge_structs(sizeof(ValueInfo) + value.name.size());
  });
  return value;
}

void read_property(Message message, Context& context, Properties& out) {
  std::pair<std::string, std::string> entry;
  while (message.next()) {
    switch (message.field()) {
    case 1: entry.first = message.text(); break;
    case 2: entry.second = message.text(); break;
    default: message.skip();
    }
  }
  context.charge_structs(sizeof(entry) + entry.first.size() + entry.second.size());
  out.push_back(std::move(entry));
}

std::string read_domain(Message& message) {
  std::string domain = message.name("a domain's name");
  return domain == "ai.onnx" ? std::string() : domain;
}

} // namespace cutaway::onnx
