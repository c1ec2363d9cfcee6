#include "codegen/kernel.h"

#include "base/prelude/prelude.h"
#include "codegen/nest.h"

#include <algorithm>

namespace cutaway::codegen {
namespace {

// A list of at most three ops, then the number of the rest.
std::string name_of(const Graph& g, const std::vector<NodeId>& nodes) {
  std::string out;
  for (size_t i = 0; i < nodes.size() && i < 3; ++i) out += (i ? "+" : "") + std::string(op_name(g.node(nodes[i]).op));
  if (nodes.size() > 3) out += "+" + std::to_string(nodes.size() - 3);
  return out;
}

using Print = bool (*)(NestPrinter&, const std::vector<NodeId>&, Kernel&, const Options&);

bool try_print(Print print, const Graph& g, const plan::Storage& storage, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  Kernel attempt = kernel;
  NestPrinter printer(g, storage, nodes, attempt);
  if (!print(printer, nodes, attempt, options)) return false;
  attempt.text = prelude_for(attempt.text) + "\n" + attempt.text;
  kernel = std::move(attempt);
  return true;
}

// Operands that only elementwise nodes read, at the very places where the one result is written. Only forms that load all
// operands of an element before they store it may do so.
std::vector<ValueId> overwritable(const Graph& g, const plan::Storage& storage, const Kernel& kernel) {
  std::vector<ValueId> out;
  if (kernel.writes.size() != 1) return out;
  const ValueId w = kernel.writes[0];
  if (g.value(w).producer != kernel.nodes.back()) return out;
  const plan::Access& to = storage.access(w);
  for (ValueId r : kernel.reads) {
    bool fits = g.type(r).dtype == g.type(w).dtype && g.type(r).bytes() == g.type(w).bytes();
    for (NodeId id : kernel.nodes)
      for (ValueId v : g.node(id).inputs) {
        const plan::Access& from = storage.access(v);
        if (from.root == r) fits = fits && is_elementwise(g.node(id).op) && from.offset == to.offset && from.strides == to.strides && g.type(v).shape == g.type(w).shape;
      }
    if (fits) out.push_back(r);
  }
  return out;
}

Kernel builtin(const Graph& g, const plan::Storage& storage, Kernel kernel) {
  const auto inside = [&](NodeId n) { return std::find(kernel.nodes.begin(), kernel.nodes.end(), n) != kernel.nodes.end(); };
  for (NodeId id : kernel.nodes) {
    for (ValueId v : g.node(id).inputs) {
      const ValueId root = storage.access(v).root;
      if (inside(g.value(root).producer) || std::find(kernel.reads.begin(), kernel.reads.end(), root) != kernel.reads.end()) continue;
      kernel.reads.push_back(root);
    }
    for (ValueId v : g.node(id).outputs) {
      const auto& uses = g.uses(v);
      if (g.is_output(v) || std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return !inside(u.node); }) || uses.empty()) kernel.writes.push_back(v);
    }
  }
  kernel.loop_nest = "builtin " + kernel.name + "\n";
  return kernel;
}

} // namespace

Kernel make_kernel(const Graph& g, const plan::Storage& storage, GroupId group, const std::vector<NodeId>& nodes, const std::string& symbol, const Options& options) {
  Kernel kernel;
  kernel.group = group;
  kernel.nodes = nodes;
  kernel.symbol = symbol;
  kernel.name = name_of(g, nodes);
  for (Print print : {print_contraction_group, print_columns, print_rows, print_map})
    if (try_print(print, g, storage, nodes, kernel, options)) {
      if (print == print_contraction_group || print == print_map) kernel.in_place = overwritable(g, storage, kernel);
      return kernel;
    }
  return builtin(g, storage, std::move(kernel));
}

} // namespace cutaway::codegen
