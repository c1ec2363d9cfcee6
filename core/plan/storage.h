#pragma once
#include "ir/graph.h"

#include <optional>

namespace cutaway::plan {

// Where a value's elements lie: in the storage of `root`, element i at offset + sum(i[d] * strides[d]) (in elements).
// A value with storage of its own is its own root, with strides that follow its layout.
struct Access {
  ValueId root;
  int64_t offset = 0;
  std::vector<int64_t> strides;

  friend bool operator==(const Access&, const Access&) = default;
};

// Strides of a dense tensor whose dims lie in the given physical order (slowest first; empty: row-major).
std::vector<int64_t> dense_strides(const std::vector<int64_t>& dims, const Layout& layout);

// Strides under `to` of the elements that lie at `strides` under `from`, in row-major order of both; nothing where no
// strides say it (the reshape must copy). Dims of extent 1 never stand in the way.
std::optional<std::vector<int64_t>> reshape_strides(const std::vector<int64_t>& from, const std::vector<int64_t>& strides,
                                                    const std::vector<int64_t>& to);

// The accesses of all values of a graph with static shapes. Which view ops move no bytes is decided here, once, for
// liveness and code generation: a view outside any fused group whose output is no graph output and that strides can say.
class Storage {
 public:
  explicit Storage(const Graph& graph);

  const Access& access(ValueId v) const { return accesses_[v.v]; }
  // True of view ops that move no bytes.
  bool is_alias(NodeId n) const { return alias_[n.v]; }

 private:
  std::optional<Access> view_access(const Graph& g, const Node& n) const;

  std::vector<Access> accesses_;
  std::vector<bool> alias_;
};

} // namespace cutaway::plan
