#include "passes/passes.h"

#include <algorithm>
#include <map>

namespace cutaway::passes {
namespace {

constexpr size_t member_limit = 48;
constexpr size_t search_limit = 4000;

enum class Kind { map, rows, seed }; // elementwise; reductions over the same axes; a contraction or window with an epilogue

struct Group {
  GroupId id;
  Kind kind = Kind::map;
  std::vector<NodeId> nodes;
  Shape shape;                     // of the full values
  std::vector<int64_t> axes;       // of rows
  Shape kept, dropped;             // of rows
  size_t first = 0, last = 0;      // places in the order
};

class Fuser {
 public:
  explicit Fuser(const PassContext& c) : c_(c), g_(c.graph), group_of_(g_.node_bound(), -1), place_(g_.node_bound()), row_(g_.value_bound()) {}

  void run() {
    const auto order = g_.order();
    for (size_t i = 0; i < order.size(); ++i) place_[order[i].v] = i;
    for (NodeId id : order) visit(id);
  }

 private:
  bool printable(const Node& n) const {
    for (ValueId v : n.inputs)
      if (!is_computable(g_.type(v).dtype)) return false;
    for (ValueId v : n.outputs)
      if (!is_computable(g_.type(v).dtype)) return false;
    if (n.op == Op::bitcast) return false;
    if (is_elementwise(n.op) && n.op != Op::select && n.op != Op::cast)
      for (ValueId v : n.inputs)
        if (g_.type(v).dtype != g_.type(n.inputs[0]).dtype) return false;
    return true;
  }
  bool reduces(const Node& n) const { return op_class(n.op) == OpClass::reduction && n.op != Op::argmax && n.op != Op::argmin; }

  void visit(NodeId id) {
    const Node& n = g_.node(id);
    const bool seed = op_class(n.op) == OpClass::contraction || n.op == Op::reduce_window;
    if (!printable(n) || n.outputs.size() != 1 || element_count(g_.type(n.outputs[0]).shape).is(0)) return;
    if (!seed && !is_elementwise(n.op) && !reduces(n)) return;
    if (!seed && join_any(n)) return;
    Group g;
    g.kind = seed ? Kind::seed : reduces(n) ? Kind::rows : Kind::map;
    g.shape = g_.type(reduces(n) ? n.inputs[0] : n.outputs[0]).shape;
    if (g.kind == Kind::rows) make_rows(g, n);
    g.id = GroupId(static_cast<uint32_t>(groups_.size()));
    g.first = g.last = place_[id.v];
    g.nodes = {id};
    group_of_[id.v] = static_cast<int>(groups_.size());
    groups_.push_back(std::move(g));
    c_.rw.begin("group", {entity(id)}, {std::string(op_name(n.op))});
    c_.rw.annotate_group(id, groups_.back().id);
    c_.rw.end();
  }

  void make_rows(Group& g, const Node& n) {
    g.kind = Kind::rows;
    g.axes = n.attrs.ints("axes");
    g.kept.clear(), g.dropped.clear();
    for (size_t d = 0; d < g.shape.size(); ++d) {
      const bool gone = std::binary_search(g.axes.begin(), g.axes.end(), static_cast<int64_t>(d));
      g.kept.push_back(gone ? Dim(1) : g.shape[d]);
      if (!gone) g.dropped.push_back(g.shape[d]);
    }
    row_[n.outputs[0].v] = true;
  }

  bool join_any(const Node& n) {
    std::vector<int> candidates;
    for (ValueId v : n.inputs)
      if (const int k = group_of_[g_.value(v).producer.v]; k >= 0) candidates.push_back(k);
    // Contractions first: an epilogue saves the whole product's traffic.
    std::stable_sort(candidates.begin(), candidates.end(), [&](int a, int b) { return (groups_[static_cast<size_t>(a)].kind == Kind::seed) > (groups_[static_cast<size_t>(b)].kind == Kind::seed); });
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (int k : candidates)
      if (join(n, k)) return true;
    return false;
  }

  bool join(const Node& n, int k) {
    Group& g = groups_[static_cast<size_t>(k)];
    const std::vector<Entity> who{entity(n.id), entity(g.id)};
    if (const char* why = misfit(n, g)) return c_.rw.refuse(why, who, {std::string(op_name(n.op))}), false;
    if (g.nodes.size() >= member_limit) return c_.rw.refuse("not-fused.limit", who, {static_cast<int64_t>(member_limit)}), false;
    if (cycle(n, k)) return c_.rw.refuse("not-fused.cycle", who, {std::string(op_name(n.op))}), false;
    if (reduces(n) && g.kind == Kind::map) make_rows(g, n);
    if (g.kind == Kind::rows) row_[n.outputs[0].v] = is_row(n, g);
    g.nodes.push_back(n.id);
    g.last = std::max(g.last, place_[n.id.v]);
    group_of_[n.id.v] = k;
    const int64_t saved = saved_bytes(n, k);
    c_.rw.begin("fuse", who, {std::string(op_name(n.op)), saved});
    c_.rw.annotate_group(n.id, g.id);
    c_.rw.end();
    return true;
  }

  // Bytes neither written nor read back: of operands that nobody outside reads twice, of the others read once less.
  int64_t saved_bytes(const Node& n, int k) const {
    int64_t saved = 0;
    for (ValueId v : n.inputs)
      if (group_of_[g_.value(v).producer.v] == k) saved += g_.type(v).bytes() * (g_.uses(v).size() == 1 && !g_.is_output(v) ? 2 : 1);
    return saved;
  }

  bool is_row(const Node& n, const Group& g) const {
    if (reduces(n)) return true;
    return !(g_.type(n.outputs[0]).shape == g.shape);
  }

  // Why the node's iteration space does not fit the group's; null where it does.
  const char* misfit(const Node& n, const Group& g) const {
    const Shape& shape = g_.type(n.outputs[0]).shape;
    if (reduces(n)) {
      if (g.kind == Kind::seed) return "not-fused.reduction-after-contraction";
      const bool fits = g_.type(n.inputs[0]).shape == g.shape && (g.kind == Kind::map || n.attrs.ints("axes") == g.axes);
      if (!fits || row_[n.inputs[0].v]) return "not-fused.axes";
      // A reduction over nothing but ones is the same shape as its row: the two cannot be told apart.
      if (element_count(shape) == element_count(g.shape)) return "not-fused.axes";
      return nullptr;
    }
    if (g.kind != Kind::rows) return shape == g.shape ? nullptr : "not-fused.shape";
    if (g.kept == g.shape) return "not-fused.shape";
    const bool full = shape == g.shape, row = shape == g.kept || shape == g.dropped;
    if (!full && !row) return "not-fused.shape";
    for (ValueId v : n.inputs) {
      const int k = group_of_[g_.value(v).producer.v];
      if (k < 0 || groups_[static_cast<size_t>(k)].id != g.id) continue;
      if (full && row_[v.v] && g_.type(v).rank() != g.shape.size()) return "not-fused.shape";
      if (!full && !row_[v.v]) return "not-fused.shape";
    }
    return nullptr;
  }

  // Whether a path leads from the group to the node through the outside, in the graph of groups.
  bool cycle(const Node& n, int k) const {
    const Group& target = groups_[static_cast<size_t>(k)];
    std::vector<NodeId> stack;
    std::map<uint32_t, bool> seen;
    const auto push = [&](ValueId v) {
      const NodeId p = g_.value(v).producer;
      if (seen.emplace(p.v, true).second) stack.push_back(p);
    };
    for (ValueId v : n.inputs)
      if (group_of_[g_.value(v).producer.v] != k) push(v);
    while (!stack.empty()) {
      const NodeId at = stack.back();
      stack.pop_back();
      const int h = group_of_[at.v];
      if (h == k) return true;
      if (seen.size() > search_limit) return true;
      if (h < 0) {
        if (place_[at.v] < target.first) continue;
        for (ValueId v : g_.node(at).inputs) push(v);
        continue;
      }
      const Group& other = groups_[static_cast<size_t>(h)];
      if (other.last < target.first) continue;
      for (NodeId m : other.nodes)
        for (ValueId v : g_.node(m).inputs)
          if (group_of_[g_.value(v).producer.v] != h) push(v);
    }
    return false;
  }

  const PassContext& c_;
  const Graph& g_;
  std::vector<int> group_of_;
  std::vector<size_t> place_;
  std::vector<bool> row_;
  std::vector<Group> groups_;
};

} // namespace

void fuse(const PassContext& c) { Fuser(c).run(); }

} // namespace cutaway::passes
