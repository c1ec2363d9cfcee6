#include "runtime/host_values.h"

#include "ir/eval.h"

#include <algorithm>

namespace cutaway::runtime {
namespace {

// Calls f(i, position) for the elements in row-major order, with the position of each under the access.
template <class F> void for_each_element(const std::vector<int64_t>& dims, const plan::Access& a, F&& f) {
  const int64_t count = count_of(dims).value_or(0);
  std::vector<int64_t> index(dims.size(), 0);
  int64_t at = a.offset;
  for (int64_t i = 0; i < count; ++i) {
    f(i, at);
    for (size_t d = dims.size(); d-- > 0; index[d] = 0) {
      at += a.strides[d];
      if (++index[d] < dims[d]) break;
      at -= a.strides[d] * dims[d];
    }
  }
}

// Copies a tensor to where its storage lies, under the storage's strides.
void scatter_to(const Tensor& t, std::byte* base, const plan::Access& a) {
  const auto size = dtype_size(t.dtype());
  const Tensor full = t.aligned();
  if (a.strides == plan::dense_strides(t.dims(), {})) {
    if (t.bytes()) std::memcpy(base + a.offset * size, full.data(), static_cast<size_t>(t.bytes()));
    return;
  }
  for_each_element(t.dims(), a, [&](int64_t i, int64_t at) { std::memcpy(base + at * size, full.data() + i * size, static_cast<size_t>(size)); });
}

} // namespace

Tensor HostValues::view(ValueId v, const std::shared_ptr<std::byte>& owner) const {
  const plan::Access& a = storage_.access(v);
  const Type& t = graph_.type(v);
  const auto dims = static_dims(t.shape);
  const std::byte* base = address[a.root.v];
  const auto size = dtype_size(t.dtype);
  if (a.strides == plan::dense_strides(dims, {})) return Tensor(t.dtype, dims, base + a.offset * size, owner);
  Tensor out(t.dtype, dims);
  for_each_element(dims, a, [&](int64_t i, int64_t at) { std::memcpy(out.mutable_data() + i * size, base + at * size, static_cast<size_t>(size)); });
  return out;
}

Status HostValues::run(const codegen::GroupKernel& kernel, const std::shared_ptr<std::byte>& owner) const {
  // A group that could not be compiled runs node by node; its inner values live here only.
  std::vector<std::pair<ValueId, Tensor>> inner;
  for (NodeId id : kernel.nodes) {
    const Node& n = graph_.node(id);
    std::vector<Tensor> in;
    for (ValueId v : n.inputs) {
      const auto it = std::find_if(inner.begin(), inner.end(), [&](const auto& e) { return e.first == v; });
      in.push_back(it != inner.end() ? it->second : view(v, owner));
    }
    std::vector<Type> types;
    for (ValueId v : n.outputs) types.push_back(graph_.type(v));
    auto out = eval(n.op, n.attrs, in, types);
    if (!out) return within(graph_.place(id), out.error());
    for (size_t i = 0; i < n.outputs.size(); ++i) {
      const ValueId v = n.outputs[i];
      if (address[v.v]) scatter_to((*out)[i], address[v.v], storage_.access(v));
      inner.emplace_back(v, (*out)[i]);
    }
  }
  return {};
}

} // namespace cutaway::runtime
