#pragma once
#include "place/place.h"

#include <QHash>

#include <span>
#include <vector>

namespace cutaway::views {

// From ids to places in a list. Ids lie close together, but those of a saved document may be anything.
class IdMap {
 public:
  int value(uint32_t id, int otherwise = -1) const {
    if (id < close_.size()) return close_[id] < 0 ? otherwise : close_[id];
    return id < limit ? otherwise : far_.value(id, otherwise);
  }
  void insert(uint32_t id, int place) {
    if (id >= limit) return void(far_.insert(id, place));
    if (id >= close_.size()) close_.resize(size_t(id) + 1, -1);
    close_[id] = place;
  }

 private:
  static constexpr uint32_t limit = 1 << 20;
  std::vector<int> close_;
  QHash<uint32_t, int> far_;
};

// The ops of a graph in the order in which they run, side by side: the document's own are spread over memory, and one walk
// over ten thousand of them takes milliseconds.
class GraphIndex {
 public:
  struct Op {
    const trace::GraphNode* node;
    double order;
    NodeId id;
    GroupId group;
    bool owned; // stands in the body of another op
    std::span<const ValueId> inputs, outputs;
  };
  GraphIndex(const trace::GraphDoc& graph);
  const trace::GraphDoc& graph() const { return graph_; }
  const std::vector<Op>& ops() const { return ops_; }
  // The op that gives a group its colour and its place; null: nobody is in it.
  const trace::GraphNode* leader(GroupId group) const;
  // Where an op is drawn: at its group's leader.
  const trace::GraphNode* leader(const Op& op) const { return op.group.valid() ? leader(op.group) : op.node; }
  // The one at which an op, a kernel or a value is drawn; null: none.
  const trace::GraphNode* leader(Entity e) const;

  GraphIndex(const GraphIndex&) = delete;
  GraphIndex& operator=(const GraphIndex&) = delete;

 private:
  const trace::GraphDoc graph_;
  std::vector<Op> ops_;
  std::vector<ValueId> ids_; // of all ops, one after another
  std::vector<const trace::GraphNode*> leaders_;
  IdMap leader_of_; // by group
};

} // namespace cutaway::views
