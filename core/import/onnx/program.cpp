#include "import/onnx/lowerer.h"

#include <algorithm>

namespace cutaway::onnx {
namespace {

// Renames the names that a body reads and defines, in its subgraphs too; a subgraph's own names shadow.
class Renamer {
 public:
  Renamer(std::map<std::string, std::string> names, const std::map<std::string, const Attribute*>& attributes)
      : names_(std::move(names)), attributes_(attributes) {}

  Node copy(const Node& node) const {
    Node out = node;
    for (std::string& name : out.inputs) name = map(name);
    for (std::string& name : out.outputs) name = map(name);
    std::vector<Attribute> kept;
    for (Attribute& a : out.attributes) {
      if (!a.ref_attr_name.empty()) {
        const auto it = attributes_.find(a.ref_attr_name);
        if (it == attributes_.end()) continue; // not given by the caller and without a default: left out
        const std::string name = a.name;
        a = *it->second;
        a.name = name;
      }
      for (auto& graph : a.graphs) graph = std::make_shared<const Graph>(copy(*graph));
      kept.push_back(std::move(a));
    }
    out.attributes = std::move(kept);
    return out;
  }

 private:
  std::string map(const std::string& name) const {
    const auto it = names_.find(name);
    return it == names_.end() ? name : it->second;
  }

  Graph copy(const Graph& graph) const {
    auto names = names_;
    for (const ValueInfo& v : graph.inputs) names.erase(v.name);
    for (const TensorData& t : graph.initializers) names.erase(t.name);
    for (const Node& n : graph.nodes)
      for (const std::string& name : n.outputs) names.erase(name);
    const Renamer inner(std::move(names), attributes_);
    Graph out = graph;
    for (Node& n : out.nodes) n = inner.copy(n);
    for (ValueInfo& v : out.outputs) v.name = inner.map(v.name);
    return out;
  }

  std::map<std::string, std::string> names_;
  const std::map<std::string, const Attribute*>& attributes_;
};

void free_names(const Graph& graph, std::set<std::string> bound, std::vector<std::string>& out);

void free_names(const Node& node, const std::set<std::string>& bound, std::vector<std::string>& out) {
  for (const std::string& name : node.inputs)
    if (!name.empty() && !bound.count(name)) out.push_back(name);
  for (const Attribute& a : node.attributes)
    for (const auto& graph : a.graphs) free_names(*graph, bound, out);
}

// Depth is bounded by the reader's limit on nested graphs.
void free_names(const Graph& graph, std::set<std::string> bound, std::vector<std::string>& out) {
  for (const ValueInfo& v : graph.inputs) bound.insert(v.name);
  for (const TensorData& t : graph.initializers) bound.insert(t.name);
  for (const Node& n : graph.nodes) {
    free_names(n, bound, out);
    bound.insert(n.outputs.begin(), n.outputs.end());
  }
  for (const ValueInfo& v : graph.outputs)
    if (!bound.count(v.name)) out.push_back(v.name);
}

} // namespace

const char* break_cause_name(BreakCause cause) {
  switch (cause) {
  case BreakCause::unknown_op: return "unknown-op";
  case BreakCause::data_dependent: return "data-dependent";
  case BreakCause::control_flow: return "control-flow";
  case BreakCause::element_type: return "element-type";
  }
  return "unknown-op";
}

std::vector<std::string> names_read(const Node& node) {
  std::vector<std::string> out;
  free_names(node, {}, out);
  return out;
}

Program::Program(std::shared_ptr<const Model> model) : model_(std::move(model)) {
  opsets_ = std::make_shared<const Opsets>(model_->opsets);
  std::set<std::string> inputs;
  for (const ValueInfo& v : model_->graph.inputs) inputs.insert(v.name);
  for (const TensorData& t : model_->graph.initializers) {
    if (!t.unreadable.empty()) unreadable_[t.name] = t.unreadable;
    else constants_[t.name] = t.tensor;
  }
  for (const SparseTensorData& t : model_->graph.sparse_initializers)
    unreadable_[t.values.name] = "sparse tensors are not read yet";
}

std::vector<WorkNode> Program::nodes() const {
  std::vector<WorkNode> out;
  // The nodes stay owned by the model.
  for (const Node& n : model_->graph.nodes) out.push_back({std::shared_ptr<const Node>(model_, &n), opsets_});
  return out;
}

const Tensor* Program::constant(const std::string& name) const {
  const auto it = constants_.find(name);
  return it == constants_.end() ? nullptr : &it->second;
}

std::string Program::unreadable(const std::string& name) const {
  const auto it = unreadable_.find(name);
  return it == unreadable_.end() ? "" : it->second;
}

Result<Segment> Program::lower(const std::vector<WorkNode>& nodes, const Env& env, const std::vector<std::string>& wanted) {
  return Lowerer(*this, env).run(nodes, wanted);
}

std::vector<WorkNode> Program::inline_body(const Body& body, std::shared_ptr<const Opsets> opsets) {
  auto names = body.rename;
  for (const Node& n : *body.nodes)
    for (const std::string& name : n.outputs)
      if (!name.empty()) names.try_emplace(name, body.prefix + name);
  if (body.initializers)
    for (const TensorData& t : *body.initializers) {
      const std::string renamed = names.try_emplace(t.name, body.prefix + t.name).first->second;
      if (t.unreadable.empty()) constants_[renamed] = t.tensor;
      else unreadable_[renamed] = t.unreadable;
    }
  const Renamer renamer(std::move(names), body.attributes);
  std::vector<WorkNode> out;
  for (const Node& n : *body.nodes) out.push_back({std::make_shared<const Node>(renamer.copy(n)), opsets});
  return out;
}

} // namespace cutaway::onnx
