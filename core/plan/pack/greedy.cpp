#include "plan/pack/greedy.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace cutaway::plan {
namespace {

double key_of(const Instance::Item& item, Key key) {
  const double width = double(item.end - item.start), size = double(item.size);
  switch (key) {
  case Key::tightest:
    return double(item.tightest);
  case Key::width:
    return width;
  case Key::area:
    return width * size;
  case Key::size:
    return size;
  case Key::birth:
    return -double(item.start);
  case Key::late_birth:
    return double(item.start);
  case Key::death:
    return -double(item.end);
  }
  return 0;
}

// In bytes and with the problem's index, as the trace's reader knows them.
Placement in_bytes(const Instance& in, int item, int64_t accepted, std::vector<GapTried> tried) {
  for (GapTried& gap : tried) {
    gap.offset *= in.unit;
    gap.needed *= in.unit;
    if (gap.size >= 0) gap.size *= in.unit;
  }
  return {.buffer = in.origin[item], .accepted = accepted * in.unit, .tried = std::move(tried)};
}

} // namespace

std::vector<int> order_by(const Instance& in, const std::vector<Key>& keys) {
  const size_t n = in.items.size(), k = keys.size();
  std::vector<double> values(n * k);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < k; ++j) values[i * k + j] = key_of(in.items[i], keys[j]);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    for (size_t j = 0; j < k; ++j)
      if (const double x = values[a * k + j], y = values[b * k + j]; x != y) return x > y;
    return a < b;
  });
  return order;
}

std::vector<int> order_by_breadth(const Instance& in) {
  std::vector<std::pair<int64_t, int>> loudest; // minus the load, section
  for (int s = 0; s < in.sections; ++s) loudest.emplace_back(-in.load[s], s);
  std::sort(loudest.begin(), loudest.end());
  // The loudest section of an item is the first in this order that has its tightest load and does not lie before it.
  std::vector<int> rank(in.items.size());
  for (int i = 0; i < in.size(); ++i) {
    const std::pair wanted{-in.items[i].tightest, in.items[i].first};
    rank[i] = int(std::lower_bound(loudest.begin(), loudest.end(), wanted) - loudest.begin());
  }
  std::vector<int> order = order_by(in, {Key::size, Key::birth});
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank[a] < rank[b]; });
  return order;
}

Offsets fit_in_order(const Instance& in, const std::vector<int>& order, Fit fit, PackTrace* trace, int64_t limit) {
  GapTree tree(in.sections);
  Offsets offsets(in.items.size(), 0);
  for (int i : order) {
    const Instance::Item& item = in.items[i];
    std::vector<GapTried> tried;
    offsets[i] = tree.place(item.first, item.last, item.size, item.alignment, fit, trace ? &tried : nullptr);
    if (offsets[i] + item.size >= limit) return {};
    if (trace) trace->add(in_bytes(in, i, offsets[i], std::move(tried)));
  }
  return offsets;
}

Offsets pack_by_size(const Instance& in, PackTrace* trace) {
  return fit_in_order(in, order_by(in, {Key::size, Key::birth}), Fit::lowest, trace);
}

Offsets pack_best_fit(const Instance& in, PackTrace* trace) {
  return fit_in_order(in, order_by(in, {Key::size, Key::width, Key::birth}), Fit::tightest, trace);
}

Offsets pack_first_fit(const Instance& in, PackTrace* trace) {
  return fit_in_order(in, order_by(in, {Key::birth, Key::size}), Fit::lowest, trace);
}

Offsets pack_by_breadth(const Instance& in, PackTrace* trace) {
  return fit_in_order(in, order_by_breadth(in), Fit::tightest, trace);
}

namespace {

// The bytes taken at one time, as spans that do not touch.
class Taken {
 public:
  void add(int64_t lo, int64_t hi) {
    auto at = first_from(lo);
    const bool joins_above = at != spans_.end() && at->first == hi;
    if (at != spans_.begin() && std::prev(at)->second == lo) {
      std::prev(at)->second = joins_above ? at->second : hi;
      if (joins_above) spans_.erase(at);
    } else if (joins_above) {
      at->first = lo;
    } else {
      spans_.insert(at, {lo, hi});
    }
  }
  void remove(int64_t lo, int64_t hi) {
    auto at = first_from(lo + 1) - 1; // the span that holds it
    const auto [low, high] = *at;
    if (low == lo && high == hi)
      spans_.erase(at);
    else if (low == lo)
      at->first = hi;
    else if (high == hi)
      at->second = lo;
    else {
      at->second = lo;
      spans_.insert(at + 1, {hi, high});
    }
  }
  // The tightest hole that takes `size` bytes at a multiple of `alignment`, or the top.
  int64_t best_fit(int64_t size, int64_t alignment, std::vector<GapTried>* tried) const {
    int64_t found = -1, found_gap = 0, at = 0;
    for (size_t k = 0; k <= spans_.size(); ++k) {
      const bool top = k == spans_.size();
      const int64_t gap = top ? -1 : spans_[k].first - at, start = round_up(at, alignment), needed = start - at + size;
      if (tried && gap != 0) tried->push_back({at, gap, needed});
      if (top ? found < 0 : gap >= needed && (found < 0 || gap < found_gap)) {
        found = start;
        found_gap = gap;
      }
      if (!top) at = spans_[k].second;
    }
    return found;
  }

 private:
  std::vector<std::pair<int64_t, int64_t>>::iterator first_from(int64_t lo) {
    return std::lower_bound(spans_.begin(), spans_.end(), lo, [](const auto& s, int64_t x) { return s.first < x; });
  }
  std::vector<std::pair<int64_t, int64_t>> spans_; // sorted
};

} // namespace

Offsets pack_online(const Instance& in, PackTrace* trace) {
  std::vector<std::tuple<int64_t, bool, int>> events; // time, born, item
  for (int i = 0; i < in.size(); ++i) {
    events.emplace_back(in.items[i].start, true, i);
    events.emplace_back(in.items[i].end, false, i);
  }
  std::sort(events.begin(), events.end());
  Offsets offsets(in.items.size(), 0);
  Taken taken;
  for (const auto& [time, born, i] : events) {
    const Instance::Item& item = in.items[i];
    if (!born) {
      taken.remove(offsets[i], offsets[i] + item.size);
      continue;
    }
    std::vector<GapTried> tried;
    offsets[i] = taken.best_fit(item.size, item.alignment, trace ? &tried : nullptr);
    taken.add(offsets[i], offsets[i] + item.size);
    if (trace) trace->add(in_bytes(in, i, offsets[i], std::move(tried)));
  }
  return offsets;
}

Offsets pack_colouring(const Instance& in, PackTrace* trace) {
  GapTree slots_taken(in.sections); // one unit a slot
  std::vector<int> slot(in.items.size());
  struct Slot {
    int64_t alignment = 0, size = 0, offset = 0;
  };
  std::vector<Slot> slots;
  for (int i : order_by(in, {Key::size, Key::birth})) {
    const Instance::Item& item = in.items[i];
    slot[i] = int(slots_taken.place(item.first, item.last, 1, 1, Fit::lowest));
    if (size_t(slot[i]) >= slots.size()) slots.resize(slot[i] + 1);
    Slot& s = slots[slot[i]];
    if (s.alignment == 0) s.alignment = item.alignment;
    const int64_t slack = s.alignment % item.alignment == 0 ? 0 : item.alignment - 1;
    s.size = std::max(s.size, item.size + slack);
  }
  int64_t top = 0;
  for (Slot& s : slots) {
    s.offset = round_up(top, s.alignment);
    top = s.offset + s.size;
  }
  Offsets offsets(in.items.size());
  for (int i = 0; i < in.size(); ++i) offsets[i] = round_up(slots[slot[i]].offset, in.items[i].alignment);
  if (trace)
    for (int i = 0; i < in.size(); ++i) trace->add(in_bytes(in, i, offsets[i], {}));
  return offsets;
}

} // namespace cutaway::plan
