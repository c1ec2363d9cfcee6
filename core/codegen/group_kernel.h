#pragma once
#include "codegen/contraction/contraction.h"
#include "ir/graph.h"
#include "plan/storage.h"

namespace cutaway::codegen {

// What is known of the kernel of a fused group (or of a node alone) whatever device it is for.
struct GroupKernel {
  GroupId group;              // none: a node alone
  std::vector<NodeId> nodes;  // in order
  std::string name;           // for people: "dot_general+add+tanh"
  std::string symbol, text;   // text empty: builtin
  std::string loop_nest;      // the nest as text people can read
  std::vector<ValueId> buffers; // root values behind the kernel's pointers
  std::vector<ValueId> reads, writes; // roots
  // Reads that the one write may overwrite: each element is read just where and before it is written.
  std::vector<ValueId> in_place;
  int64_t units = 1;            // of work that may run at once: parts of a loop, blocks of threads
  bool checks_indices = false;  // it sets the error flag where an index is out of range
  double flops = 0;
  std::optional<TileChoice> choice; // of a product or convolution
  std::vector<ValueId> names; // the value that the text calls v<index>; invalid where that number means something else

  bool builtin() const { return text.empty(); }
};

// The kernel of these nodes before anything is printed.
GroupKernel describe_group(const Graph& g, GroupId group, const std::vector<NodeId>& nodes, const std::string& symbol);

// Reads and writes where the reference evaluation runs the nodes.
void find_builtin_operands(const Graph& g, const plan::Storage& storage, GroupKernel& kernel);

// Names made from ids of the graph (v12, acc12, l12, g12, p12_0) get numbers local to the kernel, so that equal kernels of
// different layers have equal texts and are compiled once. `names`: the ids by local number.
std::string with_local_names(const std::string& text, std::vector<ValueId>& names);

// Operands that only elementwise nodes read, at the very places where the one result is written. Only forms that load all
// operands of an element before they store it may do so.
std::vector<ValueId> overwritable(const Graph& g, const plan::Storage& storage, const GroupKernel& kernel);

// Whether there is nothing to compute: every node's first output is empty.
bool is_empty(const Graph& g, const std::vector<NodeId>& nodes);

} // namespace cutaway::codegen
