#pragma once
#include "driver/document/names.h"
#include "ir/edit.h"
#include "trace/document.h"

#include <map>
#include <set>

namespace cutaway::driver {

// "200704,1,3584,64", as a document holds them.
std::string strides_text(const std::vector<int64_t>& strides);

// Keeps a document's graph in step with the compiler's: each journal event becomes the edits of one step. Cost: what the
// event touched.
class GraphMirror {
 public:
  explicit GraphMirror(const Graph& imported);

  const Graph& graph() const { return g_; }
  trace::GraphEditor& editor() { return editor_; }
  const trace::GraphDoc& shown() const { return editor_.graph(); }
  // Replays the event; the elements it touched are up to date afterwards.
  void replay(const Event& event);
  // What it costs now. Launches: groups, and nodes alone that move bytes.
  trace::Metrics metrics() const;
  // The most bytes alive at once, over the present order; values inside a group have no storage. O(graph).
  int64_t live_peak() const;
  uint8_t category(NodeId node) const;
  // "conv1", or "bn1.mul" where one model node became several.
  std::string name(NodeId node) const;
  // A group's name: "K4 conv3".
  std::string name(GroupId group) const;
  // The kernel that an entity is part of, where there is one: launches, not ops, are put into streams and captured.
  std::string launch_name(Entity e) const;
  // Of anything that steps speak of; its key where it has no name (any more).
  std::string name(Entity entity) const;

 private:
  struct Members {
    std::set<NodeId> nodes;
    int64_t saved = 0;
  };
  trace::GraphNode make_node(NodeId id) const;
  trace::GraphValue make_value(ValueId id) const;
  trace::GraphGroup make_group(GroupId id) const;
  void touch(const Edit& edit);
  void count(NodeId id, int sign);
  void place(NodeId id);
  void renumber();
  void regroup(NodeId node, GroupId before, GroupId after);

  Graph g_;
  trace::GraphEditor editor_;
  mutable trace::TextPool pool_;
  std::vector<NodeName> names_;
  std::vector<size_t> shared_; // by origin: how many nodes came from it at import
  uint32_t imported_values_;
  std::vector<double> order_;  // by node
  std::map<GroupId, Members> groups_;
  std::set<uint32_t> touched_nodes_, touched_values_, touched_groups_;
  std::set<uint32_t> renumbered_; // nodes that changed their place number and, by that, nothing else
  int64_t nodes_ = 0, alone_ = 0, live_groups_ = 0, traffic_ = 0;
};

} // namespace cutaway::driver
