#include "codegen/cuda/cuda_kernel.h"

#include "base/prelude/prelude.h"
#include "codegen/contraction/nest.h"
#include "codegen/contraction_group.h"
#include "codegen/cuda/print.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {
namespace cuda {

std::string global_thread(const Dialect& dialect, const std::string& name, int threads) {
  return fmt::format("  const {0} {1} = ({0})blockIdx.x * {2} + ({0})threadIdx.x;\n", dialect.index, name, threads);
}

void cover(CudaKernel& kernel, int64_t work, int threads) {
  kernel.threads = threads;
  kernel.grid = {(work + threads - 1) / threads, 1, 1};
}

std::string nest_text(const Graph& g, const CudaKernel& kernel, const std::vector<std::string>& lines) {
  std::string out;
  nest_line(out, 0, fmt::format("grid {} of {} threads", kernel.grid[0], kernel.threads));
  if (kernel.shared_bytes) nest_line(out, 0, fmt::format("shared {} bytes a block", kernel.shared_bytes));
  int depth = 0;
  for (const std::string& line : lines) nest_line(out, depth++, line);
  for (NodeId n : kernel.nodes) nest_line(out, depth, op_name(g.node(n).op));
  return out;
}

} // namespace cuda

namespace {

constexpr int64_t most_buffers = 500;               // a launch takes 4,096 bytes of parameters
constexpr int64_t most_narrow = int64_t{1} << 30;   // extents up to which indices are ints, with room for tails
constexpr int64_t most_blocks = (int64_t{1} << 31) - 1;

// Ints are enough where no operand reaches further; a device divides them several times faster.
Dialect dialect_of(const Graph& g, const plan::Storage& storage, const std::vector<NodeId>& nodes) {
  const auto narrow = [&](ValueId v) {
    const auto count = [&](ValueId w) { return element_count(g.type(w).shape).value(); };
    return count(v) < most_narrow && count(storage.access(v).root) < most_narrow;
  };
  for (NodeId id : nodes) {
    const Node& n = g.node(id);
    if (!std::all_of(n.inputs.begin(), n.inputs.end(), narrow) || !std::all_of(n.outputs.begin(), n.outputs.end(), narrow)) return {};
  }
  return {"int", ""};
}

double count(const Graph& g, ValueId v) { return static_cast<double>(element_count(g.type(v).shape).value()); }

double flops_of(const Graph& g, const Node& n) {
  const double out = count(g, n.outputs[0]);
  switch (op_class(n.op)) {
  case OpClass::contraction: {
    const auto w = static_dims(g.type(n.inputs[1]).shape);
    double depth = n.op == Op::conv ? 1 : static_cast<double>(w[w.size() - 2]);
    for (size_t d = 1; n.op == Op::conv && d < w.size(); ++d) depth *= static_cast<double>(w[d]);
    return 2 * depth * out;
  }
  case OpClass::window: {
    double taps = 1;
    for (int64_t w : n.attrs.ints("window")) taps *= static_cast<double>(w);
    return taps * out;
  }
  case OpClass::reduction: return count(g, n.inputs[0]);
  case OpClass::elementwise: return out;
  default: return 0;
  }
}

// Operands once each, as far as the group reads them, and what it writes.
double bytes_of(const Graph& g, const plan::Storage& storage, const CudaKernel& kernel) {
  double bytes = 0;
  std::vector<ValueId> seen;
  for (ValueId v : kernel.writes) bytes += static_cast<double>(g.type(v).bytes());
  for (NodeId id : kernel.nodes) {
    const Node& n = g.node(id);
    for (size_t i = 0; i < n.inputs.size(); ++i) {
      const ValueId v = n.inputs[i], root = storage.access(v).root;
      if (std::find(kernel.reads.begin(), kernel.reads.end(), root) == kernel.reads.end() || std::find(seen.begin(), seen.end(), v) != seen.end()) continue;
      seen.push_back(v);
      int64_t most = std::min(g.type(v).bytes(), g.type(root).bytes());
      if (n.op == Op::gather && i == 0) most = std::min(most, g.type(n.outputs[0]).bytes());
      bytes += static_cast<double>(most);
    }
  }
  return bytes;
}

std::string reason(const Graph& g, const std::vector<NodeId>& nodes) {
  for (NodeId id : nodes) {
    const Node& n = g.node(id);
    for (const auto& list : {n.inputs, n.outputs})
      for (ValueId v : list)
        if (!is_computable(g.type(v).dtype)) return fmt::format("no kernel for {} of {}", op_name(n.op), dtype_name(g.type(v).dtype));
    if (!can_generate(g, n)) return fmt::format("no kernel for {}", op_name(n.op));
  }
  return fmt::format("no kernel for this form of {}", op_name(g.node(nodes.front()).op));
}

// The function around the statements. A result that may take its operand's place must not be declared apart from it.
std::string whole_text(const CudaKernel& kernel) {
  std::string parameters;
  const char* apart = kernel.in_place.empty() ? "__restrict__ " : "";
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const bool written = std::find(kernel.writes.begin(), kernel.writes.end(), kernel.buffers[i]) != kernel.writes.end();
    parameters += fmt::format("{}{}char* {}b{}", i ? ", " : "", written ? "" : "const ", apart, i);
  }
  if (kernel.checks_indices) parameters += ", int* flag";
  return fmt::format("CW_KERNEL({}, {})({}) {{\n{}}}\n", kernel.symbol, kernel.threads, parameters, kernel.text);
}

using Print = bool (*)(NestPrinter&, const std::vector<NodeId>&, CudaKernel&, const CudaOptions&);

bool try_print(Print print, const Graph& g, const plan::Storage& storage, CudaKernel& kernel, const CudaOptions& options) {
  CudaKernel attempt = kernel;
  NestPrinter printer(g, storage, kernel.nodes, attempt, dialect_of(g, storage, kernel.nodes));
  if (!print(printer, kernel.nodes, attempt, options)) return false;
  if (static_cast<int64_t>(attempt.buffers.size()) > most_buffers || attempt.grid[0] > most_blocks) return false;
  if (print == cuda::print_contraction || print == cuda::print_map) attempt.in_place = overwritable(g, storage, attempt);
  attempt.text = with_local_names(whole_text(attempt), attempt.names);
  attempt.text = device_prelude_for(attempt.text) + "\n" + attempt.text;
  for (NodeId id : attempt.nodes) attempt.flops += flops_of(g, g.node(id));
  attempt.bytes = bytes_of(g, storage, attempt);
  attempt.product = plain_product(printer, kernel.nodes, attempt);
  attempt.convolution = plain_convolution(printer, kernel.nodes, attempt);
  kernel = std::move(attempt);
  return true;
}

} // namespace

CudaKernel make_cuda_kernel(const Graph& g, const plan::Storage& storage, GroupId group, const std::vector<NodeId>& nodes, const std::string& symbol, const CudaOptions& options) {
  CudaKernel kernel{describe_group(g, group, nodes, symbol)};
  if (is_empty(g, nodes)) {
    kernel.why_not = "nothing to compute: the result is empty";
  } else {
    for (Print print : {cuda::print_contraction, cuda::print_window, cuda::print_rows, cuda::print_map})
      if (try_print(print, g, storage, kernel, options)) return kernel;
    kernel.why_not = reason(g, nodes);
  }
  find_builtin_operands(g, storage, kernel);
  kernel.loop_nest = "builtin " + kernel.name + "\n";
  return kernel;
}

} // namespace cutaway::codegen
