#include "codegen/group_kernel.h"

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

ValueId value_named(const std::string& digits) {
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  return error == std::errc() ? ValueId(id) : ValueId();
}

} // namespace

GroupKernel describe_group(const Graph& g, GroupId group, const std::vector<NodeId>& nodes, const std::string& symbol) {
  GroupKernel kernel;
  kernel.group = group;
  kernel.nodes = nodes;
  kernel.symbol = symbol;
  kernel.name = name_of(g, nodes);
  return kernel;
}

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

std::vector<ValueId> overwritable(const Graph& g, const plan::Storage& storage, const GroupKernel& kernel) {
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

void find_builtin_operands(const Graph& g, const plan::Storage& storage, GroupKernel& kernel) {
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
}

bool is_empty(const Graph& g, const std::vector<NodeId>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&](NodeId n) { return g.type(g.node(n).outputs[0]).bytes() == 0; });
}

} // namespace cutaway::codegen
