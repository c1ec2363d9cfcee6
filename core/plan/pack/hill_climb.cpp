#include "plan/pack/hill_climb.h"

#include "plan/pack/greedy.h"

#include <random>
#include <utility>

namespace cutaway::plan {
namespace {

constexpr int most_orders = 500;
constexpr int64_t most_placements = 2'000'000; // of one climb, so that a huge problem ends soon

class Climb {
 public:
  Climb(const Instance& in, uint64_t seed) : in_(in), random_(seed), order_(order_by(in, {Key::size, Key::birth})) {
    place_.resize(order_.size());
    for (size_t k = 0; k < order_.size(); ++k) place_[order_[k]] = int(k);
  }

  Offsets run(Budget& budget, PackTrace* trace) {
    Offsets current = fit_in_order(in_, order_, Fit::lowest), best = current;
    std::vector<int> best_order = order_;
    int64_t current_peak = in_.peak(current), best_peak = current_peak;
    for (int round = 1; round < most_orders && int64_t(round) * in_.size() < most_placements; ++round) {
      if (best_peak <= in_.bound || budget.over()) break;
      const auto [a, b] = choose_pair(current, current_peak);
      swap(a, b);
      budget.spend(order_.size());
      Offsets next = fit_in_order(in_, order_, Fit::lowest);
      const int64_t peak = in_.peak(next);
      const double chance = 0.5 * (1 - double(round) / most_orders);
      if (peak > current_peak && unit() * double(current_peak) > chance * double(2 * current_peak - peak)) {
        swap(a, b);
        continue;
      }
      current = std::move(next);
      current_peak = peak;
      if (peak >= best_peak) continue;
      best = current;
      best_peak = peak;
      best_order = order_;
    }
    if (trace) fit_in_order(in_, best_order, Fit::lowest, trace);
    return best;
  }

 private:
  double unit() { return double(random_() >> 11) / double(uint64_t{1} << 53); }
  int pick(const std::vector<int>& from) { return from[random_() % from.size()]; }

  std::vector<int> neighbours(int a) const {
    std::vector<int> found;
    for (int b = 0; b < in_.size(); ++b)
      if (b != a && in_.items[a].first < in_.items[b].last && in_.items[b].first < in_.items[a].last)
        found.push_back(b);
    return found;
  }
  std::pair<int, int> choose_pair(const Offsets& offsets, int64_t peak) {
    std::vector<int> top;
    for (int i = 0; i < in_.size(); ++i)
      if (offsets[i] + in_.items[i].size == peak) top.push_back(i);
    const int a = pick(top);
    std::vector<int> near = neighbours(a);
    if (near.empty()) return {a, a};
    int b = pick(near);
    if (random_() % 2 == 0) b = pick(neighbours(b));
    return {a, b};
  }
  void swap(int a, int b) {
    std::swap(place_[a], place_[b]);
    std::swap(order_[place_[a]], order_[place_[b]]);
  }

  const Instance& in_;
  std::mt19937_64 random_;
  std::vector<int> order_, place_; // place_[order_[k]] == k
};

} // namespace

Offsets pack_hill_climb(const Instance& in, uint64_t seed, Budget& budget, PackTrace* trace) {
  if (in.size() == 0) return {};
  return Climb(in, seed).run(budget, trace);
}

} // namespace cutaway::plan
