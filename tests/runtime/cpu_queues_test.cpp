// Queues of the CPU as they are planned: what runs at once changes no bit.
#include "runtime/cpu_queues.h"

#include "driver/random_graph.h"
#include "runtime/cpu_executable.h"
#include "runtime/reference.h"

#include <gtest/gtest.h>

namespace cutaway::runtime {
namespace {

std::vector<codegen::Kernel> kernels_of(const Graph& g, const plan::Storage& storage) {
  std::vector<codegen::Kernel> out;
  for (const NodeId n : g.order())
    if (const Op op = g.node(n).op; op != Op::param && op != Op::constant && !storage.is_alias(n)) out.push_back(codegen::make_kernel(g, storage, {}, {n}, "kernel", {}));
  return out;
}

bool has_event(const Journal& journal, const std::string& code) {
  for (const Event& e : journal.events())
    if (e.code == code) return true;
  return false;
}

// A machine on which every stretch that has two branches is split.
CpuMachine eager_to_split() {
  CpuMachine out;
  out.split_us = 0, out.least_gain = -10, out.barrier_us = 0, out.launch_us = 10;
  return out;
}

TEST(CpuQueues, WhatRunsAtOnceChangesNoBit) {
  const CpuMachine machine = eager_to_split();
  int split = 0, waits = 0;
  for (uint32_t seed = 0; seed < 24; ++seed) {
    const driver::RandomGraph random(seed, seed % 2 == 0);
    const plan::Storage storage(random.graph);
    Journal journal;
    ExecutableOptions options;
    options.streams = 2 + static_cast<int>(seed % 3), options.threads = 4, options.machine = &machine, options.journal = &journal;
    const auto made = make_cpu_executable(random.graph, kernels_of(random.graph, storage), storage, nullptr, options);
    ASSERT_TRUE(made.ok()) << made.error().str();
    split += has_event(journal, "streams"), waits += has_event(journal, "stream-event");
    ThreadPool pool(4);
    const auto context = (*made)->make_context(pool);
    ASSERT_TRUE(context.ok());
    for (uint32_t run = 0; run < 5; ++run) {
      const auto inputs = driver::inputs_of(run);
      const auto want = run_reference(random.graph, inputs);
      (*context)->profile = run == 3;
      const auto got = (*made)->run(inputs, **context);
      ASSERT_TRUE(got.ok()) << got.error().str();
      for (size_t i = 0; i < want->size(); ++i) ASSERT_TRUE((*got)[i].same_bits((*want)[i])) << "seed " << seed << ", run " << run << ", output " << i;
    }
  }
  EXPECT_GE(split, 12);
  EXPECT_GE(waits, 8);
}

// Two heavy branches that cannot use more than one thread each are worth a split; a chain is not, nor is what takes no time.
TEST(CpuQueues, OnlyClearGainsAreSplit) {
  for (const auto& [extent, branches, expected] : {std::tuple{int64_t{1} << 20, 2, true}, {int64_t{1} << 20, 1, false}, {int64_t{16}, 2, false}}) {
    Graph g;
    Builder b(g);
    const ValueId x = b.param("x", {DType::f32, {extent}});
    std::vector<ValueId> ends;
    for (int i = 0; i < branches; ++i) {
      ValueId at = x;
      for (int k = 0; k < 3; ++k) at = *b.make(Op::exp, {at});
      ends.push_back(at);
    }
    b.output(branches == 2 ? *b.make(Op::add, {ends[0], ends[1]}) : ends[0], "out");
    const plan::Storage storage(g);
    auto kernels = kernels_of(g, storage);
    for (codegen::Kernel& k : kernels) k.units = 1, k.flops = static_cast<double>(extent) * 100;
    CpuQueues queues(g, kernels, 2, 4, {});
    EXPECT_EQ(queues.find(), expected) << extent << ", " << branches;
    if (!expected) continue;
    const QueuePlan plan = queues.plan();
    EXPECT_EQ(plan.team_sizes, std::vector<int>({1, 1}));
    EXPECT_EQ(std::count(plan.queue_of.begin(), plan.queue_of.end(), 1u), 3);
    EXPECT_EQ(plan.queue_of.back(), QueuePlan::everyone); // the sum joins both
  }
}

} // namespace
} // namespace cutaway::runtime
