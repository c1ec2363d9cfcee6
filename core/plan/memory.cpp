#include "plan/memory.h"

#include "base/check.h"
#include "plan/pack/checker.h"
#include "plan/pack/pack.h"

#include <algorithm>

namespace cutaway::plan {
namespace {

bool in_arena(const Graph& g, ValueId root) {
  const Op op = g.producer(root).op;
  return op != Op::param && op != Op::constant && !g.is_output(root);
}

std::shared_ptr<const PlacedHow> how_placed(Placement&& placement) {
  auto how = std::make_shared<PlacedHow>();
  how->placement = std::move(placement);
  auto& tried = how->placement.tried;
  how->gaps_tried = tried.size();
  if (tried.size() <= PlacedHow::gaps_kept) return how;
  std::stable_sort(tried.begin(), tried.end(), [&](const GapTried& a, const GapTried& b) {
    const bool first = lies_in(how->placement.accepted, a), second = lies_in(how->placement.accepted, b);
    return first != second ? first : static_cast<uint64_t>(a.size) > static_cast<uint64_t>(b.size); // open above: -1, the largest
  });
  tried.resize(PlacedHow::gaps_kept);
  std::sort(tried.begin(), tried.end(), [](const GapTried& a, const GapTried& b) { return a.offset < b.offset; });
  return how;
}

void tell(Journal& journal, const MemoryPlan& plan, PackTrace&& trace) {
  int64_t before = -1;
  for (const Incumbent& i : trace.incumbents) {
    journal.append({"memory", "incumbent", false, {}, {i.by, i.peak, i.lower_bound, static_cast<int64_t>(i.effort)}, {.bytes = before}, {.bytes = i.peak}, nullptr});
    before = i.peak;
  }
  const auto placed = [&](size_t i, std::shared_ptr<const Payload> how) {
    const Allocation& p = plan.placements[i];
    journal.append({"memory", "placed", false, {entity(p.roots[0]), entity(BufferId(static_cast<uint32_t>(i)))}, {p.bytes, p.offset, p.start, p.end}, {}, {}, std::move(how)});
  };
  std::vector<bool> told(plan.placements.size());
  for (Placement& p : trace.placements) {
    const auto buffer = static_cast<size_t>(p.buffer);
    told[buffer] = true;
    placed(buffer, how_placed(std::move(p)));
  }
  for (size_t i = 0; i < told.size(); ++i)
    if (!told[i]) placed(i, nullptr); // no bytes: nothing to decide
  journal.append({"memory", "packed", false, {}, {plan.strategy, plan.peak, plan.lower_bound, static_cast<int64_t>(trace.moves_seen)}, {}, {.bytes = plan.peak}, nullptr});
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
  if (journal) tell(*journal, plan, std::move(trace));
  return plan;
}

} // namespace cutaway::plan
