#include "driver/document/mirror.h"

#include "ir/text.h"
#include "plan/storage.h"

#include <algorithm>

namespace cutaway::driver {
namespace {

bool leaf(const Node& n) { return n.op == Op::param || n.op == Op::constant; }

trace::OpClass class_of(Op op) {
  using To = trace::OpClass;
  if (op == Op::broadcast) return To::broadcast;
  switch (op_class(op)) {
  case OpClass::leaf: return To::injective;
  case OpClass::elementwise: return To::elementwise;
  case OpClass::reduction: return To::reduction;
  case OpClass::view: return To::view;
  case OpClass::injective: return To::injective;
  case OpClass::gather:
  case OpClass::scatter: return To::gather_scatter;
  case OpClass::contraction: return To::contraction;
  case OpClass::window: return To::window;
  case OpClass::scan:
  case OpClass::opaque: return To::opaque;
  }
  return To::opaque;
}

int64_t bytes_of(const Type& t) { return is_static(t.shape) ? t.bytes() : -1; }

std::string layout_text(const Layout& layout, size_t rank) {
  if (layout.empty()) return {};
  static const char axes4[] = "NCHW";
  std::string out;
  for (const int64_t d : layout) out += rank == 4 ? std::string(1, axes4[d]) : (out.empty() ? "" : ",") + std::to_string(d);
  return out;
}

} // namespace

std::string strides_text(const std::vector<int64_t>& strides) {
  std::string out;
  for (const int64_t s : strides) out += (out.empty() ? "" : ",") + std::to_string(s);
  return out;
}

GraphMirror::GraphMirror(const Graph& imported) : g_(imported), names_(node_names(imported)), shared_(imported.origin_count()), imported_values_(imported.value_bound()) {
  order_.resize(g_.node_bound());
  double at = 0;
  for (NodeId id : g_.order()) {
    order_[id.v] = at++;
    if (const Node& n = g_.node(id); !leaf(n) && n.origin) ++shared_[n.origin.v];
  }
  for (NodeId id : g_.order()) {
    const Node& n = g_.node(id);
    count(id, 1);
    if (n.group) regroup(id, {}, n.group);
    if (!leaf(n)) editor_.set(make_node(id));
    for (ValueId v : n.outputs) editor_.set(make_value(v));
  }
  for (const uint32_t k : touched_groups_) editor_.set(make_group(GroupId(k)));
  touched_groups_.clear();
}

std::string GraphMirror::name(NodeId id) const {
  const Node& n = g_.node(id);
  const auto model = g_.model_nodes(n.origin);
  if (model.empty() || model[0].v >= names_.size()) return std::string(op_name(n.op)) + " " + std::to_string(id.v);
  std::string base = names_[model[0].v].name;
  const bool several = shared_[model[0].v] > 1 || model.size() > 1;
  return several && n.op != Op::dot_general && n.op != Op::conv ? base + "." + op_name(n.op) : base;
}

std::string GraphMirror::name(GroupId group) const {
  const auto found = groups_.find(group);
  std::string out = "K" + std::to_string(group.v);
  if (found == groups_.end() || found->second.nodes.empty()) return out;
  const auto& nodes = found->second.nodes;
  const auto seed = std::find_if(nodes.begin(), nodes.end(), [&](NodeId n) { return op_class(g_.node(n).op) == OpClass::contraction; });
  const NodeId named = seed == nodes.end() ? *nodes.begin() : *seed;
  const auto model = g_.model_nodes(g_.node(named).origin);
  return out + " " + (model.empty() || model[0].v >= names_.size() ? op_name(g_.node(named).op) : names_[model[0].v].name);
}

std::string GraphMirror::name(Entity e) const {
  if (e.kind == Entity::Kind::op && g_.alive(NodeId(e.id))) {
    const Value& v = g_.value(g_.node(NodeId(e.id)).outputs[0]);
    return leaf(g_.node(NodeId(e.id))) && !v.name.empty() ? v.name : name(NodeId(e.id));
  }
  if (e.kind == Entity::Kind::value && g_.alive(ValueId(e.id))) return name(entity(g_.value(ValueId(e.id)).producer));
  if (e.kind == Entity::Kind::kernel) return name(GroupId(e.id));
  return entity_key(e);
}

std::string GraphMirror::launch_name(Entity e) const {
  const bool grouped = e.kind == Entity::Kind::op && g_.alive(NodeId(e.id)) && g_.node(NodeId(e.id)).group;
  return grouped ? name(g_.node(NodeId(e.id)).group) : name(e);
}

uint8_t GraphMirror::category(NodeId id) const {
  const auto model = g_.model_nodes(g_.node(id).origin);
  return static_cast<uint8_t>((model.empty() ? id.v : model[0].v) % 12);
}

trace::GraphNode GraphMirror::make_node(NodeId id) const {
  const Node& n = g_.node(id);
  trace::GraphNode out;
  out.id = id;
  out.name = pool_(name(id));
  out.op = pool_(op_name(n.op));
  out.op_class = class_of(n.op);
  out.category = category(id);
  out.group = n.group;
  out.clone_of = n.clone_of;
  out.order = order_[id.v];
  out.inputs = n.inputs;
  out.outputs = n.outputs;
  const auto model = g_.model_nodes(n.origin);
  if (!model.empty() && model[0].v < names_.size()) out.scope = pool_(names_[model[0].v].scope);
  for (const OriginId o : model) out.origins.push_back(pool_(g_.origin(o).op_type + " " + g_.origin(o).name));
  for (const auto& [key, value] : n.attrs.entries())
    if (!std::holds_alternative<Tensor>(value)) out.attributes.push_back({pool_(key), pool_(attr_text(value))});
  int64_t bytes = 0;
  for (const auto& list : {n.inputs, n.outputs})
    for (ValueId v : list)
      if (const int64_t b = v ? bytes_of(g_.type(v)) : 0; b > 0) bytes += b;
  out.bytes = bytes;
  return out;
}

trace::GraphValue GraphMirror::make_value(ValueId id) const {
  const Value& v = g_.value(id);
  const Node& producer = g_.node(v.producer);
  trace::GraphValue out;
  out.id = id;
  out.name = pool_(!v.name.empty() ? v.name : leaf(producer) ? "" : name(v.producer));
  out.dtype = pool_(dtype_name(v.type.dtype));
  out.shape = pool_(shape_str(v.type.shape));
  out.bytes = bytes_of(v.type);
  out.layout = pool_(layout_text(v.layout, v.type.rank()));
  if (is_static(v.type.shape)) out.strides = pool_(strides_text(plan::dense_strides(static_dims(v.type.shape), v.layout)));
  out.role = producer.op == Op::param ? trace::ValueRole::input
             : producer.op == Op::constant ? (id.v < imported_values_ ? trace::ValueRole::parameter : trace::ValueRole::constant)
             : g_.is_output(id) ? trace::ValueRole::output
                                : trace::ValueRole::intermediate;
  return out;
}

trace::GraphGroup GraphMirror::make_group(GroupId id) const {
  const Members& m = groups_.at(id);
  trace::GraphGroup out;
  out.id = id;
  out.name = pool_(name(id));
  out.saved_bytes = m.saved;
  if (!m.nodes.empty()) out.category = category(*m.nodes.begin());
  return out;
}

void GraphMirror::count(NodeId id, int sign) {
  const Node& n = g_.node(id);
  if (leaf(n)) return;
  nodes_ += sign;
  if (op_class(n.op) == OpClass::view && !n.group) return;
  if (!n.group) alone_ += sign;
  for (const auto& list : {n.inputs, n.outputs})
    for (ValueId v : list)
      if (const int64_t b = v ? bytes_of(g_.type(v)) : 0; b > 0) traffic_ += sign * b;
}

// Between its neighbours; where no number is left between them all are numbered anew.
void GraphMirror::place(NodeId id) {
  if (order_.size() <= id.v) order_.resize(id.v + 1);
  const NodeId before = g_.prev(id), after = g_.next(id);
  const double low = before ? order_[before.v] : after ? order_[after.v] - 2 : 0, high = after ? order_[after.v] : low + 2;
  order_[id.v] = (low + high) / 2;
  if (!(low < order_[id.v] && order_[id.v] < high)) renumber();
}

void GraphMirror::renumber() {
  double at = 0;
  for (NodeId id : g_.order()) {
    if (order_[id.v] != at) renumbered_.insert(id.v);
    order_[id.v] = at++;
  }
}

void GraphMirror::regroup(NodeId node, GroupId before, GroupId after) {
  if (before) {
    auto& members = groups_[before].nodes;
    if (members.erase(node) && members.empty()) --live_groups_;
    touched_groups_.insert(before.v);
  }
  if (after) {
    auto& members = groups_[after].nodes;
    if (members.insert(node).second && members.size() == 1) ++live_groups_;
    touched_groups_.insert(after.v);
  }
}

// Notes which elements an edit changes. Runs before the edit.
void GraphMirror::touch(const Edit& edit) {
  const auto uses = [&](ValueId v) {
    if (v) touched_values_.insert(v.v);
  };
  if (const auto* e = std::get_if<InsertNode>(&edit)) {
    touched_nodes_.insert(e->node.id.v);
    for (const Value& v : e->outputs) uses(v.id);
  } else if (const auto* e = std::get_if<EraseNode>(&edit)) {
    touched_nodes_.insert(e->what.node.id.v);
    for (const Value& v : e->what.outputs) uses(v.id);
    if (e->what.node.group) regroup(e->what.node.id, e->what.node.group, {});
  } else if (const auto* e = std::get_if<SetInput>(&edit)) {
    touched_nodes_.insert(e->node.v);
  } else if (const auto* e = std::get_if<SetOutput>(&edit)) {
    uses(e->before), uses(e->after);
  } else if (const auto* e = std::get_if<SetAttrs>(&edit)) {
    touched_nodes_.insert(e->node.v);
  } else if (const auto* e = std::get_if<SetGroup>(&edit)) {
    touched_nodes_.insert(e->node.v);
    regroup(e->node, e->before, e->after);
  } else if (const auto* e = std::get_if<SetLayout>(&edit)) {
    uses(e->value);
  } else if (const auto* e = std::get_if<SetName>(&edit)) {
    uses(e->value);
  } else if (const auto* e = std::get_if<MoveNode>(&edit)) {
    touched_nodes_.insert(e->node.v);
  }
}

void GraphMirror::replay(const Event& event) {
  const auto* batch = dynamic_cast<const EditBatch*>(event.payload.get());
  if (!batch) return;
  // Each node is uncounted as it was and counted as it will be.
  for (const Edit& e : batch->edits) touch(e);
  for (const uint32_t n : touched_nodes_)
    if (g_.alive(NodeId(n))) count(NodeId(n), -1);
  for (const Edit& e : batch->edits) {
    cutaway::GraphEditor(g_).apply(e);
    if (const auto* inserted = std::get_if<InsertNode>(&e)) place(inserted->node.id);
    if (const auto* moved = std::get_if<MoveNode>(&e)) place(moved->node);
  }
  if (event.code == "fuse" && event.entities.size() > 1 && event.args.size() > 1)
    if (const auto* saved = std::get_if<int64_t>(&event.args[1])) groups_[GroupId(event.entities[1].id)].saved += *saved, traffic_ -= *saved;
  for (const uint32_t n : touched_nodes_) {
    const NodeId id(n);
    if (!g_.alive(id)) {
      editor_.erase(id);
      continue;
    }
    count(id, 1);
    if (!leaf(g_.node(id))) editor_.set(make_node(id));
  }
  for (const uint32_t n : renumbered_)
    if (!touched_nodes_.contains(n) && !leaf(g_.node(NodeId(n)))) editor_.set(make_node(NodeId(n)));
  for (const uint32_t v : touched_values_) g_.alive(ValueId(v)) ? editor_.set(make_value(ValueId(v))) : editor_.erase(ValueId(v));
  for (const uint32_t k : touched_groups_) groups_[GroupId(k)].nodes.empty() ? editor_.erase(GroupId(k)) : editor_.set(make_group(GroupId(k)));
  touched_nodes_.clear(), touched_values_.clear(), touched_groups_.clear(), renumbered_.clear();
}

trace::Metrics GraphMirror::metrics() const {
  trace::Metrics m;
  m.nodes = nodes_;
  m.launches = alone_ + live_groups_;
  m.traffic_bytes = traffic_;
  return m;
}

int64_t GraphMirror::live_peak() const {
  struct Life {
    int64_t first, last, bytes;
  };
  // A launch stands where its last member does.
  std::map<GroupId, int64_t> group_at;
  std::vector<int64_t> at(g_.node_bound(), -1);
  int64_t position = 0;
  for (NodeId id : g_.order()) {
    at[id.v] = position++;
    if (const GroupId k = g_.node(id).group) group_at[k] = at[id.v];
  }
  std::vector<ValueId> root(g_.value_bound());
  std::vector<Life> lives(g_.value_bound(), Life{-1, -1, 0});
  for (NodeId id : g_.order()) {
    const Node& n = g_.node(id);
    const int64_t here = n.group ? group_at[n.group] : at[id.v];
    for (ValueId v : n.inputs) {
      if (!v || (n.group && g_.producer(v).group == n.group)) continue;
      Life& l = lives[root[v.v].v];
      if (l.first >= 0) l.last = std::max(l.last, here);
    }
    const bool view = op_class(n.op) == OpClass::view && !n.group && n.inputs.size() >= 1;
    for (ValueId v : n.outputs) {
      root[v.v] = view ? root[n.inputs[0].v] : v;
      if (view || leaf(n) || g_.is_output(v)) continue;
      const auto& uses = g_.uses(v);
      const bool inside = n.group && std::all_of(uses.begin(), uses.end(), [&](const Use& u) { return g_.node(u.node).group == n.group; });
      if (!inside) lives[v.v] = {here, here, std::max<int64_t>(0, bytes_of(g_.type(v)))};
    }
  }
  std::vector<int64_t> change(static_cast<size_t>(position) + 1);
  for (const Life& l : lives)
    if (l.first >= 0) change[static_cast<size_t>(l.first)] += l.bytes, change[static_cast<size_t>(l.last) + 1] -= l.bytes;
  int64_t alive = 0, peak = 0;
  for (const int64_t c : change) peak = std::max(peak, alive += c);
  return peak;
}

} // namespace cutaway::driver
