// What holds of every packer: plans without overlap, bounds that no plan beats, optima where theory promises them.
#include "plan/pack_random.h"

#include "plan/pack/checker.h"
#include "plan/pack/pack.h"

#include <gtest/gtest.h>

namespace cutaway::plan {
namespace {

using test::problem_of;

int64_t peak_by(const Problem& p, const std::string& strategy) {
  const auto r = pack(p, strategy);
  EXPECT_TRUE(r.ok());
  return r->peak;
}

// By bytes, one time at a time; shares nothing with checker.cpp.
bool overlaps(const Problem& p, const Offsets& at) {
  for (size_t a = 0; a < at.size(); ++a)
    for (size_t b = 0; b < a; ++b) {
      const Buffer &x = p.buffers[a], &y = p.buffers[b];
      const bool together = std::max(x.start, y.start) < std::min(x.end, y.end);
      if (together && std::max(at[a], at[b]) < std::min(at[a] + x.size, at[b] + y.size)) return true;
    }
  return false;
}

TEST(Pack, EveryPlanOfEveryPackerIsSound) {
  std::mt19937 random(4);
  PackOptions quick;
  quick.effort = 500;
  int plans = 0;
  for (int round = 0; round < 12'500; ++round) {
    const Problem p = test::random_problem(random);
    const int64_t load = lower_bound(p);
    int64_t least = std::numeric_limits<int64_t>::max(), search = 0;
    for (const PackResult& r : pack_all(p, quick)) {
      ++plans;
      const auto wrong = check_plan(p, r.offsets, r.peak);
      ASSERT_FALSE(wrong) << r.strategy << ": " << wrong->why;
      ASSERT_FALSE(overlaps(p, r.offsets)) << r.strategy;
      ASSERT_GE(r.lower_bound, load);
      ASSERT_GE(r.peak, r.lower_bound) << r.strategy;
      ASSERT_EQ(r.proof == Proof::optimal, r.peak == r.lower_bound);
      if (r.strategy == "search")
        search = r.peak;
      else if (r.strategy != "hill-climb")
        least = std::min(least, r.peak);
    }
    ASSERT_LE(search, least) << "a greedy packer beats the search";
  }
  EXPECT_EQ(plans, 100'000);
}

TEST(Pack, TheCheckerFindsWhatIsBroken) {
  std::mt19937 random(5);
  int found = 0, sound = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Problem p = test::random_problem(random);
    Offsets at;
    for (const Buffer& b : p.buffers) at.push_back(int64_t(random() % 12) * b.alignment);
    const auto wrong = check_plan(p, at, 1000);
    ASSERT_EQ(wrong.has_value(), overlaps(p, at));
    ++(wrong ? found : sound);
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(sound, 1000);
  const Problem p{.buffers = {{0, 2, 4, 4}, {1, 3, 4, 4}}};
  EXPECT_FALSE(check_plan(p, {0, 4}, 8));
  EXPECT_TRUE(check_plan(p, {0, 4}, 7)) << "above the arena";
  EXPECT_TRUE(check_plan(p, {0, 6}, 10)) << "not aligned";
  EXPECT_TRUE(check_plan(p, {0, -4}, 8)) << "no offset";
  EXPECT_TRUE(check_plan(p, {0}, 8)) << "an offset is missing";
  EXPECT_EQ(check_plan(p, {0, 0}, 8)->other, 0);
}

TEST(Pack, GreedyBySizeLosesBytesThatTheSearchFinds) {
  const Problem p = problem_of({{0, 2, 3}, {2, 4, 2}, {1, 3, 1}, {3, 5, 3}});
  EXPECT_EQ(peak_by(p, "by-size"), 6);
  EXPECT_EQ(lower_bound(p), 5);
  EXPECT_EQ(peak_by(p, "search"), 5);
}

TEST(Pack, SearchProvesAnOptimumAboveTheLoad) {
  const Problem p = problem_of(
      {{1, 2, 1}, {5, 6, 3}, {0, 5, 2}, {0, 2, 3}, {2, 5, 2}, {3, 6, 1}, {4, 5, 2}, {2, 3, 2}, {5, 6, 3}, {1, 4, 1}});
  EXPECT_EQ(lower_bound(p), 7);
  const auto r = pack(p, "search");
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->peak, 8);
  EXPECT_EQ(r->lower_bound, 8);
  EXPECT_EQ(r->proof, Proof::optimal);
}

TEST(Pack, ColouringReachesTheBoundForEqualSizes) {
  std::mt19937 random(6);
  for (int round = 0; round < 3000; ++round) {
    Problem p;
    const int64_t size = 1 + int64_t(random() % 100), alignment = 1 + int64_t(random() % 64);
    for (int n = 1 + int(random() % 60); n-- > 0;) {
      const int64_t start = int64_t(random() % 40);
      p.buffers.push_back({start, start + 1 + int64_t(random() % 20), size, alignment});
    }
    ASSERT_EQ(peak_by(p, "colouring"), lower_bound(p));
  }
}

TEST(Pack, ColouringReachesTheBoundForMonotoneLiveSets) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    Problem p;
    const bool grows = random() % 2 == 0;
    const int64_t alignment = 1 + int64_t(random() % 64);
    for (int n = 1 + int(random() % 60); n-- > 0;) {
      const int64_t when = int64_t(random() % 40);
      p.buffers.push_back({grows ? when : 0, grows ? 40 : when + 1, int64_t(random() % 1000), alignment});
    }
    ASSERT_EQ(peak_by(p, "colouring"), lower_bound(p));
  }
}

TEST(Pack, SizesAreRoundedUpToTheAlignmentBeforeTheBound) {
  const Problem p{.buffers = {{0, 2, 1, 64}, {1, 3, 65, 64}, {2, 4, 64, 64}}};
  EXPECT_EQ(lower_bound(p), 192);
  for (const PackResult& r : pack_all(p)) {
    EXPECT_EQ(r.peak, 192) << r.strategy;
    EXPECT_EQ(r.proof, Proof::optimal) << r.strategy;
    for (int64_t at : r.offsets) EXPECT_EQ(at % 64, 0);
  }
}

TEST(Pack, WhatOccupiesNothingIsPlacedAndInNobodysWay) {
  const Problem p{.buffers = {{0, 5, 0, 64}, {3, 3, 1000, 1}, {0, 5, 10, 1}}};
  for (const PackResult& r : pack_all(p)) {
    EXPECT_EQ(r.peak, 10) << r.strategy;
    EXPECT_EQ(r.offsets, (Offsets{0, 0, 0})) << r.strategy;
  }
  for (const PackResult& r : pack_all({})) EXPECT_EQ(r.proof, Proof::optimal);
}

TEST(Pack, BadProblemsAreDiagnosed) {
  const auto fault = [](Buffer b) { return pack({.buffers = {b}}, "search").ok(); };
  EXPECT_FALSE(fault({0, 1, -1, 1}));
  EXPECT_FALSE(fault({0, 1, 1, 0}));
  EXPECT_FALSE(fault({1, 0, 1, 1}));
  EXPECT_FALSE(fault({0, 1, std::numeric_limits<int64_t>::max(), 1}));
  EXPECT_FALSE(fault({0, 1, 1, std::numeric_limits<int64_t>::max()}));
  EXPECT_FALSE(fault({std::numeric_limits<int64_t>::min(), 1, 1, 1}));
  EXPECT_FALSE(pack({.buffers = {{0, 1, int64_t{1} << 61, 1}, {0, 1, int64_t{1} << 61, 1}}}, "search").ok());
  const auto unknown = pack({}, "magic");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().hint.find("by-size"), std::string::npos);
}

TEST(Pack, IdleWindowsLowerTheBoundAndNeverThePlan) {
  // b fits into the idle window of a; our plans do not use it, and say so.
  Problem p = problem_of({{0, 9, 5}, {3, 6, 5}});
  p.idle.push_back({0, 3, 6, 0, 1});
  EXPECT_EQ(lower_bound(p), 6);
  const auto r = pack(p, "search");
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->peak, 10);
  EXPECT_EQ(r->lower_bound, 6);
  EXPECT_EQ(r->proof, Proof::feasible);
}

TEST(Pack, ATraceTellsEachGapThatWasTried) {
  const Problem p = problem_of({{0, 4, 4}, {4, 8, 3}, {0, 8, 2}, {2, 6, 1}});
  for (const Strategy& s : strategies()) {
    PackTrace trace;
    PackOptions o;
    o.trace = &trace;
    const auto r = pack(p, s.name, o);
    ASSERT_TRUE(r.ok());
    ASSERT_EQ(r->offsets, pack(p, s.name)->offsets) << "a trace changes the plan of " << s.name;
    ASSERT_EQ(trace.placements.size(), p.buffers.size()) << s.name;
    for (const Placement& placement : trace.placements) {
      ASSERT_EQ(placement.accepted, r->offsets[placement.buffer]);
      bool among = placement.tried.empty();
      for (const GapTried& gap : placement.tried) among |= gap.offset <= placement.accepted;
      EXPECT_TRUE(among) << s.name;
    }
  }
  PackTrace small;
  small.limit = 2;
  PackOptions o;
  o.trace = &small;
  ASSERT_TRUE(pack(p, "by-size", o).ok());
  EXPECT_EQ(small.placements.size(), p.buffers.size());
  EXPECT_TRUE(small.placements.back().gaps_dropped);
  EXPECT_TRUE(small.placements.back().tried.empty());
}

} // namespace
} // namespace cutaway::plan
