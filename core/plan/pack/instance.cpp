#include "plan/pack/instance.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace cutaway::plan {
namespace {

// Greatest of a run of values in constant time, from a table of runs whose lengths are powers of two.
class RangeMax {
 public:
  explicit RangeMax(const std::vector<int64_t>& values) : rows_{values} {
    for (size_t half = 1; 2 * half <= values.size(); half *= 2) {
      const std::vector<int64_t>& low = rows_.back();
      std::vector<int64_t> row(values.size() - 2 * half + 1);
      for (size_t i = 0; i < row.size(); ++i) row[i] = std::max(low[i], low[i + half]);
      rows_.push_back(std::move(row));
    }
  }
  int64_t most(int first, int last) const {
    const int k = std::bit_width(unsigned(last - first)) - 1;
    return std::max(rows_[k][first], rows_[k][last - (1 << k)]);
  }

 private:
  std::vector<std::vector<int64_t>> rows_;
};

void cut_into_sections(Instance& in) {
  std::vector<std::tuple<int64_t, bool, int>> events; // time, born (deaths come first), item
  events.reserve(2 * in.items.size());
  for (int i = 0; i < in.size(); ++i) {
    events.emplace_back(in.items[i].start, true, i);
    events.emplace_back(in.items[i].end, false, i);
  }
  std::sort(events.begin(), events.end());
  in.sections = 0;
  in.load.clear();
  bool was_born = false;
  int64_t live = 0;
  for (const auto& [time, born, i] : events) {
    if (!born && was_born) {
      ++in.sections;
      in.load.push_back(live);
    }
    (born ? in.items[i].first : in.items[i].last) = in.sections;
    live += born ? in.items[i].size : -in.items[i].size;
    was_born = born;
  }
  in.bound = in.load.empty() ? 0 : *std::max_element(in.load.begin(), in.load.end());
  const RangeMax loads(in.load);
  for (Instance::Item& item : in.items) item.tightest = loads.most(item.first, item.last);
}

} // namespace

int64_t Instance::peak(const Offsets& offsets) const {
  int64_t peak = 0;
  for (int i = 0; i < size(); ++i) peak = std::max(peak, offsets[i] + items[i].size);
  return peak;
}

Instance make_instance(const Problem& p) {
  Instance in;
  int64_t unit = 0;
  for (int i = 0; i < int(p.buffers.size()); ++i) {
    const Buffer& b = p.buffers[i];
    if (b.size == 0 || b.start == b.end) continue;
    in.origin.push_back(i);
    in.items.push_back({.size = occupied(b), .alignment = b.alignment, .start = b.start, .end = b.end});
    unit = std::gcd(unit, occupied(b));
  }
  if (unit == 0) return in;
  // Where all alignments divide the unit, every sum of sizes is aligned and alignment is out of the way.
  const auto divides = [&](const Instance::Item& item) { return unit % item.alignment == 0; };
  if (std::all_of(in.items.begin(), in.items.end(), divides)) {
    for (Instance::Item& item : in.items) item.alignment = unit;
  } else {
    for (const Instance::Item& item : in.items) unit = std::gcd(unit, item.alignment);
  }
  in.unit = unit;
  for (Instance::Item& item : in.items) item.size /= unit, item.alignment /= unit;
  cut_into_sections(in);
  return in;
}

Instance sub_instance(const Instance& whole, std::span<const int> items) {
  Instance in;
  in.unit = whole.unit;
  for (int i : items) {
    in.items.push_back(whole.items[i]);
    in.origin.push_back(whole.origin[i]);
  }
  cut_into_sections(in);
  return in;
}

std::vector<std::vector<int>> components(const Instance& in) {
  std::vector<int> order(in.items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in.items[a].first < in.items[b].first; });
  std::vector<std::vector<int>> parts;
  int reach = 0;
  for (int i : order) {
    if (parts.empty() || in.items[i].first >= reach) parts.emplace_back();
    parts.back().push_back(i);
    reach = std::max(reach, in.items[i].last);
  }
  for (std::vector<int>& part : parts) std::sort(part.begin(), part.end());
  return parts;
}

} // namespace cutaway::plan
