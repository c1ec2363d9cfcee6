#include "import/onnx/model.h"

#include "import/onnx/wire.h"

#include <algorithm>

namespace cutaway::onnx {

const char* attribute_kind_name(Attribute::Kind kind) {
  constexpr const char* names[] = {"undefined",      "float",      "int",        "string",  "tensor", "graph",
                                   "floats",         "ints",       "strings",    "tensors", "graphs", "sparse_tensor",
                                   "sparse_tensors", "type_proto", "type_protos"};
  return names[static_cast<int>(kind)];
}

const Attribute* Node::attribute(const std::string& attribute_name) const {
  const auto at =
      std::find_if(attributes.begin(), attributes.end(), [&](const Attribute& a) { return a.name == attribute_name; });
  return at == attributes.end() ? nullptr : &*at;
}

std::string Node::label() const {
  std::string text = name.empty() ? "node #" + std::to_string(index) : "node " + quote(name);
  if (op_type.empty()) return text;
  const std::string shown = quote(domain.empty() ? op_type : domain + "::" + op_type);
  return text + " (" + shown.substr(1, shown.size() - 2) + ")";
}

const FunctionDef* Model::function(const Node& node) const {
  const auto at = std::find_if(functions.begin(), functions.end(), [&](const FunctionDef& f) {
    return f.name == node.op_type && f.domain == node.domain && f.overload == node.overload;
  });
  return at == functions.end() ? nullptr : &*at;
}

std::string type_text(const ValueType& type) {
  using Kind = ValueType::Kind;
  const auto inside = [&] { return "(" + (type.element ? type_text(*type.element) : std::string("?")) + ")"; };
  const std::string dtype = type.dtype ? dtype_name(*type.dtype) : "?";
  switch (type.kind) {
  case Kind::unknown: return "?";
  case Kind::opaque: return "opaque";
  case Kind::sequence: return "seq" + inside();
  case Kind::optional: return "optional" + inside();
  case Kind::map: return "map(" + dtype + ", " + (type.element ? type_text(*type.element) : "?") + ")";
  case Kind::tensor:
  case Kind::sparse_tensor: break;
  }
  std::string text = (type.kind == Kind::sparse_tensor ? "sparse " : "") + dtype;
  if (!type.shape) return text + "[...]";
  text += "[";
  for (size_t i = 0; i < type.shape->size(); ++i) {
    const DimSpec& dim = (*type.shape)[i];
    if (i) text += ", ";
    text += dim.kind == DimSpec::Kind::value   ? std::to_string(dim.value)
            : dim.kind == DimSpec::Kind::param ? dim.param
                                               : "?";
  }
  return text + "]";
}

std::string summary(const Model& model) {
  std::string text = "ir " + std::to_string(model.ir_version);
  for (const auto& [domain, version] : model.opsets)
    text += ", " + (domain.empty() ? "ai.onnx" : domain) + " " + std::to_string(version);
  const Graph& graph = model.graph;
  text += "\n" + std::to_string(graph.nodes.size()) + " nodes, " +
          std::to_string(graph.initializers.size() + graph.sparse_initializers.size()) + " initializers, " +
          std::to_string(model.functions.size()) + " functions\n";
  for (const ValueInfo& value : graph.inputs) text += "input " + value.name + ": " + type_text(value.type) + "\n";
  for (const ValueInfo& value : graph.outputs) text += "output " + value.name + ": " + type_text(value.type) + "\n";
  std::map<std::string, int> ops;
  for (const Node& node : graph.nodes) ++ops[node.domain.empty() ? node.op_type : node.domain + "::" + node.op_type];
  for (const auto& [op, count] : ops) text += op + " " + std::to_string(count) + "\n";
  return text;
}

} // namespace cutaway::onnx
