#include "codegen/contraction_group.h"

#include "codegen/reduction.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {

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

namespace {

// An operand of a product seen against the batch dims of the result.
Operand operand_of(const NestPrinter& p, ValueId v, const std::vector<int64_t>& batch) {
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

} // namespace

std::optional<MatmulSpec> matmul_of(const NestPrinter& p, const Node& n) {
  const auto dims = static_dims(p.g.type(n.outputs[0]).shape);
  const DType t = p.g.type(n.outputs[0]).dtype;
  Elem e;
  if (!elem_of(t, e)) return std::nullopt;
  MatmulSpec spec;
  spec.batch.assign(dims.begin(), dims.end() - 2);
  spec.m = dims[dims.size() - 2], spec.n = dims.back();
  spec.k = static_dims(p.g.type(n.inputs[0]).shape).back();
  spec.a = operand_of(p, n.inputs[0], spec.batch);
  spec.b = operand_of(p, n.inputs[1], spec.batch);
  spec.acc = accumulator(t);
  return spec;
}

std::optional<ConvSpec> conv_of(const NestPrinter& p, const Node& n) {
  const auto x = static_dims(p.g.type(n.inputs[0]).shape), w = static_dims(p.g.type(n.inputs[1]).shape), y = static_dims(p.g.type(n.outputs[0]).shape);
  const DType t = p.g.type(n.outputs[0]).dtype;
  Elem e;
  if (!elem_of(t, e) || x.size() > 5) return std::nullopt;
  const plan::Access &ax = p.storage.access(n.inputs[0]), &aw = p.storage.access(n.inputs[1]);
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
  return spec;
}

Epilogue epilogue_of(NestPrinter& p, const std::vector<NodeId>& nodes) {
  const auto body = [&p, nodes](const std::string& acc, const std::vector<std::string>& at) {
    return epilogue_text(p, nodes, rounded_result(p.g.type(p.g.node(nodes.front()).outputs[0]).dtype, "(" + acc + ")"), at);
  };
  return Epilogue(body);
}

bool is_contraction_group(const NestPrinter& p, const std::vector<NodeId>& nodes) {
  const Node& first = p.g.node(nodes.front());
  if (op_class(first.op) != OpClass::contraction || !can_generate(p.g, first)) return false;
  for (size_t k = 1; k < nodes.size(); ++k) {
    const Node& n = p.g.node(nodes[k]);
    if (!is_elementwise(n.op) || !can_generate(p.g, n) || !(p.g.type(n.outputs[0]).shape == p.g.type(first.outputs[0]).shape)) return false;
  }
  return true;
}

} // namespace cutaway::codegen
