#include "plan/pack/branch.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

namespace cutaway::plan {
namespace {
constexpr uint64_t looks_of_effort = 1024;
}

Branch::Branch(const Instance& in)
    : in_(in), n_(in.size()), load_(in.load), live_(in.sections), count_(in.sections), cuts_(in.sections),
      queued_(in.sections), first_(n_), last_(n_), size_(n_), alignment_(n_), bottom_(n_), rest_(n_), found_(n_),
      conflicts_(n_), slot_(n_), twin_(n_, -1), rank_(n_), placed_(n_) {
  for (int b = 0; b < n_; ++b) {
    const Instance::Item& item = in.items[b];
    first_[b] = item.first;
    last_[b] = item.last;
    size_[b] = item.size;
    alignment_[b] = item.alignment;
    aligned_ = aligned_ && item.alignment == 1;
    for (int s = item.first; s < item.last; ++s) {
      slot_[b].push_back(int(live_[s].size()));
      live_[s].push_back(b);
      if (s + 1 < item.last) ++cuts_[s];
    }
    for (int a = 0; a < n_; ++a)
      if (a != b && in.items[a].first < item.last && item.first < in.items[a].last) conflicts_[b].push_back(a);
  }
  for (int s = 0; s < in.sections; ++s) count_[s] = int(live_[s].size());
}

void Branch::reset(int64_t capacity) {
  if (capacity != capacity_) {
    capacity_ = capacity;
    memo_.clear();
    restart_ = 2 * uint64_t(n_);
    turn_ = 0;
  }
  nodes_ = 0;
  trail_.clear();
  std::fill(bottom_.begin(), bottom_.end(), 0);
  std::fill(rest_.begin(), rest_.end(), 0);
}

Branch::Answer Branch::decide(int64_t capacity, uint64_t effort, int first_order, Budget& budget, PackTrace* trace,
                              Offsets& plan) {
  budget_ = &budget;
  until_ = budget.spent() + std::min(effort, budget.left());
  trace_ = trace;
  reset(capacity);
  chain_twins();
  for (int b = 0; b < n_; ++b)
    if (size_[b] + bottom_[b] > capacity) return Answer::no;
  for (int b = 0; b < n_; ++b) touch(b);
  if (!propagate()) return Answer::no;
  trail_.clear();
  Items all(n_);
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Items> parts = split(all, 0, in_.sections);
  size_t done = 0;
  // Restarts: three tie-breaking orders in turn, limits doubling. The memo outlives them: little is searched twice.
  while (done < parts.size()) {
    if (budget.spent() >= until_ || budget.late()) return Answer::unknown;
    order_ = (first_order + turn_) % 3;
    limit_ = nodes_ + restart_;
    if (run_parts(parts, done) == Answer::no) return Answer::no;
    turn_ = (turn_ + 1) % 3;
    if (turn_ == 0) restart_ *= 2;
  }
  plan = found_;
  return Answer::yes;
}

Branch::Answer Branch::run_parts(const std::vector<Items>& parts, size_t& done) {
  for (; done < parts.size(); ++done) {
    if (parts[done].empty()) continue;
    rank(parts[done]);
    if (const Answer answer = search(parts[done]); answer != Answer::yes) return answer;
  }
  return Answer::yes;
}

void Branch::assign(int64_t& cell, int64_t value) {
  trail_.emplace_back(&cell, cell);
  cell = value;
}

void Branch::undo(size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) *trail_.back().first = trail_.back().second;
}

void Branch::enqueue(int s) {
  if (queued_[s]) return;
  queued_[s] = 1;
  queue_.push_back(s);
}

void Branch::touch(int b) {
  for (int s = first_[b]; s < last_[b]; ++s) enqueue(s);
}

bool Branch::raise(int b, int64_t to) {
  // A chain of twins is walked, not recursed.
  for (;;) {
    if (!aligned_) to = round_up(to, alignment_[b]);
    if (to <= bottom_[b]) return true;
    if (to + size_[b] > capacity_) return false;
    const int64_t before = bottom_[b];
    assign(bottom_[b], to);
    // Where it could not be the lowest before, it told the section nothing and tells it nothing new.
    const int64_t telling = capacity_ - before;
    for (int s = first_[b]; s < last_[b]; ++s)
      if (load_[s] <= telling) enqueue(s);
    if (twin_[b] < 0 || placed_[twin_[b]]) return true;
    to += size_[b];
    b = twin_[b];
  }
}

void Branch::chain_twins() {
  std::fill(twin_.begin(), twin_.end(), -1);
  std::map<std::array<int64_t, 4>, int> latest;
  for (int b = 0; b < n_; ++b) {
    const auto [it, fresh] = latest.insert({{first_[b], last_[b], size_[b], alignment_[b]}, b});
    if (fresh) continue;
    twin_[it->second] = b;
    bottom_[b] = bottom_[it->second] + size_[b];
    it->second = b;
  }
}

// One section is one machine: what is left in it goes, one above another, between the lowest bottom and the capacity.
bool Branch::check_section(int s) {
  const int k = count_[s];
  if (k == 0) return true;
  looked_at_ += k;
  const int* live = live_[s].data();
  const int64_t latest = capacity_ - load_[s]; // the lowest of the rest starts here or lower
  int64_t floor = capacity_ + 1, second = capacity_ + 1, most = 0;
  for (int j = 0; j < k; ++j) {
    const int64_t at = bottom_[live[j]], top = at + size_[live[j]];
    floor = std::min(floor, at);
    most = std::max(most, at);
    second = at <= latest ? std::min(second, top) : second;
  }
  if (floor > latest) return false;
  for (int j = 0; most > latest && j < k; ++j)
    if (const int64_t at = bottom_[live[j]]; at > latest && at < second && !raise(live[j], second)) return false;
  return true;
}

void Branch::drop_queue() {
  for (int s : queue_) queued_[s] = 0;
  queue_.clear();
}

bool Branch::propagate() {
  for (size_t q = 0; q < queue_.size(); ++q) {
    queued_[queue_[q]] = 0;
    if (!check_section(queue_[q])) {
      drop_queue();
      return false;
    }
  }
  queue_.clear();
  return true;
}

// Not at rest_[b], so b must rest on a buffer still to come, one that starts below the top b would have had there (or b
// could be lowered back). MiniMalloc lacks this: it skips b, yet goes on counting with its old minimum.
bool Branch::skip(int b) {
  const int64_t top = rest_[b] + size_[b];
  int64_t to = capacity_ + 1;
  for (int a : conflicts_[b])
    if (!placed_[a] && bottom_[a] < top) to = std::min(to, bottom_[a] + size_[a]);
  if (to <= capacity_ && raise(b, to)) return propagate();
  drop_queue();
  return false;
}

bool Branch::place(int b) {
  placed_[b] = 1;
  touch(b);
  const int first = first_[b], last = last_[b];
  for (int s = first; s < last; ++s) {
    load_[s] -= size_[b];
    int& mine = slot_[b][s - first]; // b goes behind the live ones; lift() undoes it by count_ alone
    const int end = --count_[s], other = live_[s][end];
    std::swap(live_[s][mine], live_[s][end]);
    slot_[other][s - first_[other]] = mine;
    mine = end;
    if (s + 1 < last) --cuts_[s];
  }
  const int64_t top = bottom_[b] + size_[b];
  for (int a : conflicts_[b]) {
    if (placed_[a]) continue;
    const int64_t rest = aligned_ ? top : round_up(top, alignment_[a]);
    if (rest_[a] < rest) assign(rest_[a], rest);
    if (bottom_[a] < rest_[a] && !raise(a, rest_[a])) {
      drop_queue();
      return false;
    }
  }
  return propagate();
}

void Branch::lift(int b) {
  for (int s = first_[b]; s < last_[b]; ++s) {
    load_[s] += size_[b];
    ++count_[s];
    if (s + 1 < last_[b]) ++cuts_[s];
  }
  placed_[b] = 0;
}

// Nothing left can lie above b: placing it where it is costs nothing.
bool Branch::hatless(int b) const {
  return std::all_of(conflicts_[b].begin(), conflicts_[b].end(), [&](int a) { return placed_[a]; });
}

void Branch::rank(const Items& items) {
  std::vector<std::pair<std::array<double, 3>, int>> keyed;
  keyed.reserve(items.size());
  for (int b : items) {
    const Instance::Item& item = in_.items[b];
    const int64_t most = *std::max_element(load_.begin() + item.first, load_.begin() + item.last);
    const double t = -double(most), w = -double(item.end - item.start), a = w * double(size_[b]);
    const std::array<double, 3> orders[] = {{t, w, a}, {w, a, t}, {t, a, w}};
    keyed.emplace_back(orders[order_], b);
  }
  std::sort(keyed.begin(), keyed.end());
  for (size_t i = 0; i < keyed.size(); ++i) rank_[keyed[i].second] = int(i);
}

// Groups the unplaced items that nothing unplaced connects across the section borders inside [first, last).
std::vector<Branch::Items> Branch::split(const Items& items, int first, int last) const {
  std::vector<int> borders;
  for (int s = first; s + 1 < last; ++s)
    if (cuts_[s] == 0) borders.push_back(s + 1);
  std::vector<Items> parts(borders.size() + 1);
  for (int b : items)
    if (!placed_[b]) parts[std::upper_bound(borders.begin(), borders.end(), first_[b]) - borders.begin()].push_back(b);
  if (parts.size() > 1)
    std::stable_sort(parts.begin(), parts.end(), [](auto& x, auto& y) { return x.size() < y.size(); });
  return parts;
}

// Unplaced buffers with their bottoms and rests, whatever the way that led there.
uint64_t Branch::key_of(const Items& items) const {
  const auto mix = [](uint64_t x) {
    for (int i = 0; i < 2; ++i) x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
    return x ^ x >> 32;
  };
  uint64_t key = 0;
  for (int b : items)
    key += mix(mix(uint64_t(b) + 1) + uint64_t(bottom_[b]) * 0x9e3779b97f4a7c15ull + mix(uint64_t(rest_[b])));
  return key | 1;
}

// The unplaced item that can go lowest, ties by rank; -1 if none can go on. Raises what cannot go at its bottom yet.
int Branch::choose(const Items& items) {
  for (;;) {
    int best = items[0];
    int64_t ceiling = std::numeric_limits<int64_t>::max();
    for (int b : items) {
      if (bottom_[b] < bottom_[best] || (bottom_[b] == bottom_[best] && rank_[b] < rank_[best])) best = b;
      ceiling = std::min(ceiling, rest_[b] + size_[b]);
    }
    // A start at or above a top still to be had leaves a hole: lower that one instead.
    if (bottom_[best] >= ceiling) return -1;
    if (bottom_[best] == rest_[best]) return best;
    tell(SearchMove::Kind::skip, best);
    if (!skip(best)) return -1;
  }
}

bool Branch::stop() {
  if (nodes_ >= limit_ || budget_->spent() >= until_) return true;
  ++nodes_;
  budget_->spend(1 + looked_at_ / looks_of_effort);
  looked_at_ %= looks_of_effort;
  return (nodes_ & 255) == 0 && budget_->late();
}

void Branch::tell(SearchMove::Kind kind, int b) {
  if (trace_) trace_->add(SearchMove{kind, in_.origin[b], bottom_[b] * in_.unit});
}

Branch::Answer Branch::below(int b, const Items& items) {
  const std::vector<Items> parts = split(items, first_[b], last_[b]);
  if (parts.size() == 1) return parts[0].empty() ? Answer::yes : search(parts[0]);
  std::vector<int> saved;
  saved.reserve(items.size());
  for (int a : items) saved.push_back(rank_[a]);
  size_t done = 0;
  const Answer answer = run_parts(parts, done);
  for (size_t i = 0; i < items.size(); ++i) rank_[items[i]] = saved[i];
  return answer;
}

// Two branches a node: the chosen buffer lies where it can go now, or it does not (skip() draws the consequences).
Branch::Answer Branch::search(const Items& items) {
  const size_t start = trail_.size();
  uint64_t key = 0;
  Answer answer = Answer::no;
  for (;;) {
    const int b = choose(items);
    if (b < 0) break;
    if (key == 0) {
      key = key_of(items);
      if (memo_.has(key)) {
        undo(start);
        return Answer::no;
      }
    }
    if (stop()) {
      answer = Answer::unknown;
      break;
    }
    const size_t mark = trail_.size();
    const int64_t offset = bottom_[b];
    tell(SearchMove::Kind::place, b);
    if (place(b)) answer = below(b, items);
    const bool forced = hatless(b);
    lift(b);
    if (answer == Answer::yes) found_[b] = offset;
    if (answer != Answer::no) break;
    undo(mark);
    tell(SearchMove::Kind::fail, b);
    if (forced || !skip(b)) break;
  }
  undo(start);
  if (answer == Answer::no && key != 0) memo_.add(key);
  return answer;
}

} // namespace cutaway::plan
