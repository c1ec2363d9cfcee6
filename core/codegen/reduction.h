#pragma once
#include "codegen/nest.h"

#include <algorithm>
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

// What every printer of such a group asks: indices, the values that a loop needs, and the expressions. `at`: the indices of
// a full value.
class RowNest {
 public:
  RowNest(NestPrinter& printer, const std::vector<NodeId>& group_nodes, RowGroup group);

  const Node& node(NodeId id) const { return p.g.node(id); }
  bool row(ValueId v) const { return r.is_row.at(v.v); }
  int stage(ValueId v) const { return r.stage.at(v.v); }
  bool reduced(size_t dim) const { return std::binary_search(r.axes.begin(), r.axes.end(), static_cast<int64_t>(dim)); }
  int64_t inner() const; // extent of all that is reduced
  int64_t rows() const;

  Indices row_indices(ValueId v) const;
  std::string value_of(const Node& n, const Indices& indices);
  // Full values that a later loop reads and that cost too much to make twice.
  std::vector<ValueId> worth_keeping() const;

  // What the loop of a stage has to make. `wanted`: full values, by id; those of earlier loops that are kept stop there.
  struct Loop {
    std::vector<const Node*> reductions;
    std::vector<bool> wanted;
    bool any = false;
  };
  Loop loop_of(int stage, const std::vector<ValueId>& kept) const;

  // How a printer writes the statements.
  struct Form {
    std::string indent;                                                 // of a row's statements; those in loops stand two deeper
    std::function<std::string(ValueId kept)> place;                     // where a kept value lies, inside a loop
    std::function<std::string(std::string store, bool of_row)> guarded; // a store as it may be made
  };
  // Row values that are ready before the loop of this stage.
  std::string row_statements(int stage, const Form& form);
  // The accumulators that a loop starts with; what its body does.
  std::string accumulators(const Loop& loop, const Form& form) const;
  std::string loop_statements(int stage, const Loop& loop, const std::vector<ValueId>& kept, const Form& form);

  NestPrinter& p;
  const std::vector<NodeId>& nodes;
  const RowGroup r;
  Indices at;

 private:
  void require(ValueId v, int stage, const std::vector<ValueId>& kept, std::vector<bool>& wanted) const;
};

} // namespace cutaway::codegen
