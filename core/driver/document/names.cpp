#include "driver/document/names.h"

#include <algorithm>
#include <map>
#include <set>

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

// A scope with more nodes of its own than a picture can take is cut into parts where the fewest values cross.
constexpr size_t crowded = 48, part_least = 10, part_most = 30, parts_most = 24;

// How many values cross the boundary before each of the members (origins in model order).
std::vector<size_t> crossings(const Graph& g, const std::vector<uint32_t>& members) {
  std::map<uint32_t, size_t> place; // by origin
  for (size_t i = 0; i < members.size(); ++i) place[members[i]] = i;
  const auto place_of = [&](NodeId n) {
    const auto found = n.valid() ? place.find(g.node(n).origin.v) : place.end();
    return found == place.end() ? members.size() : found->second;
  };
  std::vector<int64_t> change(members.size() + 2, 0);
  std::map<uint32_t, size_t> last; // by value: its last reader's place
  for (NodeId n : g.order())
    if (const size_t at = place_of(n); at < members.size())
      for (ValueId v : g.node(n).inputs)
        if (v.valid()) last[v.v] = std::max(last[v.v], at);
  for (const auto& [v, reader] : last) {
    const size_t from = place_of(g.value(ValueId(v)).producer);
    if (from >= reader) continue;
    ++change[from + 1], --change[reader + 1];
  }
  std::vector<size_t> out(members.size() + 1);
  int64_t now = 0;
  for (size_t i = 0; i <= members.size(); ++i) out[i] = static_cast<size_t>(now += change[i]);
  return out;
}

// The first member of each part.
std::vector<size_t> cut(const std::vector<size_t>& crossing, size_t count) {
  std::vector<size_t> starts{0};
  while (count - starts.back() > part_most) {
    size_t best = starts.back() + part_least;
    for (size_t i = best; i <= starts.back() + part_most && i + part_least <= count; ++i)
      if (crossing[i] <= crossing[best]) best = i; // the longest of equals
    starts.push_back(best);
  }
  return starts;
}

void make_parts(const Graph& g, std::vector<NodeName>& names) {
  std::map<std::string, std::vector<uint32_t>> own;
  std::set<uint32_t> seen;
  for (NodeId n : g.order()) { // constants have no node: they do not count
    const uint32_t origin = g.node(n).origin.v;
    const Op op = g.node(n).op;
    if (op == Op::constant || op == Op::param || origin >= names.size() || names[origin].name.empty() || !seen.insert(origin).second) continue;
    own[names[origin].scope].push_back(origin);
  }
  for (const auto& [scope, members] : own) {
    if (members.size() <= crowded) continue;
    const auto starts = cut(crossings(g, members), members.size());
    const size_t across = starts.size() > parts_most ? (starts.size() + parts_most - 1) / parts_most : 1; // parts a section
    for (size_t p = 0; p < starts.size(); ++p) {
      const size_t end = p + 1 < starts.size() ? starts[p + 1] : members.size();
      std::string path = scope.empty() ? "" : scope + "/";
      if (across > 1) path += "section " + std::to_string(p / across + 1) + "/";
      path += "part " + std::to_string(p + 1);
      for (size_t i = starts[p]; i < end; ++i) names[members[i]].scope = path;
    }
  }
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
  make_parts(g, names);
  return names;
}

} // namespace cutaway::driver
