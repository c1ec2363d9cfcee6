#include "ir/rewriter.h"

#include "base/check.h"
#include "ir/infer.h"

#include <algorithm>

namespace cutaway {

void Rewriter::begin(std::string code, std::vector<Entity> entities, std::vector<Arg> args) {
  CUTAWAY_CHECK(!batch_, "an event is open already");
  open_ = {pass_, std::move(code), false, std::move(entities), std::move(args), {}, {}, nullptr};
  batch_ = std::make_shared<EditBatch>();
}

void Rewriter::end(Cost before, Cost after, bool keep) {
  CUTAWAY_CHECK(batch_, "no event is open");
  if (!batch_->edits.empty()) ++changes_;
  if (journal_ && (keep || !batch_->edits.empty())) {
    open_.before = before;
    open_.after = after;
    open_.payload = batch_->edits.empty() ? nullptr : batch_;
    journal_->append(std::move(open_));
  }
  batch_.reset();
}

void Rewriter::refuse(std::string code, std::vector<Entity> entities, std::vector<Arg> args, Cost before, Cost after) {
  note(journal_, [&] {
    return Event{pass_, std::move(code), true, std::move(entities), std::move(args), before, after, nullptr};
  });
}

void Rewriter::apply(Edit edit) {
  CUTAWAY_CHECK(batch_, "a graph changes only inside an event");
  editor_.apply(edit);
  batch_->edits.push_back(std::move(edit));
}

std::vector<ValueId> Rewriter::insert(Op op, std::vector<ValueId> inputs, Attrs attrs, NodeId before, OriginId origin) {
  std::vector<Type> types;
  for (ValueId v : inputs) types.push_back(g_.type(v));
  auto inferred = infer(op, types, attrs);
  CUTAWAY_CHECK(inferred.ok(), std::string("inserting ") + op_name(op) + ": " + (inferred ? "" : inferred.error().str()));
  InsertNode e;
  e.node = {editor_.new_node_id(), op, std::move(inputs), {}, std::move(attrs), origin, {}, {}};
  e.before = before;
  uint32_t next = editor_.new_value_id().v;
  for (uint32_t i = 0; i < inferred->size(); ++i) {
    e.node.outputs.push_back(ValueId(next));
    e.outputs.push_back({ValueId(next++), (*inferred)[i], e.node.id, i, {}, {}});
  }
  auto out = e.node.outputs;
  apply(std::move(e));
  return out;
}

ValueId Rewriter::insert_constant(Tensor data, NodeId before, OriginId origin) {
  return insert(Op::constant, {}, {{"data", std::move(data)}}, before, origin)[0];
}

void Rewriter::replace(ValueId from, ValueId to) {
  CUTAWAY_CHECK(g_.type(from) == g_.type(to), "replacing " + g_.type(from).str() + " by " + g_.type(to).str());
  for (const Use& use : std::vector<Use>(g_.uses(from)))
    if (use.node != g_.value(to).producer) apply(SetInput{use.node, use.input, from, to});
  for (uint32_t i = 0; i < g_.outputs().size(); ++i)
    if (g_.outputs()[i].value == from) apply(SetOutput{i, from, to});
  const std::string& name = g_.value(from).name;
  if (!name.empty() && g_.value(to).name.empty()) apply(SetName{to, {}, name});
}

void Rewriter::set_input(NodeId node, uint32_t input, ValueId value) {
  const ValueId before = g_.node(node).inputs[input];
  if (before != value) apply(SetInput{node, input, before, value});
}

void Rewriter::set_attrs(NodeId node, Attrs attrs) { apply(SetAttrs{node, g_.node(node).attrs, std::move(attrs)}); }

void Rewriter::move_before(NodeId node, NodeId before) {
  if (g_.next(node) != before && node != before) apply(MoveNode{node, g_.next(node), before});
}

void Rewriter::erase(NodeId node) { apply(EraseNode{editor_.record_of(node)}); }

void Rewriter::erase_dead(NodeId node) {
  std::vector<NodeId> work{node};
  while (!work.empty()) {
    const NodeId at = work.back();
    work.pop_back();
    if (!g_.alive(at) || g_.node(at).op == Op::param) continue;
    const Node& n = g_.node(at);
    const bool dead = std::all_of(n.outputs.begin(), n.outputs.end(), [&](ValueId v) { return g_.uses(v).empty() && !g_.is_output(v); });
    if (!dead) continue;
    for (ValueId v : n.inputs) work.push_back(g_.value(v).producer);
    erase(at);
  }
}

void Rewriter::annotate_group(NodeId node, GroupId group) {
  if (g_.node(node).group != group) apply(SetGroup{node, g_.node(node).group, group});
}

void Rewriter::annotate_layout(ValueId value, Layout layout) {
  if (g_.value(value).layout != layout) apply(SetLayout{value, g_.value(value).layout, std::move(layout)});
}

OriginId Rewriter::derive(const std::string& what, std::vector<OriginId> from) {
  std::erase_if(from, [](OriginId o) { return !o.valid(); });
  std::sort(from.begin(), from.end());
  from.erase(std::unique(from.begin(), from.end()), from.end());
  if (from.empty()) return {};
  if (from.size() == 1) return from[0];
  const OriginId id = editor_.new_origin_id();
  apply(AddOrigin{id, {{}, what, std::move(from)}});
  return id;
}

} // namespace cutaway
