#include "driver/document/tables.h"

#include "plan/storage.h"

#include <algorithm>
#include <functional>
#include <fmt/format.h>

namespace cutaway::driver {
namespace {

using Column = trace::TablePanel::Column;
using Row = trace::TablePanel::Row;

constexpr size_t ranked_rows = 8;

std::string joined(const std::vector<int64_t>& v, const char* between) {
  std::string out;
  for (const int64_t x : v) out += (out.empty() ? "" : between) + std::to_string(x);
  return out;
}

// "3 x 3 stride 2, 64 to 128, 28 x 28": window, channels, output
std::string conv_text(const Graph& g, const Node& n) {
  const auto x = static_dims(g.type(n.inputs[0]).shape), w = static_dims(g.type(n.inputs[1]).shape), y = static_dims(g.type(n.outputs[0]).shape);
  const auto spatial = [](const std::vector<int64_t>& dims) { return joined({dims.begin() + 2, dims.end()}, " x "); };
  std::string out = spatial(w);
  const auto& strides = n.attrs.ints("strides");
  if (std::any_of(strides.begin(), strides.end(), [](int64_t s) { return s != 1; })) out += fmt::format(" stride {}", std::adjacent_find(strides.begin(), strides.end(), std::not_equal_to<>()) == strides.end() ? std::to_string(strides[0]) : joined(strides, " x "));
  out += fmt::format(", {} to {}, {}", x[1], y[1], spatial(y));
  if (n.attrs.i("groups") > 1) out += fmt::format(", {} groups", n.attrs.i("groups"));
  return out;
}

std::string problem_text(const Graph& g, const codegen::GroupKernel& k) {
  const Node& n = g.node(k.nodes.front());
  if (n.op == Op::conv) return conv_text(g, n);
  const codegen::TileChoice& c = *k.choice;
  const std::string one = fmt::format("{} x {} x {}", c.rows, c.columns, c.depth);
  return c.products > 1 ? fmt::format("{} of {}", c.products, one) : one;
}

std::string split_text(const codegen::TileChoice& c) {
  std::string out;
  const auto add = [&](int64_t n, const char* what) {
    if (n > 1) out += fmt::format("{}{} {}", out.empty() ? "" : " x ", n, what);
  };
  add(c.products, "products");
  add(c.row_cuts, c.depthwise ? "line cuts" : "row cuts");
  add(c.column_cuts, c.depthwise ? "channel cuts" : "column cuts");
  return out.empty() ? "not split" : out;
}

Row tile_row(const GraphMirror& mirror, const codegen::GroupKernel& k) {
  const codegen::TileChoice& c = *k.choice;
  const std::string tile = c.depthwise ? fmt::format("{} pixels x {} channels", c.tile_rows, c.tile_columns) : fmt::format("{} x {}", c.tile_rows, c.tile_columns);
  return {{kernel_name(mirror, k), k.name, problem_text(mirror.graph(), k), tile, std::to_string(c.depth_blocks), c.rows_from, c.columns_from, split_text(c),
           std::to_string(k.units), fmt::format("{:.0f}", k.flops)},
          {kernel_entity(k)}};
}

// What the model says of the extent `dim` of a value: a symbol's name, a number, or nothing.
const onnx::DimSpec* declared(const onnx::Model& model, const std::string& name, size_t dim) {
  for (const onnx::ValueInfo& v : model.graph.inputs)
    if (v.name == name && v.type.shape && dim < v.type.shape->size()) return &(*v.type.shape)[dim];
  return nullptr;
}
bool is_input(const onnx::Model& model, const std::string& name) {
  return std::any_of(model.graph.inputs.begin(), model.graph.inputs.end(), [&](const onnx::ValueInfo& v) { return v.name == name; });
}

std::string value_text(const Tensor& t) {
  std::string out;
  const int64_t shown = std::min<int64_t>(t.count(), 8);
  for (int64_t i = 0; i < shown; ++i) {
    out += i ? ", " : "";
    out += t.dtype() == DType::string ? '"' + t.strings()[static_cast<size_t>(i)] + '"' : is_float(t.dtype()) ? fmt::format("{}", t.as_double(i)) : std::to_string(t.as_int(i));
  }
  if (shown < t.count()) out += fmt::format(", ... {} in all", t.count());
  return t.rank() ? "[" + out + "]" : out;
}

// An input as guards write it: a name with other letters is quoted.
std::string quoted(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '/' || c >= 0x80; });
  return plain && !name.empty() ? name : "'" + name + "'";
}

void extent_guards(trace::TablePanel& out, const onnx::Model& model, const std::string& name, const Type& type, const std::vector<Entity>& who) {
  const std::string origin = is_input(model, name) ? "input of the model" : "computed by an earlier part";
  if (type.rank() == 0) out.rows.push_back({{quoted(name) + ".rank == 0", "0", "a single element", origin}, who});
  const auto dims = static_dims(type.shape);
  for (size_t d = 0; d < dims.size(); ++d) {
    const onnx::DimSpec* spec = declared(model, name, d);
    const std::string why = spec && spec->kind == onnx::DimSpec::Kind::param   ? "symbol " + spec->param + " of the model"
                            : spec && spec->kind == onnx::DimSpec::Kind::value ? "the model fixes it"
                            : is_input(model, name)                            ? "the model leaves it open"
                                                                               : "its extent was known when the part was compiled";
    out.rows.push_back({{fmt::format("{}.shape[{}] == {}", quoted(name), d, dims[d]), std::to_string(dims[d]), why, origin}, who});
  }
}

// Where a view op's bytes are, and why.
struct Fate {
  bool copies = false;
  std::string why;
};
Fate fate_of(const GraphMirror& mirror, const plan::Storage& storage, NodeId id) {
  const Graph& g = mirror.graph();
  const Node& n = g.node(id);
  const ValueId v = n.outputs[0];
  if (storage.is_alias(id)) return {false, "another reading of the same bytes"};
  const auto& uses = g.uses(v);
  const bool escapes = !n.group || g.is_output(v) || std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return g.node(u.node).group != n.group; });
  if (!escapes) return {false, "read in that order inside " + mirror.name(n.group)};
  if (g.is_output(v)) return {true, "an output of the model, which has storage of its own"};
  if (n.group) return {true, "written by " + mirror.name(n.group) + ", read outside it"};
  return {true, "no strides say it"};
}

} // namespace

std::string kernel_name(const GraphMirror& mirror, const codegen::GroupKernel& k) { return k.group ? mirror.name(k.group) : k.nodes.empty() ? k.name : mirror.name(k.nodes[0]); }

Entity kernel_entity(const codegen::GroupKernel& k) { return k.group ? entity(k.group) : k.nodes.empty() ? Entity{} : entity(k.nodes[0]); }

std::vector<KernelLook> kernel_looks(const GraphMirror& mirror, std::span<const codegen::GroupKernel> kernels) {
  std::vector<KernelLook> out;
  for (const codegen::GroupKernel& k : kernels) {
    const trace::GraphGroup* group = k.group ? mirror.shown().groups.find(k.group) : nullptr;
    out.push_back({kernel_name(mirror, k), kernel_entity(k), group ? group->category : k.nodes.empty() ? uint8_t{0} : mirror.category(k.nodes[0])});
  }
  return out;
}

trace::TablePanel tiles_table(const GraphMirror& mirror, std::span<const codegen::GroupKernel> kernels) {
  trace::TablePanel out;
  out.name = "tiles";
  out.columns = {{"kernel", "", false}, {"ops", "", false}, {"problem", "", false}, {"tile", "", false}, {"depth blocks", "", true}, {"rows", "", false},
                 {"columns", "", false}, {"split", "", false}, {"units", "", true}, {"work", "FLOP", true}};
  for (const codegen::GroupKernel& k : kernels)
    if (k.choice) out.rows.push_back(tile_row(mirror, k));
  return out;
}

trace::TablePanel ranking_table(const GraphMirror& mirror, std::span<const codegen::GroupKernel> kernels) {
  trace::TablePanel out;
  out.name = "tile ranking";
  out.columns = {{"kernel", "", false}, {"tile", "", false}, {"modelled cycles", "times the first", true}};
  for (const codegen::GroupKernel& k : kernels) {
    if (!k.choice) continue;
    const auto& ranked = k.choice->ranked;
    for (size_t i = 0; i < std::min(ranked.size(), ranked_rows); ++i)
      out.rows.push_back({{kernel_name(mirror, k), fmt::format("{} x {}", ranked[i].tile.rows, int64_t{ranked[i].tile.vectors} * k.choice->lanes), fmt::format("{:.3f}", ranked[i].predicted)},
                          {kernel_entity(k)}});
  }
  return out;
}

trace::TablePanel copies_table(const GraphMirror& mirror) {
  const Graph& g = mirror.graph();
  const plan::Storage storage(g);
  trace::TablePanel out;
  out.name = "copies";
  out.columns = {{"name", "", false}, {"op", "", false}, {"from", "", false}, {"to", "", false}, {"fate", "", false}, {"why", "", false}, {"written", "B", true}};
  for (const NodeId id : g.order()) {
    const Node& n = g.node(id);
    if (op_class(n.op) != OpClass::view) continue;
    const Fate fate = fate_of(mirror, storage, id);
    const ValueId v = n.outputs[0];
    out.rows.push_back({{mirror.name(id), op_name(n.op), shape_str(g.type(n.inputs[0]).shape), shape_str(g.type(v).shape), fate.copies ? "copy" : "none", fate.why,
                         std::to_string(fate.copies ? g.type(v).bytes() : 0)},
                        {entity(id), entity(v)}});
  }
  return out;
}

trace::TablePanel guards_table(const onnx::Model& model, const VariantSet& variants, const Graph& compiled) {
  trace::TablePanel out;
  out.name = "guards";
  out.columns = {{"guard", "", false}, {"now", "", false}, {"why", "", false}, {"origin", "", false}};
  if (variants.ran >= variants.kept.size()) return out;
  const VariantKey& key = *variants.kept[variants.ran];
  const auto& params = compiled.params();
  const auto who = [&](size_t i) { return i < params.size() ? std::vector{entity(compiled.node(params[i]).outputs[0])} : std::vector<Entity>{}; };
  for (size_t i = 0; i < key.types.size(); ++i) extent_guards(out, model, key.types[i].first, key.types[i].second, who(i));
  for (const auto& [name, tensor] : key.values) {
    const auto at = std::find_if(key.types.begin(), key.types.end(), [&](const auto& t) { return t.first == name; });
    const std::string value = value_text(tensor);
    out.rows.push_back({{quoted(name) + " == " + value, value, "a shape or a branch hangs on its values", is_input(model, name) ? "input of the model" : "computed by an earlier part"},
                        who(static_cast<size_t>(at - key.types.begin()))});
  }
  return out;
}

trace::TablePanel variants_table(const VariantSet& variants) {
  trace::TablePanel out;
  out.name = "variants";
  out.columns = {{"variant", "", true}, {"inputs", "", false}, {"state", "", false}};
  for (size_t i = 0; i < variants.kept.size(); ++i) {
    std::string inputs;
    for (const auto& [name, type] : variants.kept[i]->types) inputs += (inputs.empty() ? "" : ", ") + quoted(name) + " " + type.str();
    for (const auto& [name, tensor] : variants.kept[i]->values) inputs += ", " + quoted(name) + " == " + value_text(tensor);
    out.rows.push_back({{std::to_string(i + 1), inputs, i == variants.ran ? "ran last" : "kept"}, {}});
  }
  return out;
}

} // namespace cutaway::driver
