#include "plan/storage.h"

#include "base/check.h"

namespace cutaway::plan {

std::vector<int64_t> dense_strides(const std::vector<int64_t>& dims, const Layout& layout) {
  std::vector<int64_t> strides(dims.size());
  int64_t step = 1;
  for (size_t k = dims.size(); k-- > 0;) {
    const auto d = layout.empty() ? k : static_cast<size_t>(layout[k]);
    strides[d] = step;
    step *= dims[d];
  }
  return strides;
}

std::optional<std::vector<int64_t>> reshape_strides(const std::vector<int64_t>& from, const std::vector<int64_t>& strides,
                                                    const std::vector<int64_t>& to) {
  std::vector<int64_t> out(to.size(), 0);
  for (int64_t d : from)
    if (d == 0) return dense_strides(to, {});
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    // One group: the fewest dims on both sides with equal products.
    const size_t i0 = i, j0 = j;
    int64_t a = i < from.size() ? from[i++] : 1, b = j < to.size() ? to[j++] : 1;
    while (a != b) {
      if (a < b && i < from.size()) a *= from[i++];
      else if (b < a && j < to.size()) b *= to[j++];
      else return std::nullopt;
    }
    // Inside the group the input must be one run: stride of each dim is that of the next times its extent.
    int64_t inner = 0;
    bool found = false;
    for (size_t k = i; k-- > i0;) {
      if (from[k] == 1) continue;
      if (!found) inner = strides[k];
      int64_t expected = inner;
      for (size_t m = k + 1; m < i; ++m) expected *= from[m];
      if (strides[k] != expected) return std::nullopt;
      found = true;
    }
    int64_t step = found ? inner : 0;
    for (size_t k = j; k-- > j0;) {
      out[k] = step;
      step *= to[k];
    }
  }
  return out;
}

Storage::Storage(const Graph& g) : accesses_(g.value_bound()), alias_(g.node_bound()) {
  for (NodeId id = g.first(); id; id = g.next(id)) {
    const Node& n = g.node(id);
    if (op_class(n.op) == OpClass::view && !n.group && !g.is_output(n.outputs[0])) {
      if (auto view = view_access(g, n)) {
        accesses_[n.outputs[0].v] = std::move(*view);
        alias_[id.v] = true;
        continue;
      }
    }
    for (ValueId v : n.outputs) {
      const Value& value = g.value(v);
      accesses_[v.v] = {v, 0, dense_strides(static_dims(value.type.shape), value.layout)};
    }
  }
}

std::optional<Access> Storage::view_access(const Graph& g, const Node& n) const {
  const Access& in = accesses_[n.inputs[0].v];
  const auto from = static_dims(g.type(n.inputs[0]).shape), to = static_dims(g.type(n.outputs[0]).shape);
  Access out{in.root, in.offset, {}};
  switch (n.op) {
  case Op::permute:
    for (int64_t p : n.attrs.ints("perm")) out.strides.push_back(in.strides[static_cast<size_t>(p)]);
    return out;
  case Op::slice:
    for (size_t d = 0; d < to.size(); ++d) {
      if (to[d] > 0) out.offset += n.attrs.ints("starts")[d] * in.strides[d];
      out.strides.push_back(n.attrs.ints("steps")[d] * in.strides[d]);
    }
    return out;
  case Op::broadcast: {
    const size_t lead = to.size() - from.size();
    out.strides.assign(to.size(), 0);
    for (size_t d = 0; d < from.size(); ++d) out.strides[lead + d] = from[d] == 1 ? 0 : in.strides[d];
    return out;
  }
  case Op::reshape: {
    auto strides = reshape_strides(from, in.strides, to);
    if (!strides) return std::nullopt;
    out.strides = std::move(*strides);
    return out;
  }
  default: CUTAWAY_CHECK(false, "not a view op"); return std::nullopt;
  }
}

} // namespace cutaway::plan
