// What a packer tells of its way is what happened: the placements make up the plan, and every gap was free.
#include "plan/pack_random.h"

#include "plan/pack/pack.h"

#include <gtest/gtest.h>

#include <set>

namespace cutaway::plan {
namespace {

bool together(const Buffer& a, const Buffer& b) { return std::max(a.start, b.start) < std::min(a.end, b.end); }

// `before`: the placements made earlier.
void expect_true(const Problem& p, const PackResult& r, const Placement& placement, const std::vector<int>& before) {
  const Buffer& b = p.buffers[placement.buffer];
  ASSERT_EQ(placement.accepted, r.offsets[placement.buffer]);
  int64_t taken = 0, held = 0;
  for (const GapTried& gap : placement.tried) {
    for (const int other : before) {
      const Buffer& o = p.buffers[other];
      if (!together(b, o)) continue;
      const int64_t top = r.offsets[other] + occupied(o);
      ASSERT_TRUE(top <= gap.offset || (gap.size >= 0 && r.offsets[other] >= gap.offset + gap.size)) << "the gap at " << gap.offset << " is not free";
    }
    ASSERT_GE(gap.needed, occupied(b));
    if (!lies_in(placement.accepted, gap)) continue;
    ++held;
    taken = gap.size;
    ASSERT_TRUE(gap.size < 0 || gap.size >= gap.needed) << "does not fit where it was placed";
  }
  ASSERT_EQ(held, placement.tried.empty() ? 0 : 1);
  for (const GapTried& gap : placement.tried) { // refused: too small, or looser
    if (lies_in(placement.accepted, gap) || gap.size < 0) continue;
    ASSERT_TRUE(gap.size < gap.needed || (taken >= 0 && gap.size >= taken)) << "a fitting gap was passed over";
  }
}

void expect_story(const Problem& p, const char* strategy) {
  PackTrace trace;
  PackOptions o;
  o.seconds = 60;
  o.trace = &trace;
  const auto r = pack(p, strategy, o);
  ASSERT_TRUE(r.ok());
  ASSERT_EQ(r->offsets, pack(p, strategy, {.seconds = 60})->offsets) << "a trace changes the plan";
  std::vector<int> before;
  for (const Placement& placement : trace.placements) {
    expect_true(p, *r, placement, before);
    before.push_back(placement.buffer);
  }
  size_t occupying = 0;
  for (const Buffer& b : p.buffers) occupying += b.size > 0 && b.start < b.end;
  EXPECT_EQ(before.size(), occupying);
  EXPECT_EQ(std::set<int>(before.begin(), before.end()).size(), occupying);
}

TEST(PackTrace, TellsWhatHappenedOnRandomProblems) {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    const Problem p = test::random_problem(random);
    for (const Strategy& s : strategies()) {
      SCOPED_TRACE(s.name);
      expect_story(p, s.name);
    }
  }
}

TEST(PackTrace, TellsWhatHappenedWhereOrdersDoNotReachTheBound) {
  std::mt19937 random(5);
  std::set<std::string> by;
  for (int i = 0; i < 40; ++i) {
    const Problem p = test::flat_problem(random, 12 + i % 5, 14);
    expect_story(p, "search");
    expect_story(p, "hill-climb");
    PackTrace trace;
    ASSERT_TRUE(pack(p, "search", {.seconds = 60, .trace = &trace}).ok());
    for (const Placement& placement : trace.placements) {
      by.insert(placement.by);
      EXPECT_EQ(placement.tried.empty(), placement.by == "search" || placement.by == "colouring") << placement.by;
    }
    ASSERT_FALSE(trace.incumbents.empty());
  }
  EXPECT_TRUE(by.contains("search")) << "no plan came from the complete search: the test shows nothing of it";
  EXPECT_GT(by.size(), 1u);
}

} // namespace
} // namespace cutaway::plan
