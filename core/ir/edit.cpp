#include "ir/edit.h"

#include "base/check.h"

#include <algorithm>

namespace cutaway {
namespace {
template <class... F> struct Overloaded : F... {
  using F::operator()...;
};
} // namespace

void GraphEditor::apply(const Edit& edit) {
  std::visit(Overloaded{
                 [&](const InsertNode& e) { insert(e); },
                 [&](const EraseNode& e) { erase(e.what); },
                 [&](const SetInput& e) { set_input(e.node, e.input, e.before, e.after); },
                 [&](const SetOutput& e) { set_output(e.output, e.before, e.after); },
                 [&](const SetAttrs& e) { g_.nodes_[e.node.v].attrs = e.after; },
                 [&](const SetGroup& e) { g_.nodes_[e.node.v].group = e.after; },
                 [&](const SetLayout& e) { g_.values_[e.value.v].layout = e.after; },
                 [&](const SetName& e) { g_.values_[e.value.v].name = e.after; },
                 [&](const MoveNode& e) { unlink(e.node), link(e.node, e.after); },
                 [&](const AddOrigin& e) { add_origin(e); },
             },
             edit);
}

void GraphEditor::undo(const Edit& edit) {
  std::visit(Overloaded{
                 [&](const InsertNode& e) { erase(e); },
                 [&](const EraseNode& e) { insert(e.what); },
                 [&](const SetInput& e) { set_input(e.node, e.input, e.after, e.before); },
                 [&](const SetOutput& e) { set_output(e.output, e.after, e.before); },
                 [&](const SetAttrs& e) { g_.nodes_[e.node.v].attrs = e.before; },
                 [&](const SetGroup& e) { g_.nodes_[e.node.v].group = e.before; },
                 [&](const SetLayout& e) { g_.values_[e.value.v].layout = e.before; },
                 [&](const SetName& e) { g_.values_[e.value.v].name = e.before; },
                 [&](const MoveNode& e) { unlink(e.node), link(e.node, e.before); },
                 [&](const AddOrigin& e) {
                   CUTAWAY_CHECK(e.id.v + 1 == g_.origins_.size(), "origins are taken back in reverse order");
                   g_.origins_.pop_back();
                 },
             },
             edit);
}

void GraphEditor::add_output(ValueId value, const std::string& name) {
  if (g_.output_uses_.size() <= value.v) g_.output_uses_.resize(value.v + 1);
  ++g_.output_uses_[value.v];
  g_.outputs_.push_back({value, name});
}

InsertNode GraphEditor::record_of(NodeId id) const {
  const Node& node = g_.node(id);
  InsertNode record{node, {}, g_.next(id)};
  for (ValueId v : node.outputs) record.outputs.push_back(g_.value(v));
  return record;
}

void GraphEditor::insert(const InsertNode& e) {
  const uint32_t at = e.node.id.v;
  if (at >= g_.nodes_.size()) {
    g_.nodes_.resize(at + 1);
    g_.links_.resize(at + 1);
  }
  CUTAWAY_CHECK(!g_.nodes_[at].id, "node id used twice");
  g_.nodes_[at] = e.node;
  for (const Value& v : e.outputs) {
    if (v.id.v >= g_.values_.size()) {
      g_.values_.resize(v.id.v + 1);
      g_.uses_.resize(v.id.v + 1);
    }
    CUTAWAY_CHECK(!g_.values_[v.id.v].id, "value id used twice");
    g_.values_[v.id.v] = v;
  }
  for (uint32_t i = 0; i < e.node.inputs.size(); ++i) add_use(e.node.inputs[i], {e.node.id, i});
  link(e.node.id, e.before);
  ++g_.count_;
  if (e.node.op == Op::param) {
    const auto index = static_cast<size_t>(e.node.attrs.i("index"));
    CUTAWAY_CHECK(index < 1u << 20, "a param's index is out of range");
    if (g_.params_.size() <= index) g_.params_.resize(index + 1);
    g_.params_[index] = e.node.id;
  }
}

void GraphEditor::erase(const InsertNode& e) {
  const NodeId id = e.node.id;
  const Node node = g_.node(id);
  for (uint32_t i = 0; i < node.inputs.size(); ++i) drop_use(node.inputs[i], {id, i});
  for (ValueId v : node.outputs) {
    CUTAWAY_CHECK(g_.uses_[v.v].empty() && !g_.is_output(v), "erasing n" + std::to_string(id.v) + ", whose output is read");
    g_.values_[v.v] = {};
  }
  unlink(id);
  if (node.op == Op::param) g_.params_[static_cast<size_t>(node.attrs.i("index"))] = {};
  g_.nodes_[id.v] = {};
  --g_.count_;
}

void GraphEditor::set_input(NodeId node, uint32_t input, ValueId before, ValueId after) {
  ValueId& slot = g_.nodes_[node.v].inputs[input];
  CUTAWAY_CHECK(slot == before, "set_input: the node does not read what the edit says");
  drop_use(before, {node, input});
  slot = after;
  add_use(after, {node, input});
}

void GraphEditor::set_output(uint32_t output, ValueId before, ValueId after) {
  CUTAWAY_CHECK(g_.outputs_[output].value == before, "set_output: the graph does not return what the edit says");
  --g_.output_uses_[before.v];
  if (g_.output_uses_.size() <= after.v) g_.output_uses_.resize(after.v + 1);
  ++g_.output_uses_[after.v];
  g_.outputs_[output].value = after;
}

void GraphEditor::add_use(ValueId v, Use use) {
  CUTAWAY_CHECK(g_.alive(v), "a node reads a value that does not exist");
  g_.uses_[v.v].push_back(use);
}

void GraphEditor::drop_use(ValueId v, Use use) {
  auto& uses = g_.uses_[v.v];
  const auto it = std::find(uses.begin(), uses.end(), use);
  CUTAWAY_CHECK(it != uses.end(), "a use is missing");
  *it = uses.back();
  uses.pop_back();
}

void GraphEditor::link(NodeId node, NodeId before) {
  const NodeId prev = before ? g_.links_[before.v].prev : g_.tail_;
  g_.links_[node.v] = {prev, before};
  (prev ? g_.links_[prev.v].next : g_.head_) = node;
  (before ? g_.links_[before.v].prev : g_.tail_) = node;
}

void GraphEditor::unlink(NodeId node) {
  const Graph::Link link = g_.links_[node.v];
  (link.prev ? g_.links_[link.prev.v].next : g_.head_) = link.next;
  (link.next ? g_.links_[link.next.v].prev : g_.tail_) = link.prev;
  g_.links_[node.v] = {};
}

void GraphEditor::add_origin(const AddOrigin& e) {
  CUTAWAY_CHECK(e.id.v == g_.origins_.size(), "origins are numbered in order");
  g_.origins_.push_back(e.origin);
}

void replay(Graph& graph, const Event& event) {
  const auto* batch = dynamic_cast<const EditBatch*>(event.payload.get());
  if (!batch) return;
  GraphEditor editor(graph);
  for (const Edit& e : batch->edits) editor.apply(e);
}

void undo(Graph& graph, const Event& event) {
  const auto* batch = dynamic_cast<const EditBatch*>(event.payload.get());
  if (!batch) return;
  GraphEditor editor(graph);
  for (auto it = batch->edits.rbegin(); it != batch->edits.rend(); ++it) editor.undo(*it);
}

} // namespace cutaway
