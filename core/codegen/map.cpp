#include "codegen/map.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {

PointPrinter::PointPrinter(NestPrinter& p, std::string indent) : p_(p), indent_(std::move(indent)) {
  load = [this](ValueId v, const Indices& at) { return p_.load(v, at); };
  store = [this](ValueId v, const Indices& at, const std::string& value) { return p_.store(v, at, value); };
}

void PointPrinter::node(const Node& n, const Indices& at) {
  const ValueId out = n.outputs[0];
  std::string e;
  if (is_elementwise(n.op)) {
    std::vector<std::string> operands;
    for (ValueId v : n.inputs) operands.push_back(p_.in_group(v) ? fmt::format("v{}", v.v) : load(v, p_.operand_indices(v, out, at)));
    e = p_.expression(n, operands);
  } else {
    e = moved(n, at);
  }
  text += fmt::format("{}const {} v{} = {};\n", indent_, c_type(p_.g.type(out).dtype), out.v, e);
  if (p_.escapes(out)) text += indent_ + store(out, at, fmt::format("v{}", out.v)) + "\n";
}

// Ops that read elsewhere than where they write: their operands come from memory.
std::string PointPrinter::moved(const Node& n, const Indices& at) {
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
    for (size_t d = 0; d < at.size(); ++d) in.push_back(fmt::format("({}) * {} + {}", at[d], p_.dialect.number(n.attrs.ints("steps")[d]), p_.dialect.number(n.attrs.ints("starts")[d])));
    return p_.load(n.inputs[0], in);
  }
  case Op::broadcast: return p_.load(n.inputs[0], p_.operand_indices(n.inputs[0], n.outputs[0], at));
  case Op::pad: return padded(n, at);
  case Op::concat: return joined(n, at);
  default: return gathered(n, at);
  }
}

Indices PointPrinter::reshaped(const Node& n, const Indices& at) {
  const auto from = static_dims(p_.g.type(n.inputs[0]).shape), to = static_dims(p_.g.type(n.outputs[0]).shape);
  std::string linear = "0";
  for (size_t d = 0; d < to.size(); ++d) linear = d ? fmt::format("({}) * {} + ({})", linear, p_.dialect.number(to[d]), at[d]) : fmt::format("({})", at[d]);
  const std::string name = fmt::format("l{}", n.outputs[0].v);
  text += fmt::format("{}const {} {} = {};\n", indent_, p_.dialect.index, name, linear);
  Indices in(from.size());
  int64_t below = 1;
  for (size_t d = from.size(); d-- > 0; below *= from[d]) in[d] = fmt::format("{} / {} % {}", name, p_.dialect.number(below), p_.dialect.number(std::max<int64_t>(from[d], 1)));
  return in;
}

std::string PointPrinter::padded(const Node& n, const Indices& at) {
  const auto in_dims = static_dims(p_.g.type(n.inputs[0]).shape);
  std::string inside = "1";
  Indices in;
  for (size_t d = 0; d < at.size(); ++d) {
    const int64_t low = n.attrs.ints("low")[d], high = n.attrs.ints("high")[d], step = n.attrs.ints("interior")[d] + 1;
    const std::string name = fmt::format("p{}_{}", n.outputs[0].v, d);
    text += fmt::format("{}const {} {} = ({}) - {};\n", indent_, p_.dialect.index, name, at[d], p_.dialect.number(low));
    if (low || high || step > 1) inside += fmt::format(" && {0} >= 0 && {0} < {1}", name, p_.dialect.number((in_dims[d] - 1) * step + 1));
    if (step > 1) inside += fmt::format(" && {} % {} == 0", name, p_.dialect.number(step));
    in.push_back(step > 1 ? fmt::format("{} / {}", name, p_.dialect.number(step)) : name);
  }
  return fmt::format("{} ? {} : {}", inside, p_.load(n.inputs[0], in), p_.load(n.inputs[1], {}));
}

std::string PointPrinter::joined(const Node& n, const Indices& at) {
  const auto axis = static_cast<size_t>(n.attrs.i("axis"));
  std::string e;
  int64_t first = 0;
  for (size_t k = 0; k < n.inputs.size(); ++k) {
    Indices in = at;
    in[axis] = fmt::format("(({}) - {})", at[axis], p_.dialect.number(first));
    first += static_dims(p_.g.type(n.inputs[k]).shape)[axis];
    e += k + 1 < n.inputs.size() ? fmt::format("({}) < {} ? {} : ", at[axis], p_.dialect.number(first), p_.load(n.inputs[k], in)) : p_.load(n.inputs[k], in);
  }
  return e;
}

std::string PointPrinter::gathered(const Node& n, const Indices& at) {
  const auto axis = static_cast<std::ptrdiff_t>(n.attrs.i("axis"));
  const auto rank = static_cast<std::ptrdiff_t>(p_.g.type(n.inputs[1]).rank());
  const int64_t extent = static_dims(p_.g.type(n.inputs[0]).shape)[static_cast<size_t>(axis)];
  const Indices index(at.begin() + axis, at.begin() + axis + rank);
  checks_indices = true;
  const std::string name = fmt::format("g{}", n.outputs[0].v);
  text += fmt::format("{}long {} = (long){};\n", indent_, name, p_.load(n.inputs[1], index));
  text += fmt::format("{0}{1} += {1} < 0 ? {2}L : 0L;\n{0}if ({1} < 0 || {1} >= {2}L) {{ *flag = 1; {1} = 0; }}\n", indent_, name, extent);
  Indices in(at.begin(), at.begin() + axis);
  in.push_back(name);
  in.insert(in.end(), at.begin() + axis + rank, at.end());
  return p_.load(n.inputs[0], in);
}

int64_t stride_along(const NestPrinter& p, ValueId v, ValueId out, size_t dim) {
  const Shape &s = p.g.type(v).shape, &o = p.g.type(out).shape;
  const size_t lead = o.size() - s.size();
  return dim < lead || s[dim - lead].is(1) ? 0 : p.storage.access(v).strides[dim - lead];
}

namespace {

// Merges neighbouring loops where every access of the group runs straight through both.
std::vector<LoopDim> merged(NestPrinter& p, const std::vector<NodeId>& nodes, ValueId out, std::vector<LoopDim> loops) {
  const auto straight = [&](ValueId v, size_t outer, size_t inner, int64_t inner_extent) {
    return stride_along(p, v, out, outer) == stride_along(p, v, out, inner) * inner_extent;
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

std::optional<MapNest> MapNest::of(NestPrinter& p, const std::vector<NodeId>& nodes) {
  MapNest nest;
  nest.out = p.g.node(nodes.back()).outputs[0];
  const Shape& shape = p.g.type(nest.out).shape;
  for (NodeId id : nodes) {
    const Node& n = p.g.node(id);
    if (!can_generate(p.g, n) || !(p.g.type(n.outputs[0]).shape == shape)) return std::nullopt;
    const OpClass cls = op_class(n.op);
    if (cls == OpClass::reduction || cls == OpClass::contraction || cls == OpClass::window) return std::nullopt;
    nest.indexed = nest.indexed || !is_elementwise(n.op);
    if (!is_elementwise(n.op) && nodes.size() > 1)
      for (ValueId v : n.inputs)
        if (p.in_group(v)) return std::nullopt;
  }
  const auto dims = static_dims(shape);
  nest.outer = loop_order(dims, p.storage.access(nest.out).strides);
  if (!nest.indexed) nest.outer = merged(p, nodes, nest.out, nest.outer);
  nest.inner = nest.outer.empty() ? LoopDim{1, dims.size()} : nest.outer.back();
  if (!nest.outer.empty()) nest.outer.pop_back();
  nest.at.assign(dims.size(), "0");
  for (const LoopDim& l : nest.outer) nest.at[l.dim] = fmt::format("i{}", l.dim);
  if (nest.inner.dim < dims.size()) nest.at[nest.inner.dim] = fmt::format("i{}", nest.inner.dim);
  return nest;
}

} // namespace cutaway::codegen
