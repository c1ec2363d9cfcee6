#pragma once
#include "codegen/nest.h"

#include <optional>

namespace cutaway::codegen {

// A reduction over windows and the elementwise nodes of its shape behind it: an output at `at` combines the elements of
// the input at `in_at` for all w<dim> of `loops` that meet the conditions of `checks`.
struct WindowNest {
  Op op = Op::reduce_sum;
  Indices at, in_at;
  std::vector<LoopDim> order;  // of the outputs in memory, slowest first; at least one
  std::vector<LoopDim> loops;  // over the window, row-major
  struct Check {
    size_t dim = 0;
    std::string condition;
  };
  std::vector<Check> checks;

  static std::optional<WindowNest> of(NestPrinter& p, const std::vector<NodeId>& nodes);
};

} // namespace cutaway::codegen
