#include "driver/document/names.h"

#include <map>

namespace cutaway::driver {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  size_t from = 0;
  while (from <= text.size()) {
    const size_t to = std::min(text.find(at, from), text.size());
    if (to > from) parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

bool number(const std::string& s) { return !s.empty() && s.find_first_not_of("0123456789") == std::string::npos; }

// "layer1.0.conv1/Conv" -> layer1, layer1.0, conv1, Conv. A number alone says nothing: it keeps what it counts.
std::vector<std::string> path_of(const std::string& name) {
  std::vector<std::string> path;
  const auto slashed = split(name.substr(0, name.find(';')), '/');
  for (size_t i = 0; i < slashed.size(); ++i) {
    const bool last = i + 1 == slashed.size();
    const auto dotted = last ? std::vector{slashed[i]} : split(slashed[i], '.');
    for (size_t d = 0; d < dotted.size(); ++d) path.push_back(number(dotted[d]) && !path.empty() ? path.back() + "." + dotted[d] : dotted[d]);
  }
  return path;
}

std::string joined(const std::vector<std::string>& path, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += (i ? "/" : "") + path[i];
  return out;
}

} // namespace

std::vector<NodeName> node_names(const Graph& g) {
  std::vector<std::vector<std::string>> paths(g.origin_count());
  std::map<std::string, size_t> members;
  size_t nodes = 0;
  for (uint32_t i = 0; i < g.origin_count(); ++i) {
    const Origin& o = g.origin(OriginId(i));
    if (o.name.empty() || !o.derived_from.empty()) continue;
    ++nodes;
    paths[i] = path_of(o.name);
    if (paths[i].empty()) paths[i] = {o.name};
    for (size_t n = 1; n < paths[i].size(); ++n) ++members[joined(paths[i], n)];
  }
  std::vector<NodeName> names(g.origin_count());
  for (uint32_t i = 0; i < paths.size(); ++i) {
    const auto& path = paths[i];
    if (path.empty()) continue;
    std::vector<std::string> scopes;
    size_t depth = 0;
    for (size_t n = 1; n < path.size(); ++n) {
      const size_t count = members[joined(path, n)];
      if (count < 2) break;
      depth = n;
      if (count < nodes) scopes.push_back(path[n - 1]);
    }
    names[i].name = path[depth];
    names[i].scope = joined(scopes, scopes.size());
  }
  return names;
}

} // namespace cutaway::driver
