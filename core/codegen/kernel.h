#pragma once
#include "codegen/group_kernel.h"

namespace cutaway::codegen {

struct Options {
  bool strict = false;
  Simd simd;
  int threads = 2;
};

// One kernel as C text, or what the reference evaluation runs in place. One more pointer than `buffers` follows: the error
// flag (int).
struct Kernel : GroupKernel {
  int64_t scratch_bytes = 0; // a thread

  // A constant operand that is packed once, when the executable is made; it stands in buffers[buffer].
  struct Packed {
    int buffer = 0;
    ValueId source; // a constant node's value
    int64_t bytes = 0;
    std::function<void(const void* from, void* to)> pack;
  };
  std::vector<Packed> packed;
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
