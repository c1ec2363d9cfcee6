#include "codegen/window.h"

#include <fmt/format.h>

namespace cutaway::codegen {

std::optional<WindowNest> WindowNest::of(NestPrinter& p, const std::vector<NodeId>& nodes) {
  const Node& n = p.g.node(nodes.front());
  if (n.op != Op::reduce_window || !can_generate(p.g, n)) return std::nullopt;
  const ValueId out = n.outputs[0];
  for (size_t k = 1; k < nodes.size(); ++k)
    if (!is_elementwise(p.g.node(nodes[k]).op) || !(p.g.type(p.g.node(nodes[k]).outputs[0]).shape == p.g.type(out).shape)) return std::nullopt;
  const auto dims = static_dims(p.g.type(out).shape), in_dims = static_dims(p.g.type(n.inputs[0]).shape);
  WindowNest nest;
  const std::string& kind = n.attrs.s("kind");
  nest.op = kind == "sum" ? Op::reduce_sum : kind == "max" ? Op::reduce_max : Op::reduce_min;
  nest.order = loop_order(dims, p.storage.access(p.g.node(nodes.back()).outputs[0]).strides);
  if (nest.order.empty()) nest.order.push_back({1, 0});
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool looped = dims[d] != 1 || d == nest.order.back().dim;
    nest.at.push_back(looped ? fmt::format("i{}", d) : "0");
    const int64_t window = n.attrs.ints("window")[d], stride = n.attrs.ints("strides")[d], dilation = n.attrs.ints("dilations")[d], low = n.attrs.ints("pad_low")[d];
    std::string e = fmt::format("({} * {} - {}", nest.at[d], p.dialect.number(stride), p.dialect.number(low));
    if (window > 1) {
      nest.loops.push_back({window, d});
      e += fmt::format(" + w{} * {}", d, p.dialect.number(dilation));
    }
    e += ")";
    const bool inside = low == 0 && (dims[d] - 1) * stride + (window - 1) * dilation < in_dims[d];
    if (!inside) nest.checks.push_back({d, p.dialect.within(e, in_dims[d])});
    nest.in_at.push_back(e);
  }
  return nest;
}

} // namespace cutaway::codegen
