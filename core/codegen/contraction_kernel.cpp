#include "codegen/contraction_group.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {
namespace {

// A packed constant takes a buffer of its own, beside any other use of the same values.
int packed_buffer(Kernel& kernel, const NestPrinter& p, ValueId v) {
  kernel.buffers.push_back(p.storage.access(v).root);
  return static_cast<int>(kernel.buffers.size()) - 1;
}

// Renames b<i> to e_b<i> in statements that stand inside another printer's function.
std::string renamed(const std::string& s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    const bool starts = s[i] == 'b' && i + 1 < s.size() && std::isdigit(static_cast<unsigned char>(s[i + 1])) && (i == 0 || !(std::isalnum(static_cast<unsigned char>(s[i - 1])) || s[i - 1] == '_' || s[i - 1] == '.'));
    if (starts) out += "e_";
    out += s[i];
  }
  return out;
}

void take(Kernel& kernel, const Printed& printed) {
  kernel.text = printed.text;
  kernel.units = printed.units;
  kernel.scratch_bytes = printed.scratch_bytes;
  kernel.flops = printed.flops;
  kernel.loop_nest = printed.loop_nest;
  kernel.choice = printed.choice;
}

// The prologue declares the buffers that the epilogue reads; a dry run finds out which.
Epilogue with_prologue(const Kernel& kernel, const Epilogue& plain, size_t rank) {
  (void)plain.body("0", std::vector<std::string>(rank, "0"));
  std::string prologue;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) prologue += fmt::format("  char* const e_b{0} = (char*)buffers[{0}];\n", i);
  return Epilogue([plain](const std::string& acc, const std::vector<std::string>& at) { return renamed(plain.body(acc, at)); }, prologue);
}

bool print_dot(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  const Node& n = p.g.node(nodes.front());
  auto found = matmul_of(p, n);
  if (!found) return false;
  MatmulSpec& spec = *found;
  spec.a.buffer = p.buffer(n.inputs[0], false);
  const bool whole = std::all_of(spec.b.batch_strides.begin(), spec.b.batch_strides.end(), [](int64_t s) { return s == 0; });
  spec.b_packed = is_constant(p, n.inputs[1]) && whole && spec.k > 0;
  spec.b.buffer = spec.b_packed ? packed_buffer(kernel, p, n.inputs[1]) : p.buffer(n.inputs[1], false);
  const Printed printed = print_matmul(spec, kernel.symbol, with_prologue(kernel, epilogue_of(p, nodes), spec.batch.size() + 2), options.simd, options.threads);
  take(kernel, printed);
  if (spec.b_packed) kernel.packed.push_back({spec.b.buffer, n.inputs[1], printed.packed_bytes, [spec = spec, simd = options.simd](const void* from, void* to) { pack_matmul(spec, from, to, simd); }});
  return true;
}

bool print_conv_group(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  const Node& n = p.g.node(nodes.front());
  if (!is_constant(p, n.inputs[1]) || p.storage.access(n.inputs[1]).offset != 0) return false;
  auto found = conv_of(p, n);
  if (!found) return false;
  ConvSpec& spec = *found;
  spec.input.buffer = p.buffer(n.inputs[0], false);
  spec.weights = packed_buffer(kernel, p, n.inputs[1]);
  // The printer counts output channels last: n, spatial..., oc.
  const Epilogue logical = epilogue_of(p, nodes);
  const Epilogue inner([logical](const std::string& acc, const std::vector<std::string>& at) {
    std::vector<std::string> idx{at.front(), at.back()};
    idx.insert(idx.end(), at.begin() + 1, at.end() - 1);
    return logical.body(acc, idx);
  });
  const Printed printed = print_conv(spec, kernel.symbol, with_prologue(kernel, inner, spec.out_size.size() + 2), options.simd, options.threads);
  take(kernel, printed);
  kernel.packed.push_back({spec.weights, n.inputs[1], printed.packed_bytes, [spec = spec, simd = options.simd](const void* from, void* to) { pack_conv(spec, from, to, simd); }});
  return true;
}

} // namespace

bool print_contraction_group(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  if (!is_contraction_group(p, nodes)) return false;
  return p.g.node(nodes.front()).op == Op::conv ? print_conv_group(p, nodes, kernel, options) : print_dot(p, nodes, kernel, options);
}

} // namespace cutaway::codegen
