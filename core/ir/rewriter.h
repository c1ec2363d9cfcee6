#pragma once
#include "ir/edit.h"

#include <functional>

namespace cutaway {

// The one door through which passes change a graph. What happens between begin() and end() is one event of the journal:
// its reason and its edits. A pass holds no tracing code and cannot change a graph without leaving an event.
class Rewriter {
 public:
  Rewriter(Graph& graph, Journal* journal, const char* pass) : g_(graph), editor_(graph), journal_(journal), pass_(pass) {}

  const Graph& graph() const { return g_; }

  // Opens an event. `code` is a stable word ("fold", "rewrite.mul-one"); args fill its sentence.
  void begin(std::string code, std::vector<Entity> entities, std::vector<Arg> args = {});
  // Closes it; an event without edits is dropped unless `keep`.
  void end(Cost before = {}, Cost after = {}, bool keep = false);
  // Nothing changes, and this is why.
  void refuse(std::string code, std::vector<Entity> entities, std::vector<Arg> args = {}, Cost before = {}, Cost after = {});

  // --- inside an event
  // A new node in front of `before` (none: at the end). Types are inferred; types that do not fit are a bug of the pass.
  std::vector<ValueId> insert(Op op, std::vector<ValueId> inputs, Attrs attrs, NodeId before, OriginId origin);
  ValueId insert_one(Op op, std::vector<ValueId> inputs, Attrs attrs, NodeId before, OriginId origin) {
    return insert(op, std::move(inputs), std::move(attrs), before, origin)[0];
  }
  ValueId insert_constant(Tensor data, NodeId before, OriginId origin);
  // Every reader of `from`, and every graph output that is `from`, reads `to` instead. The types must be equal. The
  // model's name moves to `to` where it has none.
  void replace(ValueId from, ValueId to);
  void set_input(NodeId node, uint32_t input, ValueId value);
  void set_attrs(NodeId node, Attrs attrs);
  void move_before(NodeId node, NodeId before);
  // A node whose outputs nobody reads.
  void erase(NodeId node);
  // The node, and all producers that nobody reads any more (never params).
  void erase_dead(NodeId node);
  void annotate_group(NodeId node, GroupId group);
  void annotate_layout(ValueId value, Layout layout);
  // One origin for what was made of several nodes.
  OriginId derive(const std::string& what, std::vector<OriginId> from);

  size_t changes() const { return changes_; }

 private:
  void apply(Edit edit);

  Graph& g_;
  GraphEditor editor_;
  Journal* journal_;
  const char* pass_;
  Event open_;
  std::shared_ptr<EditBatch> batch_;
  size_t changes_ = 0;
};

} // namespace cutaway
