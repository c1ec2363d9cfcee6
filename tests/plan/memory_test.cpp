#include "plan/memory.h"
#include "plan/tell_packing.h"

#include "ir/builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace cutaway::plan {
namespace {

struct Chain {
  Graph g;
  std::vector<Step> schedule;

  // Elementwise steps one after another; a step may overwrite its operand where `in_place` is set.
  Chain(int steps, bool in_place) {
    Builder b(g);
    ValueId v = b.param("x", {DType::f32, {1000}});
    for (int i = 0; i < steps; ++i) {
      const ValueId w = *b.make(Op::neg, {v});
      schedule.push_back({{v}, {w}, {}});
      if (in_place) schedule.back().in_place = {v};
      v = w;
    }
    b.output(v, "y");
  }
};

std::map<std::string, int> codes(const Journal& j) {
  std::map<std::string, int> out;
  for (const Event& e : j.events()) ++out[e.code];
  return out;
}

TEST(Memory, TheJournalTellsEveryPlacementOfThePlan) {
  const Chain c(9, false);
  for (const char* strategy : {"search", "by-size", "best-fit", "online", "colouring", "hill-climb"}) {
    Journal j;
    const MemoryPlan plan = plan_memory(c.g, Storage(c.g), c.schedule, strategy, &j);
    const MemoryPlan quiet = plan_memory(c.g, Storage(c.g), c.schedule, strategy, nullptr);
    ASSERT_EQ(plan.peak, quiet.peak);
    auto count = codes(j);
    EXPECT_EQ(count["placed"], static_cast<int>(plan.placements.size())) << strategy;
    EXPECT_EQ(count["packed"], 1);
    EXPECT_EQ(count["incumbent"] > 0, std::string(strategy) == "search");
    for (const Event& e : j.events()) {
      if (e.code != "placed") continue;
      const Allocation& a = plan.placements[e.entities.back().id];
      EXPECT_EQ(std::get<int64_t>(e.args[1]), a.offset);
      const auto* how = dynamic_cast<const PlacedHow*>(e.payload.get());
      ASSERT_TRUE(how);
      EXPECT_EQ(how->placement.accepted, a.offset);
      EXPECT_LE(how->placement.tried.size(), PlacedHow::gaps_kept);
      EXPECT_GE(how->gaps_tried, how->placement.tried.size());
    }
  }
}

TEST(Memory, AHandOverKnowsItsStep) {
  const Chain c(5, true);
  Journal j;
  const MemoryPlan plan = plan_memory(c.g, Storage(c.g), c.schedule, "search", &j);
  ASSERT_EQ(plan.placements.size(), 1u);
  const Allocation& a = plan.placements[0];
  EXPECT_EQ(a.written, (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(a.written.size(), a.roots.size());
  EXPECT_EQ(codes(j)["in-place"], 3);
}

// Forty buffers that all but one die before a last one comes: more holes than are kept.
TEST(Memory, OfManyGapsTheLargestAreKept) {
  Graph g;
  Builder b(g);
  const ValueId x = b.param("x", {DType::f32, {4000}});
  std::vector<Step> schedule;
  std::vector<ValueId> pads;
  for (int64_t i = 0; i < 40; ++i) {
    const ValueId wide = *b.make(Op::slice, {x}, {{"starts", std::vector<int64_t>{0}}, {"steps", std::vector<int64_t>{1}}, {"sizes", std::vector<int64_t>{1000 - 16 * i}}});
    pads.push_back(*b.make(Op::neg, {wide}));
    schedule.push_back({{x}, {pads.back()}, {}});
  }
  for (size_t i = 1; i < pads.size(); i += 2) schedule.push_back({{pads[i]}, {}, {}});
  const ValueId last = *b.make(Op::neg, {x});
  schedule.push_back({{x}, {last}, {}});
  schedule.push_back({{last}, {}, {}});
  for (size_t i = 0; i < pads.size(); i += 2) schedule.back().reads.push_back(pads[i]);
  Journal j;
  plan_memory(g, Storage(g), schedule, "first-fit", &j);
  size_t most = 0;
  for (const Event& e : j.events())
    if (const auto* how = dynamic_cast<const PlacedHow*>(e.payload.get())) {
      most = std::max(most, how->gaps_tried);
      const auto& tried = how->placement.tried;
      EXPECT_LE(tried.size(), PlacedHow::gaps_kept);
      EXPECT_TRUE(std::is_sorted(tried.begin(), tried.end(), [](const GapTried& a, const GapTried& b) { return a.offset < b.offset; }));
      EXPECT_TRUE(std::any_of(tried.begin(), tried.end(), [&](const GapTried& gap) { return lies_in(how->placement.accepted, gap); }));
    }
  EXPECT_GT(most, PlacedHow::gaps_kept);
}

} // namespace
} // namespace cutaway::plan
