#include "plan/pack/pack.h"

#include "base/check.h"
#include "plan/pack/checker.h"
#include "plan/pack/greedy.h"
#include "plan/pack/hill_climb.h"
#include "plan/pack/search.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::plan {
namespace {

constexpr Strategy names[] = {
    {"by-size", "largest first, in the lowest gap (TensorFlow Lite Micro)"},
    {"best-fit", "largest first, in the tightest gap (XLA)"},
    {"first-fit", "in order of birth, in the lowest gap"},
    {"by-breadth", "the fullest moments first, in the tightest gap (TensorFlow Lite)"},
    {"online", "as buffers come and go, in the tightest hole (ONNX Runtime)"},
    {"colouring", "shared slots; optimal for equal sizes"},
    {"hill-climb", "orders improved by swaps around the peak (TVM)"},
    {"search", "greedy orders, then a complete search from the bound upward"},
};

using Greedy = Offsets (*)(const Instance&, PackTrace*);
constexpr Greedy greedy[] = {pack_by_size, pack_best_fit, pack_first_fit, pack_by_breadth, pack_online, pack_colouring};
constexpr size_t hill_climb = std::size(greedy), search = hill_climb + 1;
static_assert(search + 1 == std::size(names));

Proof proof_of(const PackResult& r, int64_t capacity) {
  if (r.peak == r.lower_bound) return Proof::optimal;
  return capacity > 0 && r.peak > capacity ? Proof::timeout : Proof::feasible;
}

Solution solve(const Instance& in, size_t strategy, int64_t capacity, const PackOptions& o, Budget& budget) {
  if (strategy < hill_climb) return {greedy[strategy](in, o.trace), in.bound};
  if (strategy == hill_climb) return {pack_hill_climb(in, o.seed, budget, o.trace), in.bound};
  return pack_search(in, capacity / in.unit, o.seed, budget, o.trace);
}

PackResult run(const Problem& problem, const Instance& in, size_t strategy, const PackOptions& o) {
  Budget budget(o.seconds, o.effort, o.cancel);
  const int64_t capacity = o.capacity > 0 ? o.capacity : problem.capacity;
  const Solution solution = solve(in, strategy, capacity, o, budget);
  PackResult r;
  r.strategy = names[strategy].name;
  r.offsets.assign(problem.buffers.size(), 0);
  for (size_t i = 0; i < in.origin.size(); ++i) r.offsets[in.origin[i]] = solution.offsets[i] * in.unit;
  r.peak = peak_of(problem, r.offsets);
  // A proof of the search takes buffers as live in their idle windows: it says nothing of the problem as given.
  r.lower_bound = problem.idle.empty() ? solution.bound * in.unit : lower_bound(problem);
  r.proof = proof_of(r, capacity);
  r.cut_short = strategy >= hill_climb && r.proof != Proof::optimal && budget.over();
  r.seconds = budget.elapsed();
  const auto wrong = check_plan(problem, r.offsets, r.peak);
  CUTAWAY_CHECK(!wrong, "the plan of " + r.strategy + " is wrong: " + (wrong ? wrong->why : ""));
  return r;
}

} // namespace

const char* proof_name(Proof proof) {
  switch (proof) {
  case Proof::optimal:
    return "optimal";
  case Proof::feasible:
    return "feasible";
  case Proof::timeout:
    return "timeout";
  }
  return "";
}

std::span<const Strategy> strategies() {
  return names;
}

Result<PackResult> pack(const Problem& problem, const std::string& strategy, const PackOptions& o) {
  if (Status s = validate(problem); !s) return s.error();
  std::string known;
  for (size_t k = 0; k < std::size(names); ++k) {
    if (strategy == names[k].name) return run(problem, make_instance(problem), k, o);
    known += fmt::format("{}{}", k == 0 ? "" : ", ", names[k].name);
  }
  return bad_input("", fmt::format("there is no packing strategy '{}'", strategy), fmt::format("one of {}", known));
}

std::vector<PackResult> pack_all(const Problem& problem, const PackOptions& o) {
  if (!validate(problem)) return {};
  const Instance in = make_instance(problem);
  std::vector<PackResult> all;
  PackOptions quiet = o;
  quiet.trace = nullptr;
  for (size_t k = 0; k < std::size(names); ++k) all.push_back(run(problem, in, k, k == search ? o : quiet));
  int64_t bound = 0;
  for (const PackResult& r : all) bound = std::max(bound, r.lower_bound);
  for (PackResult& r : all) {
    r.lower_bound = bound;
    r.proof = proof_of(r, o.capacity > 0 ? o.capacity : problem.capacity);
    r.cut_short = r.cut_short && r.proof != Proof::optimal;
  }
  return all;
}

} // namespace cutaway::plan
