#include "driver/document/texts.h"

#include "driver/describe.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace cutaway::driver {
namespace {

// N of "v<N> = ..." or "const float v<N> = ...": the value that a line defines.
std::optional<size_t> defined_by(std::string_view line) {
  const size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return {};
  const size_t before = line.substr(0, equals).find_last_of(' ');
  const std::string_view word = line.substr(before == std::string_view::npos ? 0 : before + 1, equals - (before == std::string_view::npos ? 0 : before + 1));
  if (word.size() < 2 || word.size() > 7 || word[0] != 'v' || !std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c); })) return {};
  return std::stoul(std::string(word.substr(1)));
}

// By value id: the number that a kernel's texts call it by.
std::map<ValueId, size_t> locals_of(const codegen::GroupKernel& kernel) {
  std::map<ValueId, size_t> out;
  for (size_t i = 0; i < kernel.names.size(); ++i)
    if (kernel.names[i]) out.emplace(kernel.names[i], i);
  return out;
}

const trace::TextPanel* source_of(const trace::Trace& trace, Entity kernel) {
  for (const trace::Panel& p : trace.panels())
    if (const auto* t = std::get_if<trace::TextPanel>(&p); t && t->entity == kernel && t->language.view() == "C") return t;
  return nullptr;
}

// A local, the number that a constant is, or the name of what lies in memory.
std::string operand(const GraphMirror& mirror, const std::map<ValueId, size_t>& locals, ValueId v) {
  if (const auto local = locals.find(v); local != locals.end()) return fmt::format("v{}", local->second);
  const Node& from = mirror.graph().producer(v);
  if (from.op == Op::constant) {
    const Tensor data = from.attrs.tensor("data");
    if (data.count() == 1 && is_float(data.dtype())) return fmt::format("{:.6g}", data.as_double(0));
  }
  return shortened(mirror.name(mirror.graph().value(v).producer), 16);
}

} // namespace

std::string nest_text(const GraphMirror& mirror, const codegen::GroupKernel& kernel) {
  const Graph& g = mirror.graph();
  const auto locals = locals_of(kernel);
  const size_t body = kernel.choice ? kernel.loop_nest.rfind("epilogue of the tile") : kernel.loop_nest.rfind(kernel.name + "\n");
  if (kernel.builtin() || body == std::string::npos || locals.empty()) return kernel.loop_nest;
  const size_t line = kernel.loop_nest.rfind('\n', body) + 1;
  const std::string indent(body - line + (kernel.choice ? 2 : 0), ' ');
  std::string out = kernel.loop_nest.substr(0, line);
  if (kernel.choice) out += kernel.loop_nest.substr(line);
  for (size_t i = kernel.choice ? 1 : 0; i < kernel.nodes.size(); ++i) {
    const Node& n = g.node(kernel.nodes[i]);
    const auto self = n.outputs.empty() ? locals.end() : locals.find(n.outputs[0]);
    if (self == locals.end()) continue;
    out += fmt::format("{}v{} = {}", indent, self->second, op_name(n.op));
    for (const ValueId v : n.inputs)
      if (v) out += ' ' + operand(mirror, locals, v);
    out += '\n';
  }
  return out;
}

std::vector<trace::TextPanel::Link> links_of(const Graph& g, const codegen::GroupKernel& kernel, const std::string& text) {
  std::vector<trace::TextPanel::Link> out;
  std::map<ValueId, NodeId> makers;
  for (const NodeId n : kernel.nodes)
    for (const ValueId v : g.node(n).outputs) makers.emplace(v, n);
  bool sums = false; // inside a function that sums a tile of the product
  int64_t line = 0;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view words(text.data() + at, end - at);
    at = end + 1;
    sums = sums || words.starts_with("static __attribute__((noinline)) void");
    const auto local = defined_by(words);
    const auto maker = makers.find(local && *local < kernel.names.size() ? kernel.names[*local] : ValueId());
    if (maker != makers.end()) out.push_back({line, entity(maker->second)});
    else if (kernel.choice && (sums || words.find(" sums in registers") != std::string_view::npos)) out.push_back({line, entity(kernel.nodes.front())});
    sums = sums && words != "}";
  }
  return out;
}

Result<trace::TextPanel> assembly_panel(const Compiler& compiler, const trace::Trace& trace, Entity kernel, const std::atomic<bool>* cancel) {
  const trace::TextPanel* source = source_of(trace, kernel);
  if (!source) return unsupported("assembly of " + entity_key(kernel), "no C text was printed for it: the reference evaluation runs it", "choose a kernel with source");
  const auto code = compiler.assembly(source->text.str(), cancel);
  if (!code) return code.error();
  std::multimap<int64_t, Entity> links;
  for (const auto& link : source->links) links.emplace(link.line + 1, link.entity);

  trace::TextPanel out{source->name, "assembly", kernel, {}, {}};
  std::string text;
  int said = 0;
  int64_t at = 0;
  for (size_t start = 0; start < code->text.size(); ++at) {
    const size_t end = code->text.find('\n', start);
    const int line = code->lines[static_cast<size_t>(at)];
    text.append(code->text, start, end - start);
    if (line && line != said) text += " # C " + std::to_string(said = line);
    text += '\n';
    for (auto [l, last] = links.equal_range(line); l != last; ++l) out.links.push_back({at, l->second});
    start = end + 1;
  }
  out.text = text;
  return out;
}

} // namespace cutaway::driver
