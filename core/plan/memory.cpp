#include "plan/memory.h"

#include "base/check.h"
#include "plan/pack/checker.h"
#include "plan/pack/pack.h"

#include <algorithm>

namespace cutaway::plan {
namespace {

constexpr int64_t alignment = 64;

bool in_arena(const Graph& g, ValueId root) {
  const Op op = g.producer(root).op;
  return op != Op::param && op != Op::constant && !g.is_output(root);
}

} // namespace

MemoryPlan plan_memory(const Graph& g, const Storage&, const std::vector<Step>& schedule, const std::string& strategy, Journal* journal) {
  MemoryPlan plan;
  std::vector<int64_t> last(g.value_bound(), -1);
  for (size_t at = 0; at < schedule.size(); ++at)
    for (ValueId v : schedule[at].reads) last[v.v] = static_cast<int64_t>(at);
  std::vector<int> index(g.value_bound(), -1);
  const auto touch = [&](ValueId root, int64_t at) {
    if (!in_arena(g, root)) return;
    int& i = index[root.v];
    if (i < 0) {
      i = static_cast<int>(plan.placements.size());
      plan.placements.push_back({{root}, at, at + 1, g.type(root).bytes(), 0});
    }
    plan.placements[static_cast<size_t>(i)].end = at + 1;
  };
  for (size_t k = 0; k < schedule.size(); ++k) {
    const auto at = static_cast<int64_t>(k);
    for (ValueId v : schedule[k].reads) touch(v, at);
    for (ValueId r : schedule[k].in_place) {
      const ValueId w = schedule[k].writes[0];
      if (last[r.v] != at || index[r.v] < 0 || index[w.v] >= 0 || !in_arena(g, w)) continue;
      index[w.v] = index[r.v];
      plan.placements[static_cast<size_t>(index[r.v])].roots.push_back(w);
      note(journal, [&] { return Event{"memory", "in-place", false, {entity(w), entity(r)}, {g.type(w).bytes()}, {}, {}, nullptr}; });
    }
    for (ValueId v : schedule[k].writes) touch(v, at);
  }
  Problem problem;
  for (const Allocation& p : plan.placements) problem.buffers.push_back({p.start, p.end, p.bytes, alignment});
  plan.lower_bound = lower_bound(problem);
  if (plan.placements.empty()) return plan;
  auto packed = pack(problem, strategy);
  CUTAWAY_CHECK(packed.ok(), packed.ok() ? "" : packed.error().str());
  const Offsets& offsets = packed->offsets;
  plan.peak = packed->peak;
  plan.lower_bound = packed->lower_bound;
  plan.strategy = packed->strategy;
  plan.optimal = packed->proof == Proof::optimal;
  const auto wrong = check_plan(problem, offsets, plan.peak);
  CUTAWAY_CHECK(!wrong, "the arena plan is wrong: " + (wrong ? wrong->why : ""));
  for (size_t i = 0; i < offsets.size(); ++i) {
    Allocation& p = plan.placements[i];
    p.offset = offsets[i];
    note(journal, [&] { return Event{"memory", "placed", false, {entity(p.roots[0]), Entity{Entity::Kind::buffer, static_cast<uint32_t>(i)}}, {p.bytes, p.offset, p.start, p.end}, {}, {}, nullptr}; });
  }
  note(journal, [&] { return Event{"memory", "packed", false, {}, {plan.strategy, plan.peak, plan.lower_bound}, {}, {.bytes = plan.peak}, nullptr}; });
  return plan;
}

} // namespace cutaway::plan
