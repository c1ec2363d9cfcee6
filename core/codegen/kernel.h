#pragma once
#include "codegen/contraction/contraction.h"
#include "ir/graph.h"
#include "plan/storage.h"

namespace cutaway::codegen {

struct Options {
  bool strict = false;
  Simd simd;
  int threads = 2;
};

// One kernel: a fused group (or a node alone) as C text, or a node that the reference evaluation runs in place.
struct Kernel {
  GroupId group;              // none: a node alone
  std::vector<NodeId> nodes;  // in order
  std::string name;           // for people: "dot_general+add+tanh"
  std::string symbol, text;   // text empty: builtin
  std::string loop_nest;      // the nest as text people can read
  std::vector<ValueId> buffers; // root values behind buffers[0..]; one more pointer follows: the error flag (int)
  std::vector<ValueId> reads, writes; // roots
  // Reads that the one write may overwrite: each element is read just where and before it is written.
  std::vector<ValueId> in_place;
  int64_t units = 1;
  int64_t scratch_bytes = 0;  // a thread
  double flops = 0;
  std::optional<TileChoice> choice; // of a product or convolution
  std::vector<ValueId> names;       // the value that the text calls v<index>; invalid where that number means something else

  // A constant operand that is packed once, when the executable is made; it stands in buffers[buffer].
  struct Packed {
    int buffer = 0;
    ValueId source; // a constant node's value
    int64_t bytes = 0;
    std::function<void(const void* from, void* to)> pack;
  };
  std::vector<Packed> packed;
  bool builtin() const { return text.empty(); }
};

// The C type that values of a dtype are computed in, and the names of its functions' suffix: "float", "f32".
const char* c_type(DType t);
const char* suffix(DType t);

// The C expression of an elementwise op over operand expressions; `in` and `out` are the types. Rounds once to f16 and
// bf16. Empty where there is none (the op is then run by the reference evaluation).
std::string elementwise_expression(const Node& node, const std::vector<std::string>& operands, const std::vector<DType>& in, DType out);

// Whether a node can stand in a generated kernel at all.
bool can_generate(const Graph& g, const Node& node);

// Makes the kernel of some nodes that form one group. Falls back to builtin for a single node that cannot be printed.
Kernel make_kernel(const Graph& g, const plan::Storage& storage, GroupId group, const std::vector<NodeId>& nodes, const std::string& symbol, const Options& options);

} // namespace cutaway::codegen
