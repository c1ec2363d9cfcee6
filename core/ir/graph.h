#pragma once
#include "base/ids.h"
#include "ir/attr.h"
#include "ir/op.h"

#include <deque>
#include <string>
#include <vector>

namespace cutaway {

// Where a node comes from: a node of the model as the user wrote it, or a DAG over such (`derived_from`). Resolved when
// asked (Graph::model_nodes), never copied as unions to nodes.
struct Origin {
  std::string name;    // the model node's name, or its first output where it has none; empty for a derived origin
  std::string op_type; // "Conv"; of a derived origin the rule's or pass's name
  std::vector<OriginId> derived_from;

  friend bool operator==(const Origin&, const Origin&) = default;
};

// Physical order of a value's dims, from slowest to fastest; empty: row-major. An annotation: the type stays logical.
using Layout = std::vector<int64_t>;

struct Value {
  ValueId id;
  Type type;
  NodeId producer;
  uint32_t output = 0; // which output of the producer
  std::string name;    // the model's name; may be empty
  Layout layout;

  friend bool operator==(const Value&, const Value&) = default;
};

struct Node {
  NodeId id;
  Op op = Op::param;
  std::vector<ValueId> inputs, outputs;
  Attrs attrs;
  OriginId origin;
  NodeId clone_of; // of a duplicated producer
  GroupId group;   // the fused group it belongs to, one kernel

  friend bool operator==(const Node&, const Node&) = default;
};

struct Use {
  NodeId node;
  uint32_t input = 0;
  friend bool operator==(const Use&, const Use&) = default;
};

struct GraphOutput {
  ValueId value;
  std::string name;
  friend bool operator==(const GraphOutput&, const GraphOutput&) = default;
};

// SSA list of pure nodes in a topological order. Reading is free; every change goes through the edits of ir/edit.h
// (builder when importing, Rewriter in passes). Ids are never reused.
class Graph {
 public:
  std::string name;

  bool alive(NodeId n) const { return n.v < nodes_.size() && nodes_[n.v].id.valid(); }
  bool alive(ValueId v) const { return v.v < values_.size() && values_[v.v].id.valid(); }
  const Node& node(NodeId n) const;
  const Value& value(ValueId v) const;
  const Node& producer(ValueId v) const { return node(value(v).producer); }
  const Type& type(ValueId v) const { return value(v).type; }
  // All nodes, each after the producers of its inputs.
  std::vector<NodeId> order() const;
  NodeId first() const { return head_; }
  NodeId next(NodeId n) const { return links_[n.v].next; }
  NodeId prev(NodeId n) const { return links_[n.v].prev; }
  size_t node_count() const { return count_; }

  // Readers of a value in no particular order; a node that reads it twice is there twice. Graph outputs are not uses.
  const std::vector<Use>& uses(ValueId v) const { return uses_[v.v]; }
  bool is_output(ValueId v) const;
  // The param nodes by their index, and the outputs in order.
  const std::vector<NodeId>& params() const { return params_; }
  const std::vector<GraphOutput>& outputs() const { return outputs_; }

  const Origin& origin(OriginId o) const { return origins_[o.v]; }
  size_t origin_count() const { return origins_.size(); }
  // The model nodes behind an origin, each once, in order of first mention.
  std::vector<OriginId> model_nodes(OriginId o) const;
  // The first model node behind a node, for people: "conv1", and "node 'conv1' (Conv)"; "n12" where there is none.
  std::string model_name(NodeId n) const;
  std::string place(NodeId n) const;
  // One past the highest id ever given.
  uint32_t node_bound() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t value_bound() const { return static_cast<uint32_t>(values_.size()); }

  friend bool operator==(const Graph& a, const Graph& b);

 private:
  friend class GraphEditor;
  struct Link {
    NodeId prev, next;
  };
  std::deque<Node> nodes_;
  std::deque<Value> values_;
  std::deque<Link> links_;
  std::deque<std::vector<Use>> uses_;
  std::vector<uint32_t> output_uses_; // per value: how many graph outputs it is
  std::vector<NodeId> params_;
  std::vector<GraphOutput> outputs_;
  std::vector<Origin> origins_;
  NodeId head_, tail_;
  size_t count_ = 0;
};

} // namespace cutaway
