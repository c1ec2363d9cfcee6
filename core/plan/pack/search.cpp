#include "plan/pack/search.h"

#include "plan/pack/branch.h"
#include "plan/pack/greedy.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <string>

namespace cutaway::plan {
namespace {

constexpr int largest_branch = 2000;
constexpr size_t branches_kept = 16; // of many components each forgets what it learnt: memory
constexpr uint64_t short_share = 20'000, first_share = 200'000; // effort

struct Row {
  const char* name;
  std::vector<Key> keys; // none: by breadth
  Fit fit;
};

// Cheap and often good ones first.
const std::vector<Row>& rows() {
  using enum Key;
  static const std::vector<Row> table = {{"tightest load, early death", {tightest, death}, Fit::lowest},
                                         {"tightest load, width, area", {tightest, width, area}, Fit::lowest},
                                         {"size", {size, birth}, Fit::lowest},
                                         {"area", {area, width}, Fit::lowest},
                                         {"width", {width, area}, Fit::lowest},
                                         {"tightest load, late birth, best fit", {tightest, late_birth}, Fit::tightest},
                                         {"tightest load, width, best fit", {tightest, width, area}, Fit::tightest},
                                         {"birth, best fit", {birth, width}, Fit::tightest},
                                         {"width, best fit", {width, area, tightest}, Fit::tightest},
                                         {"size, best fit", {size, width, birth}, Fit::tightest},
                                         {"birth", {birth, size}, Fit::lowest},
                                         {"breadth", {}, Fit::tightest}};
  return table;
}

struct Packer {
  const char* name;
  Offsets (*pack)(const Instance&, PackTrace*);
};
constexpr Packer others[] = {{"online best fit", pack_online}, {"colouring", pack_colouring}};

// How a plan was made, so that it can be made again for the trace.
struct Making {
  std::string by;
  std::vector<int> order; // packed in this order; empty: by `packer`, or by the complete search
  Fit fit = Fit::lowest;
  const Packer* packer = nullptr;
};

// A component with its best plan so far.
struct Part {
  Instance in;
  std::vector<int> whole; // item -> item of the whole instance
  Offsets plan;
  int64_t peak = 0, bound = 0;
  Making made;            // how the plan was made
  std::vector<int> order; // the last order that was no worse; refine() goes on from it
  Fit fit = Fit::lowest;
  bool halved = false;
  size_t row = 0; // of the portfolio, to be tried next
  std::unique_ptr<Branch> branch;
};

class Search {
 public:
  Search(const Instance& in, int64_t capacity, uint64_t seed, Budget& budget, PackTrace* trace)
      : in_(in), capacity_(capacity), seed_(seed), budget_(budget), trace_(trace), random_(seed) {
    for (std::vector<int>& items : components(in)) {
      Part part;
      part.in = sub_instance(in, items);
      part.whole = std::move(items);
      part.bound = part.in.bound;
      parts_.push_back(std::move(part));
    }
  }

  Solution run() {
    // A few orders, a short complete search, all orders, and then whatever the budget has.
    for (Part& part : parts_) portfolio(part, capacity_ > 0 ? 1 : 3);
    const uint64_t room = budget_.left();
    for (Part& part : parts_)
      if (!done() && part.peak > goal() && part.in.size() <= largest_branch)
        decide(part, goal(), std::min(capacity_ > 0 ? first_share : short_share, room / 4));
    for (Part& part : parts_) portfolio(part, rows().size() + std::size(others));
    for (uint64_t share = std::min(first_share, room / 2 + 1); !done() && !budget_.over(); share *= 4)
      for (Part& part : parts_) {
        if (part.peak <= goal()) continue;
        if (part.in.size() <= largest_branch)
          close_gap(part, share);
        else
          refine(part, share);
      }
    Solution out{Offsets(in_.items.size(), 0), bound()};
    for (const Part& part : parts_)
      for (size_t i = 0; i < part.whole.size(); ++i) out.offsets[part.whole[i]] = part.plan[i];
    if (trace_)
      for (const Part& part : parts_) tell_placements(part);
    return out;
  }

 private:
  int64_t bound() const {
    int64_t most = 0;
    for (const Part& part : parts_) most = std::max(most, part.bound);
    return most;
  }
  int64_t goal() const { return std::max(bound(), capacity_); }
  int64_t peak() const {
    int64_t most = 0;
    for (const Part& part : parts_) most = std::max(most, part.peak);
    return most;
  }
  // The goal is reached, or there is none within the capacity.
  bool done() const { return peak() <= goal() || (capacity_ > 0 && bound() > capacity_); }

  void tell(const std::string& by) {
    // Before every component has a plan there is no peak to tell of.
    if (!trace_ || parts_.back().plan.empty()) return;
    const int64_t now = peak() * in_.unit;
    if (!trace_->incumbents.empty() && trace_->incumbents.back().peak <= now) return;
    trace_->incumbents.push_back({now, bound() * in_.unit, budget_.spent(), by});
  }

  // How the plan came about: the gaps that its order tried, made again; what the complete search found, from the bottom up.
  void tell_placements(const Part& part) {
    const size_t from = trace_->placements.size();
    if (!part.made.order.empty()) {
      fit_in_order(part.in, part.made.order, part.made.fit, trace_);
    } else if (part.made.packer) {
      part.made.packer->pack(part.in, trace_);
    } else {
      std::vector<int> upward = order_by(part.in, {Key::birth});
      std::stable_sort(upward.begin(), upward.end(), [&](int a, int b) { return part.plan[a] < part.plan[b]; });
      for (const int i : upward) trace_->add({.buffer = part.in.origin[i], .accepted = part.plan[i] * part.in.unit, .tried = {}});
    }
    for (size_t k = from; k < trace_->placements.size(); ++k) trace_->placements[k].by = part.made.by;
  }

  // The least peak that is of no interest any more.
  static int64_t limit(const Part& part) { return part.plan.empty() ? std::numeric_limits<int64_t>::max() : part.peak; }

  bool offer(Part& part, Offsets plan, const Making& made) {
    if (plan.empty()) return false;
    const int64_t peak = part.in.peak(plan);
    if (!part.plan.empty() && peak >= part.peak) return false;
    part.plan = std::move(plan);
    part.peak = peak;
    part.made = made;
    tell(made.by);
    return true;
  }

  // Packs by the rows up to `end` that were not tried yet.
  void portfolio(Part& part, size_t end) {
    for (; part.row < end; ++part.row) {
      if (!part.plan.empty() && (part.peak <= goal() || budget_.late())) return;
      const bool by_order = part.row < rows().size();
      if (by_order) {
        const Row& row = rows()[part.row];
        std::vector<int> order = row.keys.empty() ? order_by_breadth(part.in) : order_by(part.in, row.keys);
        if (!offer(part, fit_in_order(part.in, order, row.fit, nullptr, limit(part)), {row.name, order, row.fit})) continue;
        part.order = std::move(order);
        part.fit = row.fit;
      } else {
        const Packer& packer = others[part.row - rows().size()];
        offer(part, packer.pack(part.in, nullptr), {.by = packer.name, .packer = &packer});
      }
    }
  }

  // Decisions: the capacity, or the bound first and then between the last target given up and the best peak.
  void close_gap(Part& part, uint64_t share) {
    if (capacity_ > 0) return void(decide(part, goal(), budget_.left()));
    if (decide(part, goal(), share)) return;
    // The first time by halves; later from the best peak downward, the steps doubling while they succeed.
    int64_t step = part.halved ? 1 : (part.peak - goal() + 1) / 2;
    while (step > 0 && part.peak > goal() && !budget_.over()) {
      const int64_t target = std::max(goal(), part.peak - step);
      const bool better = decide(part, target, share);
      step = better && part.halved ? 2 * step : !better ? step / 2 : std::min(step, (part.peak - goal() + 1) / 2);
    }
    part.halved = true;
  }

  bool decide(Part& part, int64_t target, uint64_t share) {
    if (!part.branch) part.branch = std::make_unique<Branch>(part.in);
    Offsets plan;
    const Branch::Answer answer = part.branch->decide(target, share, int((seed_ + 2) % 3), budget_, trace_, plan);
    if (parts_.size() > branches_kept) part.branch.reset();
    if (answer == Branch::Answer::no) part.bound = std::max(part.bound, target + 1);
    if (answer != Branch::Answer::yes) return false;
    offer(part, std::move(plan), {.by = "search"});
    return true;
  }

  // What sticks out above the bound moves forward in the order; pack again. Never takes a worse order.
  void refine(Part& part, uint64_t share) {
    const int n = part.in.size();
    std::vector<double> key(n);
    Offsets current = part.plan;
    for (uint64_t until = budget_.spent() + std::max<uint64_t>(share, n); part.peak > goal();) {
      if (budget_.over() || budget_.spent() >= until) return;
      const double pull = double(random_() >> 11) / double(uint64_t{1} << 53);
      for (int k = 0; k < n; ++k) key[part.order[k]] = double(k);
      for (int b = 0; b < n; ++b)
        if (current[b] + part.in.items[b].size > part.bound) key[b] = key[b] * pull - 1;
      std::vector<int> order = part.order;
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
      Offsets plan = fit_in_order(part.in, order, part.fit, nullptr, part.peak + 1);
      budget_.spend(n);
      if (plan.empty()) continue;
      current = plan;
      offer(part, std::move(plan), {"what stuck out moved forward", order, part.fit});
      part.order = std::move(order);
    }
  }

  const Instance& in_;
  const int64_t capacity_;
  const uint64_t seed_;
  Budget& budget_;
  PackTrace* trace_;
  std::mt19937_64 random_;
  std::vector<Part> parts_;
};

} // namespace

Solution pack_search(const Instance& in, int64_t capacity, uint64_t seed, Budget& budget, PackTrace* trace) {
  if (in.size() == 0) return {};
  return Search(in, capacity, seed, budget, trace).run();
}

} // namespace cutaway::plan
