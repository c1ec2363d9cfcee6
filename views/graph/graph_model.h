#pragma once
#include "graph/graph_index.h"

#include <QSet>
#include <QStringList>

namespace cutaway::views {

// One thing that the graph view draws. A scope that is open is a frame around its children; all else are leaves.
struct GraphItem {
  enum Kind { Scope, Group, Node, Value };
  Kind kind = Scope;
  QString key;  // the same thing in every step: "s:layer1/layer1.0", "k:12", "n:7", "v:3"
  QString name, note; // note: op class, bytes saved, count of nodes, type
  int parent = -1;
  bool open = false, eager = false;
  Entity entity = nothing;     // of groups, nodes and values
  QString path;               // of scopes
  int category = 0;
  std::vector<NodeId> members; // ops: one for a node, several for a group; empty for others
  int count = 0;               // nodes of a scope, those of its scopes included
  std::vector<int> children;
};

// Values that go from one item to another on the level of `level` (an open scope's index). A port stands for whatever is
// outside: -1 as `from` or `to`.
struct GraphLink {
  int level = 0, from = -1, to = -1;
  std::vector<ValueId> values;
  int64_t bytes = -1; // of all; negative: not known
};

// The graph after a step as nested scopes, of which some are open. Item 0 is the model itself.
struct GraphModel {
  std::vector<GraphItem> items;
  std::vector<GraphLink> links;
  std::vector<std::vector<int>> links_of; // by level
  QHash<QString, int> by_key;
  // The innermost item in sight that shows an op, a value's producer, a kernel; -1: none.
  int itemOf(Entity e) const;

  IdMap item_of_node, item_of_group, item_of_value;
};

struct GraphOptions {
  QSet<QString> open;     // paths of scopes; the model itself is always open
  bool constants = false; // show them as pills
};

GraphModel buildGraph(const GraphIndex& index, const QString& title, const GraphOptions& options);

// Every scope of the graph's ops.
QSet<QString> allScopes(const trace::GraphDoc& graph);
// The scopes around the entities, outermost first.
QStringList scopesAround(const GraphIndex& index, const std::vector<Entity>& entities);
// What to open at first: the scopes around what fires; else all, level by level, as long as at most `most` items show.
QSet<QString> defaultOpen(const GraphIndex& index, const std::vector<Entity>& firing, int most);

// "n:7", "k:12", "v:3": as GraphItem::key.
QString keyOf(Entity e);
// "f32[1,64,56,56]"
QString typeText(const trace::GraphValue& value);

} // namespace cutaway::views
