#include "codegen/map.h"

#include "codegen/cuda/print.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace cutaway::codegen::cuda {
namespace {

// The type of one element in memory.
std::string stored_type(DType t) { return t == DType::f16 ? "half16" : t == DType::bf16 ? "bf16" : c_type(t); }

// How many neighbours one thread may take at once: 16 bytes of the widest type, where every access of the group either
// stands still along the fastest dim or runs through it, and starts at a multiple. 1: one element a thread.
int64_t width_of(const NestPrinter& p, const std::vector<NodeId>& nodes, const MapNest& nest) {
  if (nest.indexed || nest.inner.dim >= p.g.type(nest.out).rank()) return 1;
  std::vector<ValueId> accessed;
  for (NodeId id : nodes) {
    const Node& n = p.g.node(id);
    for (ValueId v : n.inputs)
      if (!p.in_group(v) && literal_of(p.g, v).empty()) accessed.push_back(v);
    if (p.escapes(n.outputs[0])) accessed.push_back(n.outputs[0]);
  }
  int64_t widest = 2;
  for (ValueId v : accessed) widest = std::max(widest, dtype_size(p.g.type(v).dtype));
  const int64_t width = 16 / widest;
  if (nest.inner.extent % width != 0) return 1;
  for (ValueId v : accessed) {
    const int64_t inner = stride_along(p, v, nest.out, nest.inner.dim);
    if (inner == 0 && !p.in_group(v)) continue;
    bool fits = inner == 1 && p.storage.access(v).offset % width == 0;
    for (const LoopDim& l : nest.outer) fits = fits && stride_along(p, v, nest.out, l.dim) % width == 0;
    if (!fits) return 1;
  }
  return width;
}

// Statements before, inside and after the loop over a thread's neighbours.
class VectorPoints {
 public:
  VectorPoints(NestPrinter& p, const MapNest& nest, int64_t width) : p_(p), nest_(nest), width_(width), points_(p, "    ") {
    points_.load = [this](ValueId v, const Indices& at) { return load(v, at); };
    points_.store = [this](ValueId v, const Indices& at, const std::string& value) { return store(v, at, value); };
  }

  std::string text(const std::vector<NodeId>& nodes) {
    for (NodeId id : nodes) points_.node(p_.g.node(id), nest_.at);
    return head_ + fmt::format("#pragma unroll\n  for (int j = 0; j < {}; ++j) {{\n", width_) + points_.text + "  }\n" + tail_;
  }

 private:
  std::string type(ValueId v) const { return fmt::format("cw_vec<{}, {}>", stored_type(p_.g.type(v).dtype), width_); }
  std::string place(ValueId v, const Indices& at) const { return fmt::format("[({}) / {}]", p_.address(v, at), width_); }

  std::string load(ValueId v, const Indices& at) {
    if (!literal_of(p_.g, v).empty()) return p_.load(v, at);
    const DType t = p_.g.type(v).dtype;
    const bool runs = stride_along(p_, v, nest_.out, nest_.inner.dim) == 1;
    const std::string from = runs ? fmt::format("((const {}*)b{}){}", type(v), p_.buffer(v, false), place(v, at)) : p_.load(v, at);
    auto [it, fresh] = names_.try_emplace(from, fmt::format("x{}", names_.size()));
    if (fresh) head_ += fmt::format("  const {} {} = {};\n", runs ? type(v) : c_type(t), it->second, from);
    if (!runs) return it->second;
    const std::string element = it->second + ".at[j]";
    return is_half(t) ? "to_float(" + element + ")" : element;
  }

  std::string store(ValueId v, const Indices& at, const std::string& value) {
    const DType t = p_.g.type(v).dtype;
    const std::string name = fmt::format("y{}", stored_++);
    head_ += fmt::format("  {} {};\n", type(v), name);
    tail_ += fmt::format("  (({}*)b{}){} = {};\n", type(v), p_.buffer(v, true), place(v, at), name);
    const std::string rounded = t == DType::f16 ? "to_half(" + value + ")" : t == DType::bf16 ? "to_bf16(" + value + ")" : value;
    return fmt::format("{}.at[j] = {};", name, rounded);
  }

  NestPrinter& p_;
  const MapNest& nest_;
  int64_t width_;
  PointPrinter points_;
  std::map<std::string, std::string> names_; // of what is loaded, by its expression
  int stored_ = 0;
  std::string head_, tail_;
};

} // namespace

bool print_map(NestPrinter& p, const std::vector<NodeId>& nodes, CudaKernel& kernel, const CudaOptions&) {
  const auto nest = MapNest::of(p, nodes);
  if (!nest) return false;
  for (NodeId id : nodes) // an empty operand has no element to stand in for a bad index
    if (const Node& n = p.g.node(id); n.op == Op::gather && p.g.type(n.inputs[0]).bytes() == 0) return false;
  const int64_t width = width_of(p, nodes, *nest);
  std::vector<LoopDim> loops = nest->outer;
  if (nest->inner.dim < p.g.type(nest->out).rank()) loops.push_back({nest->inner.extent / width, nest->inner.dim});
  int64_t work = 1;
  for (const LoopDim& l : loops) work *= l.extent;
  cover(kernel, work, block_threads);
  std::string head = global_thread(p.dialect, "row", block_threads);
  if (work % block_threads) head += fmt::format("  if (row >= {}) return;\n", p.dialect.number(work));
  for (LoopDim& l : loops) l.dim = l.dim == nest->inner.dim && width > 1 ? p.g.type(nest->out).rank() : l.dim;
  head += split_row(loops, "row", p.dialect);
  if (width > 1) {
    head += fmt::format("    const {0} i{1} = i{2} * {3};\n", p.dialect.index, nest->inner.dim, p.g.type(nest->out).rank(), width);
    kernel.text = head + VectorPoints(p, *nest, width).text(nodes);
  } else {
    PointPrinter points(p, "  ");
    for (NodeId id : nodes) points.node(p.g.node(id), nest->at);
    kernel.text = head + points.text;
    kernel.checks_indices = points.checks_indices;
  }
  std::vector<std::string> lines{fmt::format("for {} of {} elements", work, width)};
  kernel.loop_nest = nest_text(p.g, kernel, lines);
  return true;
}

} // namespace cutaway::codegen::cuda
