#include "graph/graph_model.h"

#include "kit/numbers.h"
#include "place/reading.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace cutaway::views {

QString keyOf(Entity e) {
  switch (e.kind) {
    case Entity::Kind::op: return QString("n:%1").arg(e.id);
    case Entity::Kind::kernel: return QString("k:%1").arg(e.id);
    case Entity::Kind::value: return QString("v:%1").arg(e.id);
    default: return {};
  }
}

QString typeText(const trace::GraphValue& value) { return qt(value.dtype) + qt(value.shape).remove(' '); }

namespace {

// How much lies directly within each scope; entry 0 is the model.
struct ScopeTree {
  struct Entry {
    QString path;
    int parent = -1, leaves = 0;
    std::vector<int> children;
  };
  std::vector<Entry> entries{1};

  explicit ScopeTree(const GraphIndex& index) {
    QHash<QString, int> at{{QString(), 0}};
    for (const GraphIndex::Op& op : index.ops())
      if (!op.owned && index.leader(op) == op.node) ++entries[size_t(entry(at, qt(op.node->scope)))].leaves;
    for (const trace::GraphValue& v : index.graph().values) entries[0].leaves += v.role == trace::ValueRole::input || v.role == trace::ValueRole::output;
  }
  // Drawn as one frame with the scope in it (see Builder::collapse).
  bool merges(const Entry& e) const { return e.parent >= 0 && e.leaves == 0 && e.children.size() == 1; }

 private:
  int entry(QHash<QString, int>& at, const QString& path) {
    if (const auto found = at.constFind(path); found != at.constEnd()) return *found;
    const qsizetype slash = path.lastIndexOf('/');
    const int parent = entry(at, slash < 0 ? QString() : path.left(slash)), id = int(entries.size());
    entries.push_back({path, parent, 0, {}});
    entries[size_t(parent)].children.push_back(id);
    at.insert(path, id);
    return id;
  }
};

class Builder {
 public:
  Builder(const GraphIndex& index, const GraphOptions& options) : index_(index), g_(index.graph()), options_(options) {}

  GraphModel run(const QString& title) {
    GraphItem root;
    root.key = "s:", root.name = title, root.open = true;
    model_.items.push_back(root);
    scopes_.insert(QString(), 0);
    inputs();
    for (const GraphIndex::Op& op : index_.ops())
      if (!op.owned) place(op);
    outputs();
    collapse();
    for (int i = 0; i < int(model_.items.size()); ++i) model_.by_key.insert(model_.items[size_t(i)].key, i);
    links();
    return std::move(model_);
  }

 private:
  int add(GraphItem item, int parent) {
    const int at = int(model_.items.size());
    item.parent = parent;
    model_.items.push_back(std::move(item));
    model_.items[size_t(parent)].children.push_back(at);
    return at;
  }

  int scope(const trace::Text& path) { // thousands of ops share one text
    const auto [found, fresh] = known_.try_emplace(&path.str(), 0);
    if (fresh) found->second = scope(qt(path));
    return found->second;
  }
  int scope(const QString& path) {
    if (const auto found = scopes_.constFind(path); found != scopes_.constEnd()) return *found;
    const qsizetype slash = path.lastIndexOf('/');
    const int parent = scope(slash < 0 ? QString() : path.left(slash));
    GraphItem item;
    item.path = path, item.key = "s:" + path, item.name = path.mid(slash + 1);
    item.open = model_.items[size_t(parent)].open && options_.open.contains(path);
    const int at = add(item, parent);
    scopes_.insert(path, at);
    return at;
  }

  // The item that stands for a scope: itself, or the outermost closed one around it.
  int shownScope(int scope) const {
    int shown = scope;
    for (int s = scope; s >= 0; s = model_.items[size_t(s)].parent)
      if (!model_.items[size_t(s)].open) shown = s;
    return shown;
  }

  // Ops come in order, so a group's members do.
  void place(const GraphIndex::Op& op) {
    const int home = scope(index_.leader(op)->scope), shown = shownScope(home);
    for (int s = home; s >= 0; s = model_.items[size_t(s)].parent) ++model_.items[size_t(s)].count;
    int at = shown;
    if (op.group.valid()) {
      const int known = model_.item_of_group.value(op.group.v);
      if (known >= 0) at = known;
      else if (model_.items[size_t(shown)].open) at = addGroup(op.group, home);
      if (known < 0) model_.item_of_group.insert(op.group.v, at);
      if (model_.items[size_t(at)].kind == GraphItem::Group) model_.items[size_t(at)].members.push_back(op.id);
    } else if (model_.items[size_t(shown)].open) {
      at = addNode(*op.node, home);
    }
    model_.item_of_node.insert(op.id.v, at);
    for (const ValueId v : op.outputs) model_.item_of_value.insert(v.v, at);
  }
  int addNode(const trace::GraphNode& n, int parent) {
    GraphItem item;
    item.kind = GraphItem::Node, item.key = keyOf(entity(n.id)), item.name = qt(n.name), item.note = trace::op_class_name(n.op_class);
    item.entity = entity(n.id), item.category = n.category, item.eager = n.eager, item.members = {n.id};
    return add(item, parent);
  }
  int addGroup(GroupId id, int parent) {
    GraphItem item;
    item.kind = GraphItem::Group, item.key = keyOf(entity(id)), item.entity = entity(id);
    if (const trace::GraphGroup* group = g_.groups.find(id)) {
      item.name = qt(group->name), item.category = group->category;
      item.eager = group->kind == trace::GroupKind::eager;
      item.note = !group->caption.empty() ? qt(group->caption) : group->saved_bytes > 0 ? "saved " + byteText(group->saved_bytes) : "nothing saved";
    }
    return add(item, parent);
  }

  int addValue(const trace::GraphValue& v) {
    GraphItem item;
    item.kind = GraphItem::Value, item.key = QString("v:%1").arg(v.id.v), item.entity = entity(v.id);
    item.name = v.name.empty() ? QString("value %1").arg(v.id.v) : qt(v.name), item.note = typeText(v);
    return add(item, 0);
  }
  // What ops read and none makes.
  void inputs() {
    enum { MayBe, Read, Made };
    IdMap state;
    std::vector<const trace::GraphValue*> all;
    for (const trace::GraphValue& v : g_.values) {
      const bool stored = v.role == trace::ValueRole::parameter || v.role == trace::ValueRole::constant;
      if (stored ? options_.constants : v.role == trace::ValueRole::input) state.insert(v.id.v, MayBe), all.push_back(&v);
    }
    for (const GraphIndex::Op& op : index_.ops()) {
      for (const ValueId v : op.inputs)
        if (state.value(v.v) == MayBe) state.insert(v.v, Read);
      for (const ValueId v : op.outputs)
        if (state.value(v.v) >= 0) state.insert(v.v, Made);
    }
    for (const trace::GraphValue* v : all)
      if (state.value(v->id.v) == Read) model_.item_of_value.insert(v->id.v, addValue(*v));
  }
  void outputs() {
    for (const trace::GraphValue& v : g_.values)
      if (v.role == trace::ValueRole::output) {
        GraphItem& item = model_.items[size_t(addValue(v))];
        item.key = QString("o:%1").arg(v.id.v);
        outputs_.push_back({v.id, int(model_.items.size()) - 1});
      }
  }

  // A scope that holds nothing but one scope says nothing: "encoder/layer" becomes one frame.
  void collapse() {
    for (size_t i = 1; i < model_.items.size(); ++i) {
      GraphItem& item = model_.items[i];
      if (item.kind != GraphItem::Scope || item.parent < 0) continue;
      while (item.open && item.children.size() == 1 && model_.items[size_t(item.children[0])].kind == GraphItem::Scope && model_.items[size_t(item.children[0])].open) {
        GraphItem& inner = model_.items[size_t(item.children[0])];
        item.name += "/" + inner.name;
        item.children = inner.children;
        for (const int child : item.children) model_.items[size_t(child)].parent = int(i);
        inner.children.clear(), inner.parent = -1;
      }
    }
  }

  // The open scopes from the model inward to an item, and the item last.
  std::vector<int> chain(int item) const {
    std::vector<int> out;
    for (int i = item; i >= 0; i = model_.items[size_t(i)].parent) out.push_back(i);
    std::reverse(out.begin(), out.end());
    return out;
  }
  void link(int from, int to, ValueId v) {
    if (from == to || from < 0 || to < 0) return;
    const auto a = chain(from), b = chain(to);
    size_t common = 0;
    while (common < a.size() && common < b.size() && a[common] == b[common]) ++common;
    if (common == 0 || common == a.size() || common == b.size()) return;
    for (size_t i = common; i + 1 < a.size(); ++i) join(a[i], a[i + 1], -1, v);
    join(a[common - 1], a[common], b[common], v);
    for (size_t i = common; i + 1 < b.size(); ++i) join(b[i], -1, b[i + 1], v);
  }
  void join(int level, int from, int to, ValueId v) {
    // Lines between leaves are bundled; what crosses a frame keeps a line of its own, which meets its port.
    const auto crosses = [this](int i) { return i < 0 || (model_.items[size_t(i)].kind == GraphItem::Scope && model_.items[size_t(i)].open); };
    const uint32_t apart = crosses(from) || crosses(to) ? v.v : ~0u;
    const auto [found, fresh] = joined_.try_emplace({level, from, to, apart}, int(model_.links.size()));
    if (fresh) model_.links.push_back({level, from, to, {}, 0});
    GraphLink& l = model_.links[size_t(found->second)];
    if (std::find(l.values.begin(), l.values.end(), v) != l.values.end()) return;
    l.values.push_back(v);
    const trace::GraphValue* value = g_.values.find(v);
    l.bytes = !value || value->bytes < 0 || l.bytes < 0 ? -1 : l.bytes + value->bytes;
  }
  void links() {
    for (const GraphIndex::Op& op : index_.ops()) {
      if (op.owned) continue;
      const int to = model_.item_of_node.value(op.id.v);
      for (const ValueId v : op.inputs)
        if (v.valid()) link(model_.item_of_value.value(v.v), to, v);
    }
    for (const auto& [v, item] : outputs_) link(model_.item_of_value.value(v.v), item, v);
    model_.links_of.resize(model_.items.size());
    for (int i = 0; i < int(model_.links.size()); ++i) model_.links_of[size_t(model_.links[size_t(i)].level)].push_back(i);
  }

  const GraphIndex& index_;
  const trace::GraphDoc& g_;
  const GraphOptions& options_;
  GraphModel model_;
  QHash<QString, int> scopes_;
  std::unordered_map<const std::string*, int> known_; // by the text that ops share
  std::vector<std::pair<ValueId, int>> outputs_;
  std::map<std::tuple<int, int, int, uint32_t>, int> joined_;
};

} // namespace

GraphModel buildGraph(const GraphIndex& index, const QString& title, const GraphOptions& options) { return Builder(index, options).run(title); }

int GraphModel::itemOf(Entity e) const {
  switch (e.kind) {
    case Entity::Kind::op: return item_of_node.value(e.id);
    case Entity::Kind::value: return item_of_value.value(e.id);
    case Entity::Kind::kernel: return item_of_group.value(e.id);
    default: return -1;
  }
}

QSet<QString> allScopes(const trace::GraphDoc& graph) {
  QSet<QString> out;
  for (const trace::GraphNode& n : graph.nodes)
    if (!n.scope.empty() && !out.contains(qt(n.scope)))
      for (const QString& path : scopePaths(n.scope)) out.insert(path);
  return out;
}

QStringList scopesAround(const GraphIndex& index, const std::vector<Entity>& entities) {
  QStringList out;
  for (const Entity e : entities)
    if (const trace::GraphNode* n = index.leader(e))
      for (const QString& path : scopePaths(n->scope))
        if (!out.contains(path)) out << path;
  return out;
}

QSet<QString> defaultOpen(const GraphIndex& index, const std::vector<Entity>& firing, int most) {
  const QStringList around = scopesAround(index, firing);
  if (!around.isEmpty()) return {around.begin(), around.end()};
  const ScopeTree tree(index);
  const auto& all = tree.entries;
  QSet<QString> open;
  size_t shown = size_t(all[0].leaves) + all[0].children.size();
  for (std::vector<int> closed = all[0].children, next; !closed.empty(); closed = std::exchange(next, {})) {
    for (const int i : closed) {
      const ScopeTree::Entry& e = all[size_t(i)];
      shown += size_t(e.leaves) + e.children.size() - tree.merges(all[size_t(e.parent)]);
      next.insert(next.end(), e.children.begin(), e.children.end());
    }
    if (shown > size_t(most)) break;
    for (const int i : closed) open.insert(all[size_t(i)].path);
  }
  return open;
}

} // namespace cutaway::views
