#pragma once
#include "base/ids.h"
#include "trace/element_table.h"
#include "trace/text.h"

#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

namespace cutaway::trace {

using NoteId = Id<struct NoteTag>;

// How fusion sees an op; its words are those of tokens.json.
enum class OpClass : uint8_t {
  elementwise, broadcast, injective, reduction, window, contraction, gather_scatter, view, opaque
};
inline constexpr const char* op_class_words[] = {"elementwise", "broadcast", "injective", "reduction", "window", "contraction", "gather/scatter", "view", "opaque"};
inline const char* op_class_name(OpClass c) { return op_class_words[static_cast<size_t>(c)]; }
enum class ValueRole : uint8_t { intermediate, input, output, parameter, constant };
enum class GroupKind : uint8_t { fused, library, eager, region };
// Why a merge, a placement or a rewrite was not made.
enum class RefusalKind : uint8_t { illegal, unprofitable, over_limit };

struct Attribute {
  Text name, value;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

// An op of the graph. `inputs` and `outputs` are the only record of the wiring (see Wiring); an id in `inputs` may
// repeat, and an invalid id is an optional input left out.
struct GraphNode {
  NodeId id;
  Text name;  // as a person reads it, unique only by custom
  Text op;    // name of the primitive
  OpClass op_class = OpClass::opaque;
  bool eager = false;      // runs outside compiled code
  uint8_t category = 0;    // index of its root entity's colour, 0 to 11
  GroupId group;           // the fused group that holds it
  NodeId clone_of;         // the producer this one duplicates
  NodeId owner;            // the region op whose body holds it
  Text scope;              // path of the model's name scopes, '/' between segments: "layer1/layer1.0"
  double order = -1;       // place in the schedule; only comparison has a meaning. Negative: not scheduled yet
  std::vector<ValueId> inputs, outputs;
  std::vector<Attribute> attributes;
  std::vector<Text> origins;  // names of the model nodes that it came from
  std::vector<Text> facts;    // what analysis proved: "never NaN", "in [0, 6]"
  int64_t flops = -1, bytes = -1; // of one run; negative: not known
  friend bool operator==(const GraphNode&, const GraphNode&) = default;
};

// A value; its producer and consumers follow from the nodes.
struct GraphValue {
  ValueId id;
  Text name;
  Text dtype;  // "f32"
  Text shape;  // "[1,64,56,56]", dims may be symbols: "[batch,seq,384]"
  int64_t bytes = -1; // logical; negative: depends on a symbol
  ValueRole role = ValueRole::intermediate;
  Text layout;  // "NHWC", empty: not chosen
  Text strides; // "200704,1,3584,64" in elements
  BufferId buffer; // its place in the arena, once planned
  std::vector<Text> facts;
  friend bool operator==(const GraphValue&, const GraphValue&) = default;
};

// A group; its members are the nodes that name it.
struct GraphGroup {
  GroupId id;
  Text name;    // "K4 conv3"
  Text caption; // shown where nothing was saved: "one pass over k, v"
  GroupKind kind = GroupKind::fused;
  int64_t saved_bytes = 0; // traffic saved against its members one by one
  uint8_t category = 0;
  friend bool operator==(const GraphGroup&, const GraphGroup&) = default;
};

// An annotation that stays until an edit takes it away; a refusal card stays until the next pass.
struct GraphNote {
  NoteId id;
  RefusalKind kind = RefusalKind::illegal;
  Text title;  // "K2 + K3 not fused"
  Text reason; // "Not fused: conv2 reads a 3 x 3 window; recompute costs more than the traffic saved."
  std::vector<Entity> entities; // what it outlines
  friend bool operator==(const GraphNote&, const GraphNote&) = default;
};

// One element added (before is null), changed, or removed (after is null). Exact both ways.
template <class T> struct Change {
  Shared<T> before, after;
};
using Edit = std::variant<Change<GraphNode>, Change<GraphValue>, Change<GraphGroup>, Change<GraphNote>>;

// The graph at one moment. Copies are cheap and share everything with the original; a copy never changes.
struct GraphDoc {
  ElementTable<GraphNode> nodes;
  ElementTable<GraphValue> values;
  ElementTable<GraphGroup> groups;
  ElementTable<GraphNote> notes;

  template <class T> ElementTable<T>& table();
  template <class T> const ElementTable<T>& table() const { return const_cast<GraphDoc*>(this)->table<T>(); }

  void apply(const Edit& edit);
  void undo(const Edit& edit);
  size_t element_count() const { return nodes.size() + values.size() + groups.size() + notes.size(); }

  friend bool operator==(const GraphDoc&, const GraphDoc&) = default;
};
template <> inline ElementTable<GraphNode>& GraphDoc::table() { return nodes; }
template <> inline ElementTable<GraphValue>& GraphDoc::table() { return values; }
template <> inline ElementTable<GraphGroup>& GraphDoc::table() { return groups; }
template <> inline ElementTable<GraphNote>& GraphDoc::table() { return notes; }

// The edits that lead from `a` to `b`, in order of kind and id. Cost: the size of the graph, without looking into what
// both share.
std::vector<Edit> difference(const GraphDoc& a, const GraphDoc& b);

// Changes a graph and keeps the record: the edits of one step, one for each element that ended up different.
class GraphEditor {
 public:
  explicit GraphEditor(GraphDoc graph = {}) : graph_(std::move(graph)), start_(graph_) {}
  const GraphDoc& graph() const { return graph_; }

  // Adds the element or puts it in the place of the one with its id.
  template <class T> void set(T element) {
    using Table = ElementTable<T>;
    touch(touched<T>(), element.id.v);
    static_cast<Table&>(graph_.table<T>()).set(std::make_shared<const T>(std::move(element)));
  }
  // Calls change(T&) on a copy of the element; nothing where there is none.
  template <class T, class F> void update(decltype(T::id) id, F&& change) {
    const T* old = graph_.table<T>().find(id);
    if (!old) return;
    T copy = *old;
    change(copy);
    set(std::move(copy));
  }
  void node(NodeId id, auto&& change) { update<GraphNode>(id, change); }
  void value(ValueId id, auto&& change) { update<GraphValue>(id, change); }
  void group(GroupId id, auto&& change) { update<GraphGroup>(id, change); }

  template <class T> void remove(decltype(T::id) id) {
    touch(touched<T>(), id.v);
    graph_.table<T>().erase(id);
  }
  void erase(NodeId id) { remove<GraphNode>(id); }
  void erase(ValueId id) { remove<GraphValue>(id); }
  void erase(GroupId id) { remove<GraphGroup>(id); }
  void erase(NoteId id) { remove<GraphNote>(id); }
  void erase_notes();

  // The edits since the last call (or since the start); the next step begins here.
  std::vector<Edit> take();

 private:
  using Touched = std::vector<uint32_t>;
  template <class T> Touched& touched();
  static void touch(Touched& ids, uint32_t id) {
    if (ids.empty() || ids.back() != id) ids.push_back(id);
  }
  template <class T> void collect(Touched& ids, std::vector<Edit>& edits);

  GraphDoc graph_, start_;
  Touched nodes_, values_, groups_, notes_;
};
template <> inline GraphEditor::Touched& GraphEditor::touched<GraphNode>() { return nodes_; }
template <> inline GraphEditor::Touched& GraphEditor::touched<GraphValue>() { return values_; }
template <> inline GraphEditor::Touched& GraphEditor::touched<GraphGroup>() { return groups_; }
template <> inline GraphEditor::Touched& GraphEditor::touched<GraphNote>() { return notes_; }

// Who makes and who reads each value, and who belongs to each group; made in one walk over the nodes.
struct Wiring {
  struct Use {
    NodeId node;
    uint32_t input = 0; // index into its inputs
  };
  explicit Wiring(const GraphDoc& graph);
  NodeId producer(ValueId value) const; // invalid: an input, a parameter or a constant
  const std::vector<Use>& consumers(ValueId value) const;
  const std::vector<NodeId>& members(GroupId group) const;

 private:
  std::unordered_map<ValueId, NodeId> producers_;
  std::unordered_map<ValueId, std::vector<Use>> consumers_;
  std::unordered_map<GroupId, std::vector<NodeId>> members_;
};

} // namespace cutaway::trace
