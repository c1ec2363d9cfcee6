#include "ir/infer.h"
#include "ir/text.h"

namespace cutaway {
namespace {

Diagnostic wrong(const Node& n, const std::string& what) { return invalid_model("n" + std::to_string(n.id.v) + " (" + op_name(n.op) + ")", what); }

// An attribute that an op cannot do without, by its place in AttrValue.
struct Required {
  const char* name;
  size_t kind;
};
constexpr size_t an_int = 0, a_string = 2, a_list = 3, a_shape = 6, a_dtype = 7, a_tensor = 8;

std::vector<Required> required_of(Op op) {
  switch (op) {
  case Op::param: return {{"index", an_int}, {"shape", a_shape}, {"to", a_dtype}};
  case Op::constant: return {{"data", a_tensor}};
  case Op::iota: return {{"axis", an_int}, {"shape", a_shape}, {"to", a_dtype}};
  case Op::cast: case Op::bitcast: return {{"to", a_dtype}};
  case Op::argmax: case Op::argmin: return {{"axes", a_list}, {"keepdims", an_int}, {"last", an_int}};
  case Op::reshape: case Op::broadcast: return {{"shape", a_shape}};
  case Op::permute: return {{"perm", a_list}};
  case Op::slice: return {{"starts", a_list}, {"steps", a_list}, {"sizes", a_list}};
  case Op::pad: return {{"low", a_list}, {"high", a_list}, {"interior", a_list}};
  case Op::dim_of: case Op::cumsum: case Op::cumprod: case Op::concat: case Op::gather: case Op::gather_elements: return {{"axis", an_int}};
  case Op::gather_nd: return {{"batch_dims", an_int}};
  case Op::scatter_elements: return {{"axis", an_int}, {"reduction", a_string}};
  case Op::scatter_nd: return {{"reduction", a_string}};
  case Op::conv: return {{"strides", a_list}, {"dilations", a_list}, {"pad_low", a_list}, {"pad_high", a_list}, {"groups", an_int}};
  case Op::reduce_window: return {{"kind", a_string}, {"window", a_list}, {"strides", a_list}, {"dilations", a_list}, {"pad_low", a_list}, {"pad_high", a_list}};
  case Op::recurrent: return {{"cell", a_string}, {"reverse", an_int}, {"linear_before_reset", an_int}, {"activations", 5}};
  case Op::topk: return {{"axis", an_int}, {"k", an_int}, {"largest", an_int}};
  default: return op_class(op) == OpClass::reduction ? std::vector<Required>{{"axes", a_list}, {"keepdims", an_int}} : std::vector<Required>{};
  }
}

Status verify_node(const Graph& g, const Node& n, const std::vector<bool>& made) {
  std::vector<Type> in;
  for (ValueId v : n.inputs) {
    if (!g.alive(v) || !made[v.v]) return wrong(n, "reads a value that no earlier node makes");
    in.push_back(g.type(v));
  }
  for (ValueId v : n.outputs) {
    const Layout& l = g.value(v).layout;
    std::vector<bool> seen(l.size());
    for (int64_t d : l) {
      if (l.size() != g.type(v).rank() || d < 0 || d >= static_cast<int64_t>(l.size()) || seen[static_cast<size_t>(d)]) return wrong(n, "has a layout that is no permutation of its dims");
      seen[static_cast<size_t>(d)] = true;
    }
  }
  if (n.op == Op::call_fallback) return {};
  if (static_cast<int>(n.outputs.size()) != op_row(n.op).outputs) return wrong(n, "has the wrong number of results");
  for (const Required& r : required_of(n.op)) {
    const AttrValue* v = n.attrs.find(r.name);
    if (!v || v->index() != r.kind) return wrong(n, std::string("needs the attribute '") + r.name + "' of the right kind");
  }
  auto types = infer(n.op, in, n.attrs);
  if (!types) return wrong(n, types.error().what);
  for (size_t i = 0; i < n.outputs.size(); ++i)
    if (!((*types)[i] == g.type(n.outputs[i]))) return wrong(n, "is declared " + g.type(n.outputs[i]).str() + ", it makes " + (*types)[i].str());
  return {};
}

} // namespace

Status verify(const Graph& g) {
  std::vector<bool> made(g.value_bound());
  for (NodeId id = g.first(); id; id = g.next(id)) {
    const Node& n = g.node(id);
    if (Status s = verify_node(g, n, made); !s) return s;
    for (ValueId v : n.outputs) made[v.v] = true;
  }
  for (size_t i = 0; i < g.params().size(); ++i)
    if (!g.params()[i]) return invalid_model("param " + std::to_string(i), "is missing: params are numbered from 0 without gaps");
  if (g.outputs().empty()) return invalid_model("graph", "returns nothing", "end it with `return %value \"name\"`");
  return {};
}

} // namespace cutaway
