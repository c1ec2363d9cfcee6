#pragma once
#include "codegen/kernel.h"

#include <map>

namespace cutaway::codegen {

// Index expressions of one element, one C expression a logical dim.
using Indices = std::vector<std::string>;

// How the two dialects write indices: C counts in long; a device in int where that is enough.
struct Dialect {
  const char* index = "long";
  const char* suffix = "L"; // of index literals

  std::string number(int64_t n) const { return std::to_string(n) + suffix; }
  // A condition: 0 <= e < n.
  std::string within(const std::string& e, int64_t n) const {
    return std::string("(unsigned ") + index + ")" + e + " < " + std::to_string(n) + (*suffix ? "ul" : "u");
  }
};

// Prints the values of one group: loads from storage, expressions, stores. It owns the kernel's buffer table.
class NestPrinter {
 public:
  NestPrinter(const Graph& g, const plan::Storage& storage, const std::vector<NodeId>& nodes, GroupKernel& kernel, Dialect dialect = {});

  bool in_group(ValueId v) const;
  // Index into `buffers` of the storage behind v.
  int buffer(ValueId v, bool written);
  // The address of an element: offset plus strides times indices, as a C expression.
  std::string address(ValueId v, const Indices& at) const;
  // A C expression that loads one element, widened to its compute type.
  std::string load(ValueId v, const Indices& at);
  // A statement that stores an expression of the compute type.
  std::string store(ValueId v, const Indices& at, const std::string& value);
  // The indices of an operand under broadcasting, given those of the result.
  Indices operand_indices(ValueId operand, ValueId result, const Indices& at) const;
  // Declarations of the buffer pointers, for the head of the function.
  std::string pointers() const;
  // Whether a group value must reach memory: a graph output, or read outside the group.
  bool escapes(ValueId v) const;
  // The text of one op's value at the given indices, where operands come from `operand` (C expressions).
  std::string expression(const Node& n, const std::vector<std::string>& operands) const;

  const Graph& g;
  const plan::Storage& storage;
  const Dialect dialect;

 private:
  std::vector<bool> member_;
  GroupKernel& kernel_;
  std::map<uint32_t, int> index_;
};

// The first node's value, given as an expression, and the elementwise nodes of its shape behind it, at one element.
std::string epilogue_text(NestPrinter& p, const std::vector<NodeId>& nodes, const std::string& value, const Indices& at);

// A constant's value as a C literal where it has one element; empty otherwise.
std::string literal_of(const Graph& g, ValueId v);

// Kernels by kind. Each fills text, units and scratch of the kernel; false where the group has another form.
bool print_map(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options);
bool print_rows(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options);
bool print_columns(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options);
bool print_contraction_group(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options);

// Loop dims of an output in the order in which it lies in memory, slowest first; merged where every access allows.
struct LoopDim {
  int64_t extent = 1;
  size_t dim = 0; // logical dim
};
std::vector<LoopDim> loop_order(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides);
// Opens the loop over work units: `rows` outer iterations, `grain` a unit; declares `row`. The closing brace is the caller's.
std::string open_units(int64_t rows, int64_t grain);
// Statements that split `row` into the indices of the given dims.
std::string split_row(const std::vector<LoopDim>& dims, const std::string& row = "row", const Dialect& dialect = {});

} // namespace cutaway::codegen
