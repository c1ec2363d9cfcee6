#include "driver/steps.h"
#include "ir/builder.h"
#include "ir/rewriter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace cutaway::driver {
namespace {

// A chain, and events that annotate and rewire it all over.
struct Long {
  Graph first, last;
  Journal journal;

  Long(int nodes, int events) {
    Builder b(first);
    ValueId v = b.param("x", {DType::f32, {4}});
    for (int i = 0; i < nodes; ++i) v = *b.make(i % 2 ? Op::abs : Op::neg, {v});
    b.output(v, "y");
    last = first;
    Rewriter rw(last, &journal, "test");
    const auto order = last.order();
    std::mt19937 random(1);
    for (int i = 0; i < events; ++i) {
      const NodeId n = order[1 + random() % static_cast<uint32_t>(nodes)];
      rw.begin("mark", {entity(n)});
      if (i % 10 == 0) rw.insert_one(Op::neg, {last.node(n).outputs[0]}, {}, last.next(n), {});
      else rw.annotate_group(n, GroupId(static_cast<uint32_t>(i)));
      rw.end();
    }
  }
};

TEST(Steps, SeekingAnywhereEqualsReplayingFromTheStart) {
  const Long run(50, 3000);
  const Steps steps(run.last, run.journal.events());
  EXPECT_EQ(steps.at(0), run.first);
  EXPECT_EQ(steps.at(steps.size()), run.last);
  Graph g = run.first;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i % 97 == 0) {
      ASSERT_EQ(steps.at(i), g) << i;
    }
    replay(g, steps.event(i));
  }
}

TEST(Steps, FiftyThousandStepsOfTenThousandNodesKeepFewKeyframes) {
  const Long run(10'000, 50'000);
  const Steps steps(run.last, run.journal.events());
  EXPECT_LE(steps.size() / steps.spacing() + 1, 33u);
  double worst = 0;
  for (size_t i = 0; i < steps.size(); i += 1999) {
    const auto start = std::chrono::steady_clock::now();
    const Graph g = steps.at(i);
    worst = std::max(worst, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    ASSERT_GE(g.node_count(), 10'000u);
  }
  RecordProperty("slowest_seek_ms", std::to_string(worst));
  std::printf("slowest seek: %.1f ms\n", worst);
}

} // namespace
} // namespace cutaway::driver
