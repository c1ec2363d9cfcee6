#pragma once
#include "base/journal.h"
#include "ir/graph.h"

namespace cutaway {

// The only ways in which a graph changes. Each holds all that is needed to apply it and to take it back exactly.
struct InsertNode { // erasing is the same record, run backwards
  Node node;
  std::vector<Value> outputs;
  NodeId before; // the node it stands in front of; none: at the end
};
struct EraseNode {
  InsertNode what;
};
struct SetInput {
  NodeId node;
  uint32_t input;
  ValueId before, after;
};
struct SetOutput {
  uint32_t output;
  ValueId before, after;
};
struct SetAttrs {
  NodeId node;
  Attrs before, after;
};
struct SetGroup {
  NodeId node;
  GroupId before, after;
};
struct SetLayout {
  ValueId value;
  Layout before, after;
};
struct SetName {
  ValueId value;
  std::string before, after;
};
struct MoveNode { // to another place in the order
  NodeId node;
  NodeId before, after; // the node behind it, before and after the move; none: the end
};
struct AddOrigin {
  OriginId id;
  Origin origin;
};
using Edit = std::variant<InsertNode, EraseNode, SetInput, SetOutput, SetAttrs, SetGroup, SetLayout, SetName, MoveNode, AddOrigin>;

// The edits of one event, in order.
struct EditBatch : Payload {
  std::vector<Edit> edits;
};

// Applies edits to a graph. It checks what an edit says of the state before; a mismatch is a bug of the compiler.
class GraphEditor {
 public:
  explicit GraphEditor(Graph& graph) : g_(graph) {}
  void apply(const Edit& edit);
  void undo(const Edit& edit);

  NodeId new_node_id() const { return NodeId(static_cast<uint32_t>(g_.nodes_.size())); }
  ValueId new_value_id() const { return ValueId(static_cast<uint32_t>(g_.values_.size())); }
  OriginId new_origin_id() const { return OriginId(static_cast<uint32_t>(g_.origins_.size())); }
  // Outputs are declared once, when the graph is built.
  void add_output(ValueId value, const std::string& name);
  InsertNode record_of(NodeId node) const;

 private:
  void insert(const InsertNode& e);
  void erase(const InsertNode& e);
  void set_input(NodeId node, uint32_t input, ValueId before, ValueId after);
  void set_output(uint32_t output, ValueId before, ValueId after);
  void add_use(ValueId v, Use use);
  void drop_use(ValueId v, Use use);
  void link(NodeId node, NodeId before);
  void unlink(NodeId node);
  void add_origin(const AddOrigin& e);

  Graph& g_;
};

// Applies, or takes back, the edits of one event; events without edits do nothing.
void replay(Graph& graph, const Event& event);
void undo(Graph& graph, const Event& event);

} // namespace cutaway
