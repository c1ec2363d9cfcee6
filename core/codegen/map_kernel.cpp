#include "codegen/nest.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {
namespace {

// Prints the values of a map group at one point of its domain.
class PointPrinter {
 public:
  PointPrinter(NestPrinter& p, std::string indent) : p_(p), indent_(std::move(indent)) {}

  void node(const Node& n, const Indices& at) {
    const ValueId out = n.outputs[0];
    std::string e;
    if (is_elementwise(n.op)) {
      std::vector<std::string> operands;
      for (ValueId v : n.inputs) operands.push_back(operand(v, p_.operand_indices(v, out, at)));
      e = p_.expression(n, operands);
    } else {
      e = moved(n, at);
    }
    text += fmt::format("{}const {} v{} = {};\n", indent_, c_type(p_.g.type(out).dtype), out.v, e);
    if (p_.escapes(out)) text += indent_ + p_.store(out, at, fmt::format("v{}", out.v)) + "\n";
  }

  std::string text;

 private:
  std::string operand(ValueId v, const Indices& at) {
    return p_.in_group(v) ? fmt::format("v{}", v.v) : p_.load(v, at);
  }

  // Ops that read elsewhere than where they write: their operands come from memory.
  std::string moved(const Node& n, const Indices& at) {
    switch (n.op) {
    case Op::iota: return fmt::format("({})({})", c_type(p_.g.type(n.outputs[0]).dtype), at[static_cast<size_t>(n.attrs.i("axis"))]);
    case Op::reshape: return p_.load(n.inputs[0], reshaped(n, at));
    case Op::permute: {
      Indices in(at.size());
      for (size_t d = 0; d < at.size(); ++d) in[static_cast<size_t>(n.attrs.ints("perm")[d])] = at[d];
      return p_.load(n.inputs[0], in);
    }
    case Op::slice: {
      Indices in;
      for (size_t d = 0; d < at.size(); ++d) in.push_back(fmt::format("({}) * {}L + {}L", at[d], n.attrs.ints("steps")[d], n.attrs.ints("starts")[d]));
      return p_.load(n.inputs[0], in);
    }
    case Op::broadcast: return p_.load(n.inputs[0], p_.operand_indices(n.inputs[0], n.outputs[0], at));
    case Op::pad: return padded(n, at);
    case Op::concat: return joined(n, at);
    default: return gathered(n, at);
    }
  }

  Indices reshaped(const Node& n, const Indices& at) {
    const auto from = static_dims(p_.g.type(n.inputs[0]).shape), to = static_dims(p_.g.type(n.outputs[0]).shape);
    std::string linear = "0";
    for (size_t d = 0; d < to.size(); ++d) linear = d ? fmt::format("({}) * {}L + ({})", linear, to[d], at[d]) : fmt::format("({})", at[d]);
    const std::string name = fmt::format("l{}", n.outputs[0].v);
    text += fmt::format("{}const long {} = {};\n", indent_, name, linear);
    Indices in(from.size());
    int64_t below = 1;
    for (size_t d = from.size(); d-- > 0; below *= from[d]) in[d] = fmt::format("{} / {}L % {}L", name, below, std::max<int64_t>(from[d], 1));
    return in;
  }

  std::string padded(const Node& n, const Indices& at) {
    const auto in_dims = static_dims(p_.g.type(n.inputs[0]).shape);
    std::string inside = "1";
    Indices in;
    for (size_t d = 0; d < at.size(); ++d) {
      const int64_t low = n.attrs.ints("low")[d], high = n.attrs.ints("high")[d], step = n.attrs.ints("interior")[d] + 1;
      const std::string name = fmt::format("p{}_{}", n.outputs[0].v, d);
      text += fmt::format("{}const long {} = ({}) - {}L;\n", indent_, name, at[d], low);
      if (low || high || step > 1) inside += fmt::format(" && {0} >= 0 && {0} < {1}L", name, (in_dims[d] - 1) * step + 1);
      if (step > 1) inside += fmt::format(" && {} % {}L == 0", name, step);
      in.push_back(step > 1 ? fmt::format("{} / {}L", name, step) : name);
    }
    return fmt::format("{} ? {} : {}", inside, p_.load(n.inputs[0], in), p_.load(n.inputs[1], {}));
  }

  std::string joined(const Node& n, const Indices& at) {
    const auto axis = static_cast<size_t>(n.attrs.i("axis"));
    std::string e;
    int64_t first = 0;
    for (size_t k = 0; k < n.inputs.size(); ++k) {
      Indices in = at;
      in[axis] = fmt::format("(({}) - {}L)", at[axis], first);
      first += static_dims(p_.g.type(n.inputs[k]).shape)[axis];
      e += k + 1 < n.inputs.size() ? fmt::format("({}) < {}L ? {} : ", at[axis], first, p_.load(n.inputs[k], in)) : p_.load(n.inputs[k], in);
    }
    return e;
  }

  std::string gathered(const Node& n, const Indices& at) {
    const auto axis = static_cast<std::ptrdiff_t>(n.attrs.i("axis"));
    const auto rank = static_cast<std::ptrdiff_t>(p_.g.type(n.inputs[1]).rank());
    const int64_t extent = static_dims(p_.g.type(n.inputs[0]).shape)[static_cast<size_t>(axis)];
    const Indices index(at.begin() + axis, at.begin() + axis + rank);
    const std::string name = fmt::format("g{}", n.outputs[0].v);
    text += fmt::format("{}long {} = (long){};\n", indent_, name, p_.load(n.inputs[1], index));
    text += fmt::format("{0}{1} += {1} < 0 ? {2}L : 0L;\n{0}if ({1} < 0 || {1} >= {2}L) {{ *flag = 1; {1} = 0; }}\n", indent_, name, extent);
    Indices in(at.begin(), at.begin() + axis);
    in.push_back(name);
    in.insert(in.end(), at.begin() + axis + rank, at.end());
    return p_.load(n.inputs[0], in);
  }

  NestPrinter& p_;
  std::string indent_;
};

bool reads_by_index(Op op) { return !is_elementwise(op); }

// Merges neighbouring loops where every access of the group runs straight through both.
std::vector<LoopDim> merged(NestPrinter& p, const std::vector<NodeId>& nodes, ValueId out, std::vector<LoopDim> loops) {
  const auto straight = [&](ValueId v, size_t outer, size_t inner, int64_t inner_extent) {
    const Shape &s = p.g.type(v).shape, &o = p.g.type(out).shape;
    const size_t lead = o.size() - s.size();
    const auto stride = [&](size_t d) -> int64_t { return d < lead || s[d - lead].is(1) ? 0 : p.storage.access(v).strides[d - lead]; };
    return stride(outer) == stride(inner) * inner_extent;
  };
  for (size_t k = loops.size(); k-- > 1;) {
    bool fits = true;
    for (NodeId id : nodes) {
      const Node& n = p.g.node(id);
      for (ValueId v : n.inputs) fits = fits && (p.in_group(v) || !literal_of(p.g, v).empty() || straight(v, loops[k - 1].dim, loops[k].dim, loops[k].extent));
      fits = fits && straight(n.outputs[0], loops[k - 1].dim, loops[k].dim, loops[k].extent);
    }
    if (!fits) continue;
    // The inner dim takes the product and its index runs over both; the outer index is then 0.
    loops[k].extent *= loops[k - 1].extent;
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(k) - 1);
  }
  return loops;
}

} // namespace

bool print_map(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options&) {
  const ValueId out = p.g.node(nodes.back()).outputs[0];
  const auto dims = static_dims(p.g.type(out).shape);
  bool indexed = false;
  for (NodeId id : nodes) {
    const Node& n = p.g.node(id);
    if (!can_generate(p.g, n) || !(p.g.type(n.outputs[0]).shape == p.g.type(out).shape)) return false;
    const OpClass cls = op_class(n.op);
    if (cls == OpClass::reduction || cls == OpClass::contraction || cls == OpClass::window) return false;
    indexed = indexed || reads_by_index(n.op);
    if (reads_by_index(n.op) && nodes.size() > 1)
      for (ValueId v : n.inputs)
        if (p.in_group(v)) return false;
  }
  auto loops = loop_order(dims, p.storage.access(out).strides);
  if (!indexed) loops = merged(p, nodes, out, loops);
  const LoopDim inner = loops.empty() ? LoopDim{1, dims.size()} : loops.back();
  if (!loops.empty()) loops.pop_back();
  int64_t rows = 1;
  for (const LoopDim& l : loops) rows *= l.extent;
  Indices at(dims.size(), "0");
  for (const LoopDim& l : loops) at[l.dim] = fmt::format("i{}", l.dim);
  if (inner.dim < dims.size()) at[inner.dim] = fmt::format("i{}", inner.dim);

  PointPrinter points(p, "      ");
  for (NodeId id : nodes) points.node(p.g.node(id), at);
  const bool flat = loops.empty();
  const int64_t block = flat ? 8192 : inner.extent, grain = flat ? 1 : std::max<int64_t>(1, 8192 / std::max<int64_t>(inner.extent, 1));
  if (flat) rows = (inner.extent + block - 1) / block;
  std::string body = p.pointers() + fmt::format("  int* flag = buffers[{}];\n  (void)flag;\n", kernel.buffers.size());
  body += open_units(rows, grain);
  if (flat) {
    body += fmt::format("    const long stop = (row + 1) * {0}L < {1}L ? (row + 1) * {0}L : {1}L;\n", block, inner.extent);
    body += fmt::format("    for (long i{0} = row * {1}L; i{0} < stop; ++i{0}) {{\n", inner.dim, block);
  } else {
    body += split_row(loops) + fmt::format("    for (long i{0} = 0; i{0} < {1}L; ++i{0}) {{\n", inner.dim, inner.extent);
  }
  kernel.text = fmt::format("void {}(void* const* buffers, long begin, long end, void* scratch) {{\n  (void)scratch;\n{}{}    }}\n  }}\n}}\n", kernel.symbol, body, points.text);
  kernel.units = element_count(p.g.type(out).shape).value() == 0 ? 0 : (rows + grain - 1) / grain;
  kernel.loop_nest = fmt::format("for row in 0..{}\n  for i in 0..{}\n    {}\n", rows, flat ? block : inner.extent, kernel.name);
  return true;
}

} // namespace cutaway::codegen
