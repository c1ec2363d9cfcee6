#include "codegen/kernel.h"

#include "base/prelude/prelude.h"
#include "codegen/nest.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace cutaway::codegen {
namespace {

// A list of at most three ops, then the number of the rest.
std::string name_of(const Graph& g, const std::vector<NodeId>& nodes) {
  std::string out;
  for (size_t i = 0; i < nodes.size() && i < 3; ++i) out += (i ? "+" : "") + std::string(op_name(g.node(nodes[i]).op));
  if (nodes.size() > 3) out += "+" + std::to_string(nodes.size() - 3);
  return out;
}

using Print = bool (*)(NestPrinter&, const std::vector<NodeId>&, Kernel&, const Options&);

ValueId value_named(const std::string& digits) {
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  return error == std::errc() ? ValueId(id) : ValueId();
}

// Names made from ids of the graph (v12, acc12, l12, g12, p12_0) get numbers local to the kernel, so that equal kernels of
// different layers have equal texts and are compiled once. `names`: the ids by local number.
std::string with_local_names(const std::string& text, std::vector<ValueId>& names) {
  std::map<std::string, std::string> local;
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto is_word = [&](size_t k) { return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_'); };
    if (!is_word(i)) {
      out += text[i++];
      continue;
    }
    size_t end = i;
    while (is_word(end)) ++end;
    const std::string word = text.substr(i, end - i);
    const bool member = i > 0 && text[i - 1] == '.'; // a part of a number such as 0x1.acc
    i = end;
    size_t digits = 0;
    for (const char* prefix : {"v", "acc", "l", "g", "p"})
      if (word.rfind(prefix, 0) == 0 && std::isdigit(static_cast<unsigned char>(word[std::min(std::string(prefix).size(), word.size() - 1)]))) digits = std::string(prefix).size();
    size_t stop = digits;
    while (stop < word.size() && std::isdigit(static_cast<unsigned char>(word[stop]))) ++stop;
    if (digits == 0 || member || (stop < word.size() && word[stop] != '_')) {
      out += word;
      continue;
    }
    const auto [it, fresh] = local.try_emplace(word.substr(digits, stop - digits), std::to_string(local.size()));
    if (fresh) names.push_back(value_named(word.substr(digits, stop - digits)));
    out += word.substr(0, digits) + it->second + word.substr(stop);
  }
  return out;
}

bool try_print(Print print, const Graph& g, const plan::Storage& storage, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  Kernel attempt = kernel;
  NestPrinter printer(g, storage, nodes, attempt);
  if (!print(printer, nodes, attempt, options)) return false;
  attempt.text = with_local_names(attempt.text, attempt.names);
  attempt.text = prelude_for(attempt.text) + "\n" + attempt.text;
  kernel = std::move(attempt);
  return true;
}

// Operands that only elementwise nodes read, at the very places where the one result is written. Only forms that load all
// operands of an element before they store it may do so.
std::vector<ValueId> overwritable(const Graph& g, const plan::Storage& storage, const Kernel& kernel) {
  std::vector<ValueId> out;
  if (kernel.writes.size() != 1) return out;
  const ValueId w = kernel.writes[0];
  if (g.value(w).producer != kernel.nodes.back()) return out;
  const plan::Access& to = storage.access(w);
  for (ValueId r : kernel.reads) {
    bool fits = g.type(r).dtype == g.type(w).dtype && g.type(r).bytes() == g.type(w).bytes();
    for (NodeId id : kernel.nodes)
      for (ValueId v : g.node(id).inputs) {
        const plan::Access& from = storage.access(v);
        if (from.root == r) fits = fits && is_elementwise(g.node(id).op) && from.offset == to.offset && from.strides == to.strides && g.type(v).shape == g.type(w).shape;
      }
    if (fits) out.push_back(r);
  }
  return out;
}

Kernel builtin(const Graph& g, const plan::Storage& storage, Kernel kernel) {
  const auto inside = [&](NodeId n) { return std::find(kernel.nodes.begin(), kernel.nodes.end(), n) != kernel.nodes.end(); };
  for (NodeId id : kernel.nodes) {
    for (ValueId v : g.node(id).inputs) {
      const ValueId root = storage.access(v).root;
      if (inside(g.value(root).producer) || std::find(kernel.reads.begin(), kernel.reads.end(), root) != kernel.reads.end()) continue;
      kernel.reads.push_back(root);
    }
    for (ValueId v : g.node(id).outputs) {
      const auto& uses = g.uses(v);
      if (g.is_output(v) || std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return !inside(u.node); }) || uses.empty()) kernel.writes.push_back(v);
    }
  }
  kernel.loop_nest = "builtin " + kernel.name + "\n";
  return kernel;
}

} // namespace

Kernel make_kernel(const Graph& g, const plan::Storage& storage, GroupId group, const std::vector<NodeId>& nodes, const std::string& symbol, const Options& options) {
  Kernel kernel;
  kernel.group = group;
  kernel.nodes = nodes;
  kernel.symbol = symbol;
  kernel.name = name_of(g, nodes);
  const bool empty = std::all_of(nodes.begin(), nodes.end(), [&](NodeId n) { return g.type(g.node(n).outputs[0]).bytes() == 0; });
  if (empty) return builtin(g, storage, std::move(kernel)); // nothing to loop over
  for (Print print : {print_contraction_group, print_columns, print_rows, print_map})
    if (try_print(print, g, storage, nodes, kernel, options)) {
      if (print == print_contraction_group || print == print_map) kernel.in_place = overwritable(g, storage, kernel);
      return kernel;
    }
  return builtin(g, storage, std::move(kernel));
}

} // namespace cutaway::codegen
