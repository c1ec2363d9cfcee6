#include "import/onnx/lowerer.h"

#include "ir/eval.h"

#include <algorithm>

namespace cutaway::onnx {
namespace {

// A value is followed while lowering only up to this many elements: shapes, axes, scales, masks of shape arithmetic.
constexpr int64_t known_limit = 1 << 14;
// An input of the model may be specialised on when it is a whole-number scalar or vector up to this length.
constexpr int64_t grant_limit = 16;
// Inlining stops here: a model whose functions unfold into more is a bomb.
constexpr size_t expansion_limit = 2'000'000;

bool small(const Type& t, int64_t limit) {
  const Dim n = element_count(t.shape);
  return n.is_const() && n.value() <= limit;
}

// The opset of a node's domain; 1 where the model names none.
int64_t opset_of(const WorkNode& work) {
  const auto it = work.opsets->find(work.node->domain);
  return it == work.opsets->end() ? 1 : it->second;
}

} // namespace

Lowerer::Lowerer(Program& program, const Env& env) : program_(program), env_(env), builder_(segment_.graph) {
  segment_.graph.name = program.model().graph.name;
}

Result<Segment> Lowerer::run(const std::vector<WorkNode>& nodes, const std::vector<std::string>& wanted) {
  work_.assign(nodes.begin(), nodes.end());
  while (!work_.empty()) {
    const WorkNode work = std::move(work_.front());
    work_.pop_front();
    if (Status s = step(work); !s) return s.error();
  }
  finish(wanted);
  return std::move(segment_);
}

Status Lowerer::step(const WorkNode& work) {
  const Node& node = *work.node;
  for (const std::string& name : names_read(node)) {
    if (waiting_.count(name)) return defer(work, BreakCause::data_dependent, "it waits for '" + name + "'", false), Status{};
    const std::string why = program_.unreadable(name);
    if (!why.empty()) return unsupported(node.label(), "constant '" + name + "' cannot be used: " + why);
  }
  const FunctionDef* function = program_.model().function(node);
  if (function) return expand_function(work, *function);
  const LowerFn lower = find_lowering(node.domain, node.op_type);
  if (!lower) {
    const std::string domain = node.domain.empty() ? "ai.onnx" : node.domain;
    return defer(work, BreakCause::unknown_op, "no lowering for " + node.op_type + " of domain " + domain, true), Status{};
  }
  builder_.set_origin(builder_.origin({node.name.empty() ? (node.outputs.empty() ? node.op_type : node.outputs[0]) : node.name, node.op_type, {}}));
  OpContext context(*this, work);
  context.opset = opset_of(work);
  lower(context);
  if (context.error()) return *context.error();
  if (context.deferral()) defer(work, context.deferral()->cause, context.deferral()->reason, true);
  return {};
}

Status Lowerer::expand_function(const WorkNode& work, const FunctionDef& function) {
  const Node& node = *work.node;
  Program::Body body{&function.nodes, nullptr, {}, {}, (node.outputs.empty() ? node.name : node.outputs[0]) + "/" + function.name + "/"};
  for (size_t i = 0; i < function.inputs.size(); ++i) body.rename[function.inputs[i]] = i < node.inputs.size() ? node.inputs[i] : "";
  std::map<std::string, std::string> results;
  for (size_t i = 0; i < function.outputs.size() && i < node.outputs.size(); ++i) {
    const std::string& inner = function.outputs[i];
    if (node.outputs[i].empty()) continue;
    if (!body.rename.count(inner)) body.rename[inner] = node.outputs[i];
    else results[node.outputs[i]] = body.rename[inner];
  }
  for (const Attribute& a : function.attribute_defaults) body.attributes[a.name] = &a;
  for (const Attribute& a : node.attributes) body.attributes[a.name] = &a;
  auto opsets = function.opsets.empty() ? work.opsets : std::make_shared<const Opsets>(function.opsets);
  auto nodes = program_.inline_body(body, opsets);
  for (const auto& [outer, inner] : results) {
    auto identity = std::make_shared<Node>();
    identity->op_type = "Identity";
    identity->inputs = {inner};
    identity->outputs = {outer};
    nodes.push_back({identity, opsets});
  }
  expanded_ += nodes.size();
  if (expanded_ > expansion_limit) return over_limit(node.label(), "the model's functions unfold into more than 2,000,000 nodes");
  push_front(std::move(nodes));
  return {};
}

void Lowerer::push_front(std::vector<WorkNode> nodes) {
  work_.insert(work_.begin(), std::make_move_iterator(nodes.begin()), std::make_move_iterator(nodes.end()));
}

void Lowerer::defer(const WorkNode& work, BreakCause cause, std::string reason, bool first) {
  for (const std::string& name : work.node->outputs)
    if (!name.empty()) waiting_.insert(name);
  segment_.rest.push_back({work, cause, std::move(reason), first});
}

ValueId Lowerer::value(const std::string& name) {
  if (const auto it = values_.find(name); it != values_.end()) return it->second;
  ValueId v;
  if (const auto it = env_.find(name); it != env_.end()) {
    v = builder_.param(name, it->second.type);
    segment_.inputs.push_back(name);
  } else if (const Tensor* t = program_.constant(name)) {
    v = builder_.constant(*t, name);
  } else {
    return {};
  }
  values_[name] = v;
  return v;
}

void Lowerer::define(const std::string& name, ValueId v) {
  values_[name] = v;
  defined_.insert(name);
  if (segment_.graph.value(v).name.empty()) builder_.name(v, name);
}

std::optional<Tensor> Lowerer::known(ValueId target) {
  // Depth first over the producers, without recursion: a value is evaluated when all its inputs have been looked at.
  std::vector<ValueId> stack{target};
  const cutaway::Graph& g = segment_.graph;
  while (!stack.empty()) {
    const ValueId v = stack.back();
    if (known_.count(v.v)) {
      stack.pop_back();
      continue;
    }
    const cutaway::Node& n = g.producer(v);
    const bool leaf = n.op == Op::param || n.op == Op::constant || n.inputs.empty();
    const bool follow = leaf || (n.op != Op::call_fallback && small(g.type(v), known_limit));
    bool ready = true, hopeless = !follow;
    if (follow && !leaf)
      for (ValueId in : n.inputs) {
        const auto it = known_.find(in.v);
        if (it == known_.end()) {
          if (ready) stack.push_back(in);
          ready = false;
          break;
        }
        if (!it->second) hopeless = true;
      }
    if (hopeless) known_[v.v] = std::nullopt;
    else if (ready) known_[v.v] = evaluate(v);
  }
  return known_[target.v];
}

std::optional<Tensor> Lowerer::evaluate(ValueId v) {
  const cutaway::Graph& g = segment_.graph;
  const cutaway::Node& n = g.producer(v);
  if (n.op == Op::constant) return n.attrs.tensor("data");
  if (n.op == Op::param) return granted(n);
  if (!is_static(g.type(v).shape) || !small(g.type(v), known_limit)) return std::nullopt;
  std::vector<Tensor> inputs;
  for (ValueId in : n.inputs) inputs.push_back(*known_[in.v]);
  std::vector<Type> outputs;
  for (ValueId out : n.outputs) outputs.push_back(g.type(out));
  auto results = eval(n.op, n.attrs, inputs, outputs);
  if (!results) return std::nullopt;
  for (size_t i = 0; i < n.outputs.size(); ++i) known_[n.outputs[i].v] = (*results)[i];
  return (*results)[g.value(v).output];
}

std::optional<Tensor> Lowerer::granted(const cutaway::Node& param) {
  const std::string& name = segment_.inputs[static_cast<size_t>(param.attrs.i("index"))];
  const EnvEntry& entry = env_.at(name);
  if (!entry.value) return std::nullopt;
  const bool whole = is_integer(entry.type.dtype) || entry.type.dtype == DType::boolean;
  const bool fits = entry.computed ? small(entry.type, known_limit)
                                   : whole && entry.type.rank() <= 1 && small(entry.type, grant_limit);
  if (!fits) return std::nullopt;
  auto& guards = segment_.value_guards;
  if (std::find(guards.begin(), guards.end(), name) == guards.end()) guards.push_back(name);
  return *entry.value;
}

void Lowerer::finish(const std::vector<std::string>& wanted) {
  std::vector<std::string> names = wanted;
  for (const Deferred& d : segment_.rest)
    for (const std::string& name : names_read(*d.work.node)) names.push_back(name);
  std::set<std::string> done;
  for (const std::string& name : names) {
    if (!defined_.count(name) || !done.insert(name).second) continue;
    builder_.output(values_[name], name);
    segment_.outputs.push_back(name);
  }
}

} // namespace cutaway::onnx
