#pragma once
#include "codegen/nest.h"

#include <optional>

namespace cutaway::codegen {

// Start value, step and final rounding of a reduction, as C.
std::string neutral(Op op, DType t);
const char* sum_type(Op op, DType t); // the C type of the accumulator
std::string combine(Op op, DType t, const std::string& acc, const std::string& v);
std::string rounded_result(DType t, const std::string& acc);

// A group of reductions over the same axes of the same extents, and elementwise nodes on either the full extents or what
// is left of them. `stage`: in which loop over a row a full value can be made; after how many loops a row value is ready.
struct RowGroup {
  std::vector<int64_t> dims, axes, keep_shape, drop_shape;
  std::map<uint32_t, int> stage;
  std::map<uint32_t, bool> is_row;
  int reductions = 0, stages = 0;

  static std::optional<RowGroup> of(NestPrinter& p, const std::vector<NodeId>& nodes);
};

} // namespace cutaway::codegen
