#include "import/onnx/lowerer.h"

#include <algorithm>
#include <unordered_map>

namespace cutaway::onnx {
namespace {

void lower_constant(OpContext& c) {
  if (auto t = c.attr_tensor("value")) {
    if (t->dtype() == DType::string) return c.defer(BreakCause::element_type, "strings live on the eager path");
    return c.out(0, c.constant(*t));
  }
  if (c.has_attr("value_float")) return c.out(0, c.scalar(c.attr_f("value_float", 0), DType::f32));
  if (c.has_attr("value_int")) return c.out(0, c.scalar_i64(c.attr_i("value_int", 0)));
  if (c.has_attr("value_ints")) return c.out(0, c.vector_i64(c.attr_ints("value_ints")));
  if (c.has_attr("value_floats")) {
    const auto v = c.attr_floats("value_floats");
    return c.out(0, c.constant(Tensor::of<float>(DType::f32, {static_cast<int64_t>(v.size())}, v)));
  }
  if (c.ok()) c.defer(BreakCause::element_type, "the constant is neither a tensor nor numbers");
}

void lower_identity(OpContext& c) { c.out(0, c.in(0)); }

// A branch is inlined where the condition is known; otherwise the host decides, and the next segment knows.
void lower_if(OpContext& c) {
  const auto condition = c.maybe_known(c.in(0));
  if (!c.ok()) return;
  if (!condition) return c.defer(BreakCause::control_flow, "the branch depends on '" + c.node.inputs[0] + "', which is computed");
  if (condition->count() != 1) return c.bad("the condition has " + std::to_string(condition->count()) + " elements, it must have one");
  const char* name = condition->as_int(0) ? "then_branch" : "else_branch";
  const Attribute* branch = c.node.attribute(name);
  if (!branch || branch->graphs.empty()) return c.bad(std::string("attribute '") + name + "' is missing");
  const Graph& graph = *branch->graphs[0];
  if (graph.outputs.size() < c.node.outputs.size()) return c.bad(std::string(name) + " gives fewer results than the node");
  Program::Body body{&graph.nodes, &graph.initializers, {}, {}, (c.node.outputs.empty() ? "" : c.node.outputs[0]) + "/" + name + "/"};
  auto nodes = c.lowerer().program().inline_body(body, c.work().opsets);
  for (size_t i = 0; i < c.node.outputs.size(); ++i) {
    if (c.node.outputs[i].empty()) continue;
    const std::string& inner = graph.outputs[i].name;
    const bool own = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& n) { return std::count(n.outputs.begin(), n.outputs.end(), inner); }) ||
                     std::any_of(graph.initializers.begin(), graph.initializers.end(), [&](const TensorData& t) { return t.name == inner; });
    auto identity = std::make_shared<Node>();
    identity->op_type = "Identity";
    identity->name = c.node.name;
    identity->inputs = {own ? body.prefix + inner : inner};
    identity->outputs = {c.node.outputs[i]};
    nodes.push_back({identity, c.work().opsets});
  }
  c.lowerer().push_front(std::move(nodes));
}

void lower_host_loop(OpContext& c) { c.defer(BreakCause::control_flow, c.node.op_type + " runs on the host"); }

} // namespace

std::vector<LoweringRow> control_rows() {
  return {{"Constant", lower_constant}, {"Identity", lower_identity}, {"If", lower_if}, {"Loop", lower_host_loop}, {"Scan", lower_host_loop}};
}

std::vector<LoweringRow> all_lowerings() {
  std::vector<LoweringRow> rows;
  for (auto* family : {control_rows, elementwise_rows, reduction_rows, normalization_rows, movement_rows, indexing_rows,
                       contraction_rows, pooling_rows, quantization_rows, recurrent_rows})
    for (const LoweringRow& row : family()) rows.push_back(row);
  std::sort(rows.begin(), rows.end(), [](const LoweringRow& a, const LoweringRow& b) {
    const std::string_view x = a.op, y = b.op;
    return x != y ? x < y : std::string_view(a.domain) < b.domain;
  });
  return rows;
}

LowerFn find_lowering(const std::string& domain, const std::string& op) {
  static const auto index = [] {
    std::unordered_map<std::string, LowerFn> map;
    for (const LoweringRow& row : all_lowerings()) map[std::string(row.domain) + ":" + row.op] = row.lower;
    return map;
  }();
  const auto it = index.find(domain + ":" + op);
  return it == index.end() ? nullptr : it->second;
}

} // namespace cutaway::onnx
