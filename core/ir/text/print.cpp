#include "ir/text.h"

#include "ir/text/escape.h"

#include <fmt/format.h>

namespace cutaway {
namespace {

using text_form::quote;

template <class T, class F> std::string list(const std::vector<T>& items, F&& each) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + each(items[i]);
  return out + "]";
}

std::string number(int64_t v) { return std::to_string(v); }
std::string real(double v) { return fmt::format("{:a}", v); }

// `f32[2] splat hex"0000803f"`; strings as a list.
std::string tensor_text(const Tensor& t, const PrintOptions& options) {
  std::string out = t.type().str() + (t.is_splat() ? " splat " : " ");
  if (t.dtype() == DType::string) return out + list(t.strings(), quote);
  const int64_t bytes = t.is_splat() ? dtype_size(t.dtype()) : t.bytes();
  if (options.elide_above >= 0 && bytes > options.elide_above) return out + fmt::format("elided {} bytes", bytes);
  out += "hex\"";
  for (int64_t i = 0; i < bytes; ++i) out += fmt::format("{:02x}", static_cast<unsigned>(t.data()[i]));
  return out + "\"";
}

// Each kind of value has a mark of its own, so that it reads back as what it was.
std::string attribute_text(const AttrValue& v, const PrintOptions& options) {
  struct Visitor {
    const PrintOptions& options;
    std::string operator()(int64_t x) const { return number(x); }
    std::string operator()(double x) const { return "real " + real(x); }
    std::string operator()(const std::string& x) const { return quote(x); }
    std::string operator()(const std::vector<int64_t>& x) const { return list(x, number); }
    std::string operator()(const std::vector<double>& x) const { return "reals " + list(x, real); }
    std::string operator()(const std::vector<std::string>& x) const { return "strings " + list(x, quote); }
    std::string operator()(const Shape& x) const { return "shape " + shape_str(x); }
    std::string operator()(DType x) const { return std::string("type ") + dtype_name(x); }
    std::string operator()(const Tensor& x) const { return "tensor " + tensor_text(x, options); }
  };
  return std::visit(Visitor{options}, v);
}

std::string node_text(const Graph& g, const Node& n, const PrintOptions& options) {
  std::string out = fmt::format("  n{} ", n.id.v);
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    const Value& v = g.value(n.outputs[i]);
    out += fmt::format("{}%{}", i ? ", " : "", v.id.v);
    if (!v.name.empty()) out += " " + quote(v.name);
  }
  out += fmt::format(" = {}(", op_name(n.op));
  for (size_t i = 0; i < n.inputs.size(); ++i) out += fmt::format("{}%{}", i ? ", " : "", n.inputs[i].v);
  out += ")";
  if (!n.attrs.empty()) {
    out += " {";
    for (size_t i = 0; i < n.attrs.entries().size(); ++i)
      out += (i ? ", " : "") + n.attrs.entries()[i].first + " = " + attribute_text(n.attrs.entries()[i].second, options);
    out += "}";
  }
  out += " : ";
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    const Value& v = g.value(n.outputs[i]);
    out += (i ? ", " : "") + v.type.str();
    if (!v.layout.empty()) out += " layout " + list(v.layout, number);
  }
  if (n.group) out += fmt::format(" group {}", n.group.v);
  if (n.clone_of) out += fmt::format(" clone {}", n.clone_of.v);
  if (n.origin) out += fmt::format(" from {}", n.origin.v);
  return out + "\n";
}

} // namespace

std::string attr_text(const AttrValue& value) { return attribute_text(value, {.elide_above = 64}); }

std::string print(const Graph& g, const PrintOptions& options) {
  std::string out = "graph " + quote(g.name) + " {\n";
  for (uint32_t o = 0; o < g.origin_count(); ++o) {
    const Origin& origin = g.origin(OriginId(o));
    out += "  origin " + quote(origin.name) + " " + quote(origin.op_type);
    if (!origin.derived_from.empty()) out += " of " + list(origin.derived_from, [](OriginId d) { return std::to_string(d.v); });
    out += "\n";
  }
  for (NodeId n = g.first(); n; n = g.next(n)) out += node_text(g, g.node(n), options);
  for (const GraphOutput& o : g.outputs()) out += fmt::format("  return %{} {}\n", o.value.v, quote(o.name));
  return out + "}\n";
}

} // namespace cutaway
