#include "import/onnx/function_proto.h"

#include "import/onnx/graph_proto.h"

#include <algorithm>
#include <tuple>

namespace cutaway::onnx {

namespace {

std::string function_label(const FunctionDef& f) {
  return "function " +
         quote((f.domain.empty() ? "" : f.domain + "::") + f.name + (f.overload.empty() ? "" : ":" + f.overload));
}

void read_field(Message& m, Context& context, FunctionDef& f, NodeList& list, std::vector<FreeName>& free) {
  switch (m.field()) {
  case 1: f.name = m.name("a function's name"); break;
  case 4: f.inputs.push_back(m.name("an input's name")), context.charge_structs(64); break;
  case 5: f.outputs.push_back(m.name("an output's name")), context.charge_structs(64); break;
  case 6: f.attributes.push_back(m.name("an attribute's name")), context.charge_structs(64); break;
  case 7: read_node(m.message(), context, list); break;
  case 9: read_opset(m.message(), f.opsets); break;
  case 10: f.domain = read_domain(m); break;
  case 11: f.attribute_defaults.push_back(read_attribute(m.message(), context, free)); break;
  case 12: f.value_info.push_back(read_value_info(m.message(), context)); break;
  case 13: f.overload = m.name("an overload's name"); break;
  default: m.skip();
  }
}

using Reference = std::pair<std::string, std::string>;

void check_references(const FunctionDef& f, const std::vector<Reference>& references) {
  std::vector<std::string_view> known(f.attributes.begin(), f.attributes.end());
  for (const Attribute& a : f.attribute_defaults) known.push_back(a.name);
  std::sort(known.begin(), known.end());
  const auto twice = std::adjacent_find(known.begin(), known.end());
  if (twice != known.end()) refuse(invalid_model("", "the function has two attributes called " + quote(*twice)));
  for (const auto& [place, name] : references) {
    if (!std::binary_search(known.begin(), known.end(), std::string_view(name)))
      refuse(invalid_model(place, "it refers to attribute " + quote(name) + ", which the function has not"));
  }
}

void check_body(FunctionDef& f, const NodeList& list, std::vector<FreeName>& free, Context& context) {
  Scope scope;
  scope.label = "the function";
  scope.inputs.assign(f.inputs.begin(), f.inputs.end());
  scope.outputs.assign(f.outputs.begin(), f.outputs.end());
  scope.nodes = &f.nodes;
  scope.captures = &list.captures;
  if (check_scope(scope, free))
    context.warn("the nodes of " + function_label(f) + " were not in order; they have been sorted");
  refuse_free(free);
}

using ByKey = std::map<std::tuple<std::string, std::string, std::string>, size_t>;

// Collects the functions that a node list calls, subgraphs too (their depth is limited).
void collect_calls(const ByKey& by_key, const std::vector<Node>& nodes, std::vector<size_t>& calls) {
  for (const Node& node : nodes) {
    const auto at = by_key.find({node.domain, node.op_type, node.overload});
    if (at != by_key.end()) calls.push_back(at->second);
    for (const Attribute& a : node.attributes)
      for (const auto& graph : a.graphs) collect_calls(by_key, graph->nodes, calls);
  }
}

} // namespace

FunctionDef read_function(Message message, Context& context) {
  FunctionDef f;
  std::vector<Reference> references;
  context.references = &references;
  const auto label = [&] { return function_label(f); };
  within(label, [&] {
    NodeList list;
    std::vector<FreeName> free;
    while (message.next()) read_field(message, context, f, list, free);
    if (f.name.empty()) refuse(invalid_model("", "the function has no name"));
    f.nodes = std::move(list.nodes);
    check_body(f, list, free, context);
    check_references(f, references);
    context.charge_structs(sizeof(FunctionDef));
  });
  context.references = nullptr;
  return f;
}

void read_opset(Message message, Opsets& out) {
  std::string domain;
  int64_t version = 0;
  while (message.next()) {
    switch (message.field()) {
    case 1: domain = read_domain(message); break;
    case 2: version = message.integer(); break;
    default: message.skip();
    }
  }
  const std::string label = "the import of operator set " + quote(domain.empty() ? "ai.onnx" : domain);
  if (version <= 0) refuse(invalid_model(label, "its version is " + std::to_string(version)));
  const auto [at, fresh] = out.emplace(domain, version);
  if (!fresh && at->second != version)
    refuse(invalid_model(label, "it comes twice, as versions " + std::to_string(at->second) + " and " +
                                    std::to_string(version)));
}

void check_functions(const Model& model) {
  const size_t n = model.functions.size();
  ByKey by_key;
  for (size_t i = 0; i < n; ++i) {
    const FunctionDef& f = model.functions[i];
    if (!by_key.emplace(std::tuple(f.domain, f.name, f.overload), i).second)
      refuse(invalid_model(function_label(f), "the model has two functions of this name", "remove one of the two"));
  }
  // Take away functions that call none that is left, until all are gone or the rest is a circle.
  std::vector<std::vector<size_t>> callers(n);
  std::vector<size_t> open(n, 0), ready;
  for (size_t i = 0; i < n; ++i) {
    std::vector<size_t> calls;
    collect_calls(by_key, model.functions[i].nodes, calls);
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    open[i] = calls.size();
    for (size_t callee : calls) callers[callee].push_back(i);
    if (calls.empty()) ready.push_back(i);
  }
  size_t done = 0;
  for (; !ready.empty(); ++done) {
    const size_t f = ready.back();
    ready.pop_back();
    for (size_t caller : callers[f])
      if (--open[caller] == 0) ready.push_back(caller);
  }
  for (size_t i = 0; done < n && i < n; ++i) {
    if (open[i])
      refuse(invalid_model(function_label(model.functions[i]),
                           "it calls itself, directly or through functions that it calls",
                           "functions must not be recursive; use Loop or Scan"));
  }
}

} // namespace cutaway::onnx
