#include "plan/pack/checker.h"
#include "plan/pack/pack.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace cutaway::plan {
namespace {

Problem problem_of(std::initializer_list<std::array<int64_t, 3>> rows) {
  Problem p;
  for (const auto& [start, end, size] : rows) p.buffers.push_back({start, end, size, 1});
  return p;
}

TEST(Strategies, RandomPlansNeverOverlapAndTheSearchIsNeverAboveAGreedyOne) {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    Problem p;
    for (uint32_t k = random() % 10 + 1; k-- > 0;) {
      const auto start = static_cast<int64_t>(random() % 8);
      p.buffers.push_back({start, start + 1 + static_cast<int64_t>(random() % 5), static_cast<int64_t>(random() % 9), int64_t{1} << (random() % 3)});
    }
    int64_t best = INT64_MAX, searched = 0;
    for (const PackResult& r : pack_all(p)) {
      const auto wrong = check_plan(p, r.offsets, r.peak);
      ASSERT_FALSE(wrong) << r.strategy << ": " << wrong->why;
      ASSERT_GE(r.peak, r.lower_bound);
      best = std::min(best, r.peak);
      if (r.strategy == "search") searched = r.peak;
    }
    ASSERT_EQ(searched, best) << i;
  }
}

TEST(Strategies, GreedyBySizeLosesBytesThatTheSearchFinds) {
  const Problem p = problem_of({{0, 2, 3}, {2, 4, 2}, {1, 3, 1}, {3, 5, 3}});
  EXPECT_EQ(pack(p, "by-size")->peak, 6);
  const auto best = pack(p, "search");
  EXPECT_EQ(best->peak, 5);
  EXPECT_EQ(best->proof, Proof::optimal);
}

TEST(Strategies, WhereNoPlanReachesTheLoadTheSearchProvesMore) {
  const Problem p = problem_of({{1, 2, 1}, {5, 6, 3}, {0, 5, 2}, {0, 2, 3}, {2, 5, 2}, {3, 6, 1}, {4, 5, 2}, {2, 3, 2}, {5, 6, 3}, {1, 4, 1}});
  EXPECT_EQ(lower_bound(p), 7);
  const auto best = pack(p, "search");
  EXPECT_EQ(best->peak, 8);
  EXPECT_EQ(best->proof, Proof::optimal);
}

TEST(Strategies, ColouringReachesTheBoundOnEqualSizesAndMonotoneSets) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    Problem equal, growing;
    for (uint32_t k = random() % 12 + 1; k-- > 0;) {
      const auto start = static_cast<int64_t>(random() % 10);
      equal.buffers.push_back({start, start + 1 + static_cast<int64_t>(random() % 6), 48, 16});
      growing.buffers.push_back({start, 20, 1 + static_cast<int64_t>(random() % 9), 1});
    }
    ASSERT_EQ(pack(equal, "colouring")->peak, lower_bound(equal));
    ASSERT_EQ(pack(growing, "colouring")->peak, lower_bound(growing));
  }
}

TEST(Strategies, UnknownNamesAreBadInput) { EXPECT_EQ(pack(problem_of({{0, 1, 1}}), "by-magic").error().fault, Fault::bad_input); }

} // namespace
} // namespace cutaway::plan
