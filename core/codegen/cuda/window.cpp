#include "codegen/window.h"

#include "codegen/cuda/print.h"
#include "codegen/reduction.h"

#include <fmt/format.h>

namespace cutaway::codegen::cuda {

// A thread an output, in the order in which they lie in memory; windows in row-major order.
bool print_window(NestPrinter& p, const std::vector<NodeId>& nodes, CudaKernel& kernel, const CudaOptions&) {
  const auto nest = WindowNest::of(p, nodes);
  if (!nest) return false;
  const Node& n = p.g.node(nodes.front());
  const ValueId out = n.outputs[0];
  const DType t = p.g.type(out).dtype;
  int64_t work = 1, taps = 1;
  for (const LoopDim& l : nest->order) work *= l.extent;
  for (const LoopDim& l : nest->loops) taps *= l.extent;
  cover(kernel, work, block_threads);
  std::string body = global_thread(p.dialect, "row", block_threads);
  if (work % block_threads) body += fmt::format("  if (row >= {}) return;\n", p.dialect.number(work));
  body += split_row(nest->order, "row", p.dialect);
  const std::string acc = fmt::format("acc{}", out.v);
  body += fmt::format("  {} {} = {};\n", sum_type(nest->op, t), acc, neutral(nest->op, t));
  for (const LoopDim& l : nest->loops) body += fmt::format("  for ({0} w{1} = 0; w{1} < {2}; ++w{1})\n", p.dialect.index, l.dim, p.dialect.number(l.extent));
  std::string condition;
  for (const WindowNest::Check& c : nest->checks) condition += (condition.empty() ? "" : " && ") + c.condition;
  if (!condition.empty()) body += fmt::format("    if ({})\n", condition);
  body += fmt::format("      {} = {};\n", acc, combine(nest->op, t, acc, p.load(n.inputs[0], nest->in_at)));
  body += epilogue_text(p, nodes, rounded_result(t, acc), nest->at);
  kernel.text = body;
  kernel.loop_nest = nest_text(p.g, kernel, {fmt::format("for output of {}", work), fmt::format("for tap of {}", taps)});
  return true;
}

} // namespace cutaway::codegen::cuda
