#include "runtime/reference.h"

namespace cutaway::runtime {
Result<std::vector<Tensor>> run_reference(const Graph& g, std::span<const Tensor> inputs, const ReferenceOptions& options) {
  std::vector<Tensor> values(g.value_bound());
  std::vector<uint32_t> readers(g.value_bound());
  for (NodeId id = g.first(); id; id = g.next(id))
    for (ValueId v : g.node(id).inputs) ++readers[v.v];
  for (const GraphOutput& o : g.outputs()) ++readers[o.value.v];
  for (NodeId id = g.first(); id; id = g.next(id)) {
    if (options.cancel && options.cancel->load()) return over_limit("", "cancelled");
    const Node& n = g.node(id);
    if (n.op == Op::param) {
      const Tensor& t = inputs[static_cast<size_t>(n.attrs.i("index"))];
      values[n.outputs[0].v] = options.oracle ? to_oracle(t) : t;
    } else {
      std::vector<Tensor> in;
      for (ValueId v : n.inputs) in.push_back(values[v.v]);
      std::vector<Type> types;
      for (ValueId v : n.outputs) types.push_back(g.type(v));
      auto out = eval(n.op, n.attrs, in, types, {options.oracle});
      if (!out) return within(g.place(id), out.error());
      for (size_t i = 0; i < n.outputs.size(); ++i) values[n.outputs[i].v] = std::move((*out)[i]);
    }
    if (options.observe)
      for (ValueId v : n.outputs) options.observe(v, values[v.v]);
    for (ValueId v : n.inputs)
      if (--readers[v.v] == 0) values[v.v] = {};
    for (ValueId v : n.outputs)
      if (readers[v.v] == 0) values[v.v] = {};
  }
  std::vector<Tensor> out;
  for (const GraphOutput& o : g.outputs()) out.push_back(values[o.value.v]);
  return out;
}

} // namespace cutaway::runtime
