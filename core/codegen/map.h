#pragma once
#include "codegen/nest.h"

#include <optional>

namespace cutaway::codegen {

// Prints the values of a map group at one point of its domain.
class PointPrinter {
 public:
  PointPrinter(NestPrinter& p, std::string indent);

  void node(const Node& n, const Indices& at);

  // How operands of elementwise nodes are loaded and values stored; the nest's own way unless set.
  std::function<std::string(ValueId v, const Indices& at)> load;
  std::function<std::string(ValueId v, const Indices& at, const std::string& value)> store;
  std::string text;
  bool checks_indices = false; // *flag is set where an index is out of range

 private:
  std::string moved(const Node& n, const Indices& at);
  Indices reshaped(const Node& n, const Indices& at);
  std::string padded(const Node& n, const Indices& at);
  std::string joined(const Node& n, const Indices& at);
  std::string gathered(const Node& n, const Indices& at);

  NestPrinter& p_;
  std::string indent_;
};

// The domain of a map group: loops in the order in which the output lies in memory, merged where every access runs straight
// through; `at`: the output's indices. An output of one element has one loop over it, of no dim.
struct MapNest {
  ValueId out;
  std::vector<LoopDim> outer;
  LoopDim inner;
  Indices at;
  bool indexed = false; // some node reads elsewhere than where it writes

  static std::optional<MapNest> of(NestPrinter& p, const std::vector<NodeId>& nodes);
};

// The stride in memory of v along a dim of the output that it is broadcast to.
int64_t stride_along(const NestPrinter& p, ValueId v, ValueId out, size_t dim);

} // namespace cutaway::codegen
