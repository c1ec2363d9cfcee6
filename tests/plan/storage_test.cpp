#include "ir/builder.h"
#include "plan/memory.h"

#include <gtest/gtest.h>

namespace cutaway::plan {
namespace {

using Dims = std::vector<int64_t>;

TEST(Storage, ReshapeOfStridesSplitsAndMerges) {
  EXPECT_EQ(reshape_strides({4, 6}, {6, 1}, {24}), Dims({1}));
  EXPECT_EQ(reshape_strides({24}, {1}, {4, 6}), Dims({6, 1}));
  EXPECT_EQ(reshape_strides({2, 3, 4}, {12, 1, 3}, {2, 3, 2, 2}), Dims({12, 1, 6, 3})); // channels last, the inner dim split
  EXPECT_EQ(reshape_strides({4, 6}, {1, 4}, {24}), std::nullopt);                        // a transpose must copy
  EXPECT_EQ(reshape_strides({1, 5, 1}, {99, 2, 7}, {5}), Dims({2}));                     // ones never stand in the way
}

TEST(Storage, CancellingTransposesMoveNothing) {
  Graph g;
  Builder b(g);
  ValueId v = b.param("x", {DType::f32, {2, 3, 4, 5}});
  for (int i = 0; i < 50; ++i) v = *b.make(Op::permute, {v}, {{"perm", i % 2 ? Dims{3, 0, 2, 1} : Dims{1, 3, 2, 0}}});
  const ValueId y = *b.make(Op::neg, {v});
  b.output(y, "y");
  const Storage s(g);
  EXPECT_EQ(s.access(v), s.access(g.node(g.params()[0]).outputs[0]));
}

// Twenty elementwise steps one after another, planned; `in_place`: each may overwrite its operand.
MemoryPlan chain_plan(bool in_place) {
  Graph g;
  Builder b(g);
  ValueId v = b.param("x", {DType::f32, {1000}});
  std::vector<Step> schedule;
  for (int i = 0; i < 20; ++i) {
    const ValueId w = *b.make(Op::neg, {v});
    schedule.push_back({{v}, {w}, {}});
    if (in_place) schedule.back().in_place = {v};
    v = w;
  }
  b.output(v, "y");
  return plan_memory(g, Storage(g), schedule, "search", nullptr);
}

TEST(Memory, PlansWithoutOverlapAndMeetsTheBoundOnAChain) {
  const MemoryPlan plan = chain_plan(false);
  EXPECT_EQ(plan.peak, plan.lower_bound);
  EXPECT_EQ(plan.peak, 2 * 4032);
}

TEST(Memory, AChainInPlaceTakesOneBuffer) {
  const MemoryPlan plan = chain_plan(true);
  EXPECT_EQ(plan.placements.size(), 1u); // the param and the output have memory of their own
  EXPECT_EQ(plan.peak, 4032);
}

} // namespace
} // namespace cutaway::plan
