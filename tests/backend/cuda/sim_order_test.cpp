// The happens-before checker over random schedules; it needs no driver.
#include "backend/cuda/sim/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace cutaway::cuda::sim {

namespace {

struct Schedule {
  std::vector<Note> notes;
  std::vector<int> lanes;
  std::vector<std::pair<int, int>> events; // the later one waits for the earlier one, across lanes
};

bool conflict(const Note& a, const Note& b) {
  for (const Range& x : a.touches)
    for (const Range& y : b.touches)
      if (x.begin < y.end && y.begin < x.end && (x.write || y.write)) return true;
  return false;
}

// Which operations happen before each, by lanes and events.
std::vector<std::set<int>> before(const Schedule& s) {
  std::vector<std::set<int>> out(s.notes.size());
  std::vector<int> last(8, -1);
  for (int i = 0; i < int(s.notes.size()); ++i) {
    auto follow = [&](int earlier) {
      out[size_t(i)].insert(earlier);
      out[size_t(i)].insert(out[size_t(earlier)].begin(), out[size_t(earlier)].end());
    };
    int& previous = last[size_t(s.lanes[size_t(i)])];
    if (previous >= 0) follow(previous);
    for (auto [from, to] : s.events)
      if (to == i) follow(from);
    previous = i;
  }
  return out;
}

// Operations that read and write random pieces of a buffer on a few lanes, with the events that they need and no other.
Schedule random_schedule(std::mt19937& random) {
  auto below = [&](int n) { return int(random() % unsigned(n)); };
  Schedule s;
  const int count = 4 + below(12), lanes = 2 + below(3);
  for (int i = 0; i < count; ++i) {
    Note note{std::to_string(i), {}, 0, 0};
    for (int t = 1 + below(3); t > 0; --t) {
      const auto at = CUdeviceptr(below(40));
      note.touches.push_back({at, at + 1 + CUdeviceptr(below(8)), below(3) == 0});
    }
    s.notes.push_back(note);
    s.lanes.push_back(below(lanes));
    // The latest conflict first: it may bring the order with earlier ones along.
    for (int j = i - 1; j >= 0; --j)
      if (conflict(s.notes[size_t(j)], note) && !before(s)[size_t(i)].contains(j)) s.events.emplace_back(j, i);
  }
  return s;
}

std::vector<std::string> races(const Schedule& s, int without) {
  Order order;
  std::vector<std::string> found;
  std::vector<int> lanes;
  for (int i = 0; i < 4; ++i) lanes.push_back(order.new_lane());
  std::vector<Point> tails(4), ends;
  for (int i = 0; i < int(s.notes.size()); ++i) {
    const int lane = s.lanes[size_t(i)];
    Point at = tails[size_t(lane)];
    for (int e = 0; e < int(s.events.size()); ++e)
      if (e != without && s.events[size_t(e)].second == i) join(at, ends[size_t(s.events[size_t(e)].first)]);
    order.add(s.notes[size_t(i)], at, lanes[size_t(lane)], lane, found);
    tails[size_t(lane)] = at;
    ends.push_back(std::move(at));
  }
  return found;
}

TEST(Order, PassesRandomSchedulesAndCatchesEachEventThatIsMissing) {
  std::mt19937 random(7);
  int removed = 0;
  for (int round = 0; round < 10'000; ++round) {
    const Schedule s = random_schedule(random);
    ASSERT_TRUE(races(s, -1).empty()) << "round " << round << ": " << races(s, -1).front();
    for (int e = 0; e < int(s.events.size()); ++e) {
      Schedule less = s;
      less.events.erase(less.events.begin() + e);
      // An event that later ones made needless is no fault to leave out.
      const auto order = before(less);
      bool needed = false;
      for (size_t i = 0; i < s.notes.size(); ++i)
        for (size_t j = 0; j < i; ++j) needed |= conflict(s.notes[j], s.notes[i]) && !order[i].contains(int(j));
      ASSERT_EQ(!races(s, e).empty(), needed) << "round " << round << " event " << e;
      removed += needed;
    }
  }
  EXPECT_GT(removed, 10'000);
}

TEST(Order, ReadersNeedNoOrder) {
  Order order;
  std::vector<std::string> found;
  Point a, b;
  const int first = order.new_lane(), second = order.new_lane();
  order.add({"x", {{0, 10, false}}, 0, 0}, a, first, 1, found);
  order.add({"y", {{5, 15, false}}, 0, 0}, b, second, 2, found);
  EXPECT_TRUE(found.empty());
  order.add({"z", {{9, 12, true}}, 0, 0}, b, second, 2, found);
  EXPECT_EQ(found, std::vector<std::string>{"race: z (stream 2) writes 1 bytes that x (stream 1) reads, with no order between them"});
}

} // namespace

} // namespace cutaway::cuda::sim
