#include "codegen/map.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {

bool print_map(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options&) {
  const auto nest = MapNest::of(p, nodes);
  if (!nest) return false;
  const LoopDim inner = nest->inner;
  int64_t rows = 1;
  for (const LoopDim& l : nest->outer) rows *= l.extent;
  PointPrinter points(p, "      ");
  for (NodeId id : nodes) points.node(p.g.node(id), nest->at);
  const bool flat = nest->outer.empty();
  const int64_t block = flat ? 8192 : inner.extent, grain = flat ? 1 : std::max<int64_t>(1, 8192 / std::max<int64_t>(inner.extent, 1));
  if (flat) rows = (inner.extent + block - 1) / block;
  std::string body = p.pointers() + fmt::format("  int* flag = buffers[{}];\n  (void)flag;\n", kernel.buffers.size());
  body += open_units(rows, grain);
  if (flat) {
    body += fmt::format("    const long stop = (row + 1) * {0}L < {1}L ? (row + 1) * {0}L : {1}L;\n", block, inner.extent);
    body += fmt::format("    for (long i{0} = row * {1}L; i{0} < stop; ++i{0}) {{\n", inner.dim, block);
  } else {
    body += split_row(nest->outer) + fmt::format("    for (long i{0} = 0; i{0} < {1}L; ++i{0}) {{\n", inner.dim, inner.extent);
  }
  kernel.text = fmt::format("void {}(void* const* buffers, long begin, long end, void* scratch) {{\n  (void)scratch;\n{}{}    }}\n  }}\n}}\n", kernel.symbol, body, points.text);
  kernel.checks_indices = points.checks_indices;
  kernel.units = element_count(p.g.type(nest->out).shape).value() == 0 ? 0 : (rows + grain - 1) / grain;
  kernel.loop_nest = fmt::format("for row in 0..{}\n  for i in 0..{}\n    {}\n", rows, flat ? block : inner.extent, kernel.name);
  return true;
}

} // namespace cutaway::codegen
