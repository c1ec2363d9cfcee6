#include "codegen/cuda/plain.h"

#include "codegen/contraction_group.h"
#include "codegen/group_kernel.h"

#include <algorithm>

namespace cutaway::codegen {

namespace {

// The batch dims of a side as one, where one stride says them all.
std::optional<int64_t> batch_stride(const std::vector<int64_t>& batch, const std::vector<int64_t>& strides) {
  std::optional<int64_t> stride;
  int64_t next = 0; // the stride that the next dim out must have
  for (size_t d = batch.size(); d-- > 0;) {
    if (batch[d] == 1) continue;
    if (stride && strides[d] != next) return std::nullopt;
    if (!stride) stride = strides[d];
    next = strides[d] * batch[d];
  }
  return stride.value_or(0);
}

bool is_alone(const NestPrinter& p, const std::vector<NodeId>& nodes, Op op) {
  const Node& n = p.g.node(nodes.front());
  const DType type = p.g.type(n.outputs[0]).dtype;
  return nodes.size() == 1 && n.op == op && (type == DType::f32 || type == DType::f16 || type == DType::bf16);
}

// False: the kernel reads it from no buffer.
bool find(const NestPrinter& p, const GroupKernel& kernel, ValueId v, PlainOperand& to) {
  const auto at = std::find(kernel.buffers.begin(), kernel.buffers.end(), p.storage.access(v).root);
  to.buffer = size_t(at - kernel.buffers.begin()), to.offset = p.storage.access(v).offset;
  return at != kernel.buffers.end();
}

} // namespace

std::optional<PlainProduct> plain_product(const NestPrinter& p, const std::vector<NodeId>& nodes, const GroupKernel& kernel) {
  if (!is_alone(p, nodes, Op::dot_general)) return std::nullopt;
  const Node& n = p.g.node(nodes.front());
  const DType type = p.g.type(n.outputs[0]).dtype;
  const auto spec = matmul_of(p, n);
  if (!spec) return std::nullopt;
  PlainProduct out{.type = type, .m = spec->m, .n = spec->n, .k = spec->k, .a = {}, .b = {}, .out = {}};
  for (const int64_t d : spec->batch) out.batch *= d;
  const auto side = [&](ValueId v, int64_t row, int64_t column, const std::vector<int64_t>& batch, PlainProduct::Side& to) {
    const auto stride = batch_stride(spec->batch, batch);
    to.row = row, to.column = column, to.batch = stride.value_or(0);
    return find(p, kernel, v, to) && stride && p.g.type(v).dtype == type && ((column == 1 && row > 0) || (row == 1 && column > 0));
  };
  const auto& strides = p.storage.access(n.outputs[0]).strides;
  const size_t lead = strides.size() - 2;
  const bool fits = side(n.inputs[0], spec->a.row_stride, spec->a.col_stride, spec->a.batch_strides, out.a) && side(n.inputs[1], spec->b.row_stride, spec->b.col_stride, spec->b.batch_strides, out.b) &&
                    side(n.outputs[0], strides[lead], strides[lead + 1], {strides.begin(), strides.end() - 2}, out.out) && out.out.column == 1;
  return fits ? std::optional(out) : std::nullopt;
}

std::optional<PlainConvolution> plain_convolution(const NestPrinter& p, const std::vector<NodeId>& nodes, const GroupKernel& kernel) {
  if (!is_alone(p, nodes, Op::conv)) return std::nullopt;
  const Node& n = p.g.node(nodes.front());
  PlainConvolution out;
  out.type = p.g.type(n.outputs[0]).dtype;
  const auto side = [&](ValueId v, PlainConvolution::Side& to) {
    to.dims = static_dims(p.g.type(v).shape), to.strides = p.storage.access(v).strides;
    return find(p, kernel, v, to) && p.g.type(v).dtype == out.type && to.dims.size() > 2;
  };
  if (!side(n.inputs[0], out.in) || !side(n.inputs[1], out.weights) || !side(n.outputs[0], out.out)) return std::nullopt;
  out.stride = n.attrs.ints("strides"), out.dilation = n.attrs.ints("dilations"), out.pad = n.attrs.ints("pad_low"), out.groups = n.attrs.i("groups");
  return out.pad == n.attrs.ints("pad_high") ? std::optional(out) : std::nullopt;
}

} // namespace cutaway::codegen
