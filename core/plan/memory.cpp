#include "plan/memory.h"

#include "base/check.h"
#include "plan/pack/checker.h"
#include "plan/pack/pack.h"
#include "plan/tell_packing.h"

#include <algorithm>

namespace cutaway::plan {
namespace {

bool in_arena(const Graph& g, ValueId root) {
  const Op op = g.producer(root).op;
  return op != Op::param && op != Op::constant && !g.is_output(root);
}

// The buffers of a schedule and how long each is alive.
std::vector<Allocation> live_ranges(const Graph& g, const std::vector<Step>& schedule, Journal* journal) {
  std::vector<Allocation> out;
  std::vector<int64_t> last(g.value_bound(), -1), beside(g.value_bound(), -1); // of the uses so far: the last step that may run beside one
  for (size_t at = 0; at < schedule.size(); ++at)
    for (ValueId v : schedule[at].reads) last[v.v] = static_cast<int64_t>(at);
  std::vector<int> index(g.value_bound(), -1);
  const auto touch = [&](ValueId root, int64_t at) {
    if (!in_arena(g, root)) return;
    const Step& step = schedule[static_cast<size_t>(at)];
    const int64_t from = step.first_beside < 0 ? at : std::min(at, step.first_beside), to = std::max(at, step.last_beside);
    int& i = index[root.v];
    if (i < 0) {
      i = static_cast<int>(out.size());
      out.push_back({{root}, {at}, from, to + 1, g.type(root).bytes(), 0});
    }
    Allocation& a = out[static_cast<size_t>(i)];
    a.start = std::min(a.start, from), a.end = std::max(a.end, to + 1);
    beside[root.v] = std::max(beside[root.v], to);
  };
  for (size_t k = 0; k < schedule.size(); ++k) {
    const auto at = static_cast<int64_t>(k);
    for (ValueId r : schedule[k].in_place) {
      const ValueId w = schedule[k].writes[0];
      if (last[r.v] != at || index[r.v] < 0 || index[w.v] >= 0 || !in_arena(g, w) || beside[r.v] >= at) continue;
      index[w.v] = index[r.v];
      Allocation& taken = out[static_cast<size_t>(index[r.v])];
      taken.roots.push_back(w);
      taken.written.push_back(at);
      note(journal, [&] { return Event{"memory", "in-place", false, {entity(w), entity(r)}, {g.type(w).bytes()}, {}, {}, nullptr}; });
    }
    for (ValueId v : schedule[k].reads) touch(v, at);
    for (ValueId v : schedule[k].writes) touch(v, at);
  }
  return out;
}

Problem problem_of(const std::vector<Allocation>& buffers) {
  Problem out;
  for (const Allocation& b : buffers) out.buffers.push_back({b.start, b.end, b.bytes, arena_alignment});
  return out;
}

} // namespace

int64_t most_alive(const Graph& g, const std::vector<Step>& schedule) { return lower_bound(problem_of(live_ranges(g, schedule, nullptr))); }

MemoryPlan plan_memory(const Graph& g, const Storage&, const std::vector<Step>& schedule, const std::string& strategy, Journal* journal) {
  MemoryPlan plan;
  plan.placements = live_ranges(g, schedule, journal);
  const Problem problem = problem_of(plan.placements);
  plan.lower_bound = lower_bound(problem);
  if (plan.placements.empty()) return plan;
  PackTrace trace;
  PackOptions options;
  if (journal) options.trace = &trace;
  auto packed = pack(problem, strategy, options);
  CUTAWAY_CHECK(packed.ok(), packed.ok() ? "" : packed.error().str());
  const Offsets& offsets = packed->offsets;
  plan.peak = packed->peak;
  plan.lower_bound = packed->lower_bound;
  plan.strategy = packed->strategy;
  plan.optimal = packed->proof == Proof::optimal;
  const auto wrong = check_plan(problem, offsets, plan.peak);
  CUTAWAY_CHECK(!wrong, "the arena plan is wrong: " + (wrong ? wrong->why : ""));
  for (size_t i = 0; i < offsets.size(); ++i) plan.placements[i].offset = offsets[i];
  if (journal)
    tell_packing(problem, *packed, std::move(trace), [&](size_t i) { return std::vector<Entity>{entity(plan.placements[i].roots[0]), entity(BufferId(static_cast<uint32_t>(i)))}; }, *journal);
  return plan;
}

} // namespace cutaway::plan
