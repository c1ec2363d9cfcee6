#include "codegen/nest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace cutaway::codegen {

NestPrinter::NestPrinter(const Graph& graph, const plan::Storage& s, const std::vector<NodeId>& nodes, GroupKernel& kernel, Dialect d)
    : g(graph), storage(s), dialect(d), member_(graph.node_bound()), kernel_(kernel) {
  for (NodeId n : nodes) member_[n.v] = true;
}

bool NestPrinter::in_group(ValueId v) const { return member_[g.value(v).producer.v]; }

int NestPrinter::buffer(ValueId v, bool written) {
  const ValueId root = storage.access(v).root;
  auto [it, fresh] = index_.try_emplace(root.v, static_cast<int>(kernel_.buffers.size()));
  if (fresh) kernel_.buffers.push_back(root);
  auto& list = written ? kernel_.writes : kernel_.reads;
  if (std::find(list.begin(), list.end(), root) == list.end()) list.push_back(root);
  return it->second;
}

std::string NestPrinter::address(ValueId v, const Indices& at) const {
  const plan::Access& a = storage.access(v);
  const Shape& shape = g.type(v).shape;
  std::string out;
  for (size_t d = 0; d < at.size(); ++d) {
    if (a.strides[d] == 0 || shape[d].is(1) || at[d] == "0") continue;
    out += out.empty() ? "" : " + ";
    out += a.strides[d] == 1 ? "(" + at[d] + ")" : fmt::format("({})({}) * {}", dialect.index, at[d], dialect.number(a.strides[d]));
  }
  if (a.offset != 0 || out.empty()) out += (out.empty() ? "" : " + ") + std::to_string(a.offset);
  return out;
}

std::string NestPrinter::load(ValueId v, const Indices& at) {
  if (const std::string literal = literal_of(g, v); !literal.empty()) return literal;
  const DType t = g.type(v).dtype;
  const int b = buffer(v, false);
  if (t == DType::f16) return fmt::format("cw_load_f16(b{}, {})", b, address(v, at));
  if (t == DType::bf16) return fmt::format("cw_load_bf16(b{}, {})", b, address(v, at));
  return fmt::format("((const {}*)b{})[{}]", c_type(t), b, address(v, at));
}

std::string NestPrinter::store(ValueId v, const Indices& at, const std::string& value) {
  const DType t = g.type(v).dtype;
  const int b = buffer(v, true);
  if (t == DType::f16) return fmt::format("cw_store_f16(b{}, {}, {});", b, address(v, at), value);
  if (t == DType::bf16) return fmt::format("cw_store_bf16(b{}, {}, {});", b, address(v, at), value);
  return fmt::format("(({}*)b{})[{}] = {};", c_type(t), b, address(v, at), value);
}

Indices NestPrinter::operand_indices(ValueId operand, ValueId result, const Indices& at) const {
  const Shape &in = g.type(operand).shape, &out = g.type(result).shape;
  Indices idx(at.end() - static_cast<std::ptrdiff_t>(in.size()), at.end());
  for (size_t d = 0; d < in.size(); ++d)
    if (in[d].is(1) && !out[out.size() - in.size() + d].is(1)) idx[d] = "0";
  return idx;
}

std::string NestPrinter::pointers() const {
  std::string out;
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) out += fmt::format("  char* restrict b{} = buffers[{}];\n", i, i);
  return out;
}

bool NestPrinter::escapes(ValueId v) const {
  if (g.is_output(v)) return true;
  return std::any_of(g.uses(v).begin(), g.uses(v).end(), [&](const Use& u) { return !member_[u.node.v]; });
}

std::string NestPrinter::expression(const Node& n, const std::vector<std::string>& operands) const {
  std::vector<DType> in;
  for (ValueId v : n.inputs) in.push_back(g.type(v).dtype);
  return elementwise_expression(n, operands, in, g.type(n.outputs[0]).dtype);
}

std::string epilogue_text(NestPrinter& p, const std::vector<NodeId>& nodes, const std::string& value, const Indices& at) {
  std::string out;
  for (NodeId id : nodes) {
    const Node& n = p.g.node(id);
    const ValueId v = n.outputs[0];
    std::string e = value;
    if (id != nodes.front()) {
      std::vector<std::string> operands;
      for (ValueId in : n.inputs) operands.push_back(p.in_group(in) ? fmt::format("v{}", in.v) : p.load(in, p.operand_indices(in, v, at)));
      e = p.expression(n, operands);
    }
    out += fmt::format("const {} v{} = {};\n", c_type(p.g.type(v).dtype), v.v, e);
    if (p.escapes(v)) out += p.store(v, at, fmt::format("v{}", v.v)) + "\n";
  }
  return out;
}

std::string literal_of(const Graph& g, ValueId v) {
  const Node& n = g.producer(v);
  if (n.op != Op::constant) return "";
  const Tensor& t = n.attrs.tensor("data");
  if (t.count() != 1 && !t.is_splat()) return "";
  switch (t.dtype()) {
  case DType::f32: case DType::f16: case DType::bf16: {
    const auto x = static_cast<float>(t.as_double(0));
    if (std::isnan(x)) return "__builtin_nanf(\"\")";
    if (std::isinf(x)) return x > 0 ? "__builtin_inff()" : "(-__builtin_inff())";
    return fmt::format("({:a}f)", x);
  }
  case DType::f64: {
    const double x = t.as_double(0);
    if (std::isnan(x)) return "__builtin_nan(\"\")";
    if (std::isinf(x)) return x > 0 ? "__builtin_inf()" : "(-__builtin_inf())";
    return fmt::format("({:a})", x);
  }
  default: break;
  }
  if (!is_computable(t.dtype())) return "";
  if (t.dtype() == DType::u64) return fmt::format("((cw_u64){}ull)", static_cast<uint64_t>(t.as_int(0)));
  if (t.as_int(0) == INT64_MIN) return "((cw_i64)(-9223372036854775807ll - 1))";
  return fmt::format("(({}){}ll)", c_type(t.dtype()), t.as_int(0));
}

std::vector<LoopDim> loop_order(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides) {
  std::vector<LoopDim> out;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != 1) out.push_back({dims[d], d});
  std::stable_sort(out.begin(), out.end(), [&](const LoopDim& a, const LoopDim& b) { return strides[a.dim] > strides[b.dim]; });
  return out;
}

std::string open_units(int64_t rows, int64_t grain) {
  return fmt::format("  long last = end * {0}L < {1}L ? end * {0}L : {1}L;\n  for (long row = begin * {0}L; row < last; ++row) {{\n", grain, rows);
}

std::string split_row(const std::vector<LoopDim>& dims, const std::string& row, const Dialect& dialect) {
  std::string out;
  int64_t below = 1;
  for (size_t k = dims.size(); k-- > 0; below *= dims[k].extent) {
    std::string e = below == 1 ? row : fmt::format("{} / {}", row, dialect.number(below));
    if (k > 0) e = fmt::format("({}) % {}", e, dialect.number(dims[k].extent));
    out += fmt::format("    const {} i{} = {};\n", dialect.index, dims[k].dim, e);
  }
  return out;
}

} // namespace cutaway::codegen
