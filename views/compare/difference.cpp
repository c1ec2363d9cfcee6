#include "compare/difference.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace cutaway::views {
namespace {

bool sameOp(const trace::GraphNode& a, const trace::GraphNode* b) { return b && a.op == b->op && a.name == b->name; }

using Members = std::set<uint32_t>;

std::unordered_map<GroupId, Members> kernelsOf(const trace::GraphDoc& g) {
  std::unordered_map<GroupId, Members> out;
  for (const trace::GraphNode& n : g.nodes)
    if (n.group.valid()) out[n.group].insert(n.id.v);
  return out;
}

// Values that leave the op or the kernel that makes them.
std::unordered_set<ValueId> writtenIn(const trace::GraphDoc& g) {
  std::unordered_map<ValueId, GroupId> made;
  for (const trace::GraphNode& n : g.nodes)
    for (const ValueId v : n.outputs) made[v] = n.group;
  std::unordered_set<ValueId> out;
  for (const trace::GraphNode& n : g.nodes)
    for (const ValueId v : n.inputs)
      if (const auto m = made.find(v); m != made.end() && (!m->second.valid() || m->second != n.group)) out.insert(v);
  for (const trace::GraphValue& v : g.values)
    if (v.role == trace::ValueRole::output && made.contains(v.id)) out.insert(v.id);
  return out;
}

} // namespace

Difference differenceOf(const trace::GraphDoc& here, const trace::GraphDoc& other) {
  Difference out;
  for (const trace::GraphNode& n : here.nodes)
    if (!sameOp(n, other.nodes.find(n.id))) out.only.insert(entity(n.id));
  std::set<Members> theirs;
  for (auto& [id, members] : kernelsOf(other)) theirs.insert(members);
  for (const auto& [id, members] : kernelsOf(here)) {
    const bool strange = std::any_of(members.begin(), members.end(), [&](uint32_t m) { return out.only.contains(entity(NodeId(m))); });
    if (strange || !theirs.contains(members)) out.differs.insert(entity(id)), ++out.kernels;
  }
  const auto written = writtenIn(other);
  for (const ValueId v : writtenIn(here))
    if (!written.contains(v)) out.only.insert(entity(v)), ++out.values;
  return out;
}

} // namespace cutaway::views
