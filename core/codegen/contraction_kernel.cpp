#include "codegen/nest.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {
namespace {

bool elem_of(DType t, Elem& e) {
  switch (t) {
  case DType::f32: return e = Elem::f32, true;
  case DType::f64: return e = Elem::f64, true;
  case DType::f16: return e = Elem::f16, true;
  case DType::bf16: return e = Elem::bf16, true;
  case DType::i8: return e = Elem::i8, true;
  case DType::u8: return e = Elem::u8, true;
  case DType::i16: return e = Elem::i16, true;
  case DType::u16: return e = Elem::u16, true;
  case DType::i32: return e = Elem::i32, true;
  case DType::u32: return e = Elem::u32, true;
  case DType::i64: return e = Elem::i64, true;
  case DType::u64: return e = Elem::u64, true;
  default: return false;
  }
}

// The type that sums are kept in.
Elem accumulator(DType t) {
  switch (t) {
  case DType::f64: return Elem::f64;
  case DType::i64: return Elem::i64;
  case DType::u64: return Elem::u64;
  case DType::f32: case DType::f16: case DType::bf16: return Elem::f32;
  case DType::u8: case DType::u16: case DType::u32: return Elem::u32;
  default: return Elem::i32;
  }
}

bool is_constant(const NestPrinter& p, ValueId v) { return p.g.producer(p.storage.access(v).root).op == Op::constant; }

// An operand of a product seen against the batch dims of the result.
Operand operand_of(NestPrinter& p, ValueId v, const std::vector<int64_t>& batch) {
  const plan::Access& a = p.storage.access(v);
  const auto dims = static_dims(p.g.type(v).shape);
  Operand o;
  elem_of(p.g.type(v).dtype, o.elem);
  const size_t own = dims.size() - 2, lead = batch.size() - own;
  for (size_t d = 0; d < batch.size(); ++d) o.batch_strides.push_back(d < lead || dims[d - lead] == 1 ? 0 : a.strides[d - lead]);
  o.row_stride = a.strides[own];
  o.col_stride = a.strides[own + 1];
  o.offset = a.offset;
  return o;
}

// A packed constant takes a buffer of its own, beside any other use of the same values.
int packed_buffer(Kernel& kernel, const NestPrinter& p, ValueId v) {
  kernel.buffers.push_back(p.storage.access(v).root);
  return static_cast<int>(kernel.buffers.size()) - 1;
}

// The elementwise nodes behind the product, printed for one element, and the declarations they need.
Epilogue epilogue_of(NestPrinter& p, const std::vector<NodeId>& nodes, DType t) {
  const auto body = [&p, nodes, t](const std::string& acc, const std::vector<std::string>& at) {
    std::string out;
    const ValueId first = p.g.node(nodes.front()).outputs[0];
    std::string e = fmt::format("({})({})", c_type(t), acc);
    if (t == DType::f16) e = "cw_round_f16(" + e + ")";
    if (t == DType::bf16) e = "cw_round_bf16(" + e + ")";
    out += fmt::format("const {} v{} = {};\n", c_type(t), first.v, e);
    if (p.escapes(first)) out += p.store(first, at, fmt::format("v{}", first.v)) + "\n";
    for (size_t k = 1; k < nodes.size(); ++k) {
      const Node& n = p.g.node(nodes[k]);
      const ValueId v = n.outputs[0];
      std::vector<std::string> operands;
      for (ValueId in : n.inputs) operands.push_back(p.in_group(in) ? fmt::format("v{}", in.v) : p.load(in, p.operand_indices(in, v, at)));
      out += fmt::format("const {} v{} = {};\n", c_type(p.g.type(v).dtype), v.v, p.expression(n, operands));
      if (p.escapes(v)) out += p.store(v, at, fmt::format("v{}", v.v)) + "\n";
    }
    return out;
  };
  return Epilogue(body);
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
  const auto dims = static_dims(p.g.type(n.outputs[0]).shape);
  const DType t = p.g.type(n.outputs[0]).dtype;
  Elem e;
  if (!elem_of(t, e)) return false;
  MatmulSpec spec;
  spec.batch.assign(dims.begin(), dims.end() - 2);
  spec.m = dims[dims.size() - 2], spec.n = dims.back();
  spec.k = static_dims(p.g.type(n.inputs[0]).shape).back();
  spec.a = operand_of(p, n.inputs[0], spec.batch);
  spec.b = operand_of(p, n.inputs[1], spec.batch);
  spec.acc = accumulator(t);
  spec.a.buffer = p.buffer(n.inputs[0], false);
  const bool whole = std::all_of(spec.b.batch_strides.begin(), spec.b.batch_strides.end(), [](int64_t s) { return s == 0; });
  spec.b_packed = is_constant(p, n.inputs[1]) && whole && spec.k > 0;
  spec.b.buffer = spec.b_packed ? packed_buffer(kernel, p, n.inputs[1]) : p.buffer(n.inputs[1], false);
  const Printed printed = print_matmul(spec, kernel.symbol, with_prologue(kernel, epilogue_of(p, nodes, t), dims.size()), options.simd, options.threads);
  take(kernel, printed);
  if (spec.b_packed) kernel.packed.push_back({spec.b.buffer, n.inputs[1], printed.packed_bytes, [spec, simd = options.simd](const void* from, void* to) { pack_matmul(spec, from, to, simd); }});
  return true;
}

bool print_conv_group(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  const Node& n = p.g.node(nodes.front());
  if (!is_constant(p, n.inputs[1])) return false;
  const auto x = static_dims(p.g.type(n.inputs[0]).shape), w = static_dims(p.g.type(n.inputs[1]).shape), y = static_dims(p.g.type(n.outputs[0]).shape);
  const DType t = p.g.type(n.outputs[0]).dtype;
  Elem e;
  if (!elem_of(t, e) || x.size() > 5) return false;
  const plan::Access &ax = p.storage.access(n.inputs[0]), &aw = p.storage.access(n.inputs[1]);
  if (aw.offset != 0) return false;
  ConvSpec spec;
  spec.batch = x[0];
  spec.in_size.assign(x.begin() + 2, x.end());
  spec.out_size.assign(y.begin() + 2, y.end());
  spec.kernel.assign(w.begin() + 2, w.end());
  spec.stride = n.attrs.ints("strides"), spec.dilation = n.attrs.ints("dilations"), spec.pad_begin = n.attrs.ints("pad_low");
  spec.groups = n.attrs.i("groups"), spec.in_channels = x[1], spec.out_channels = y[1];
  spec.input.elem = e, spec.weights_elem = e, spec.acc = accumulator(t);
  spec.input.batch_stride = ax.strides[0], spec.input.channel_stride = ax.strides[1], spec.input.offset = ax.offset;
  spec.input.spatial_strides.assign(ax.strides.begin() + 2, ax.strides.end());
  spec.weight_strides = aw.strides;
  spec.input.buffer = p.buffer(n.inputs[0], false);
  spec.weights = packed_buffer(kernel, p, n.inputs[1]);
  // The printer counts output channels last: n, spatial..., oc.
  const Epilogue logical = epilogue_of(p, nodes, t);
  const Epilogue inner([logical](const std::string& acc, const std::vector<std::string>& at) {
    std::vector<std::string> idx{at.front(), at.back()};
    idx.insert(idx.end(), at.begin() + 1, at.end() - 1);
    return logical.body(acc, idx);
  });
  const Printed printed = print_conv(spec, kernel.symbol, with_prologue(kernel, inner, y.size()), options.simd, options.threads);
  take(kernel, printed);
  kernel.packed.push_back({spec.weights, n.inputs[1], printed.packed_bytes, [spec, simd = options.simd](const void* from, void* to) { pack_conv(spec, from, to, simd); }});
  return true;
}

} // namespace

bool print_contraction_group(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  const Node& first = p.g.node(nodes.front());
  if (op_class(first.op) != OpClass::contraction || !can_generate(p.g, first)) return false;
  for (size_t k = 1; k < nodes.size(); ++k) {
    const Node& n = p.g.node(nodes[k]);
    if (!is_elementwise(n.op) || !can_generate(p.g, n) || !(p.g.type(n.outputs[0]).shape == p.g.type(first.outputs[0]).shape)) return false;
  }
  return first.op == Op::conv ? print_conv_group(p, nodes, kernel, options) : print_dot(p, nodes, kernel, options);
}

} // namespace cutaway::codegen
