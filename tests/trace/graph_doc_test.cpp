#include "trace/random_document.h"

#include <gtest/gtest.h>

#include <map>

namespace cutaway::trace {
namespace {

TEST(ElementTable, HoldsWhatAMapWould) {
  std::mt19937 random(1);
  ElementTable<GraphNode> table;
  std::map<uint32_t, int> map;
  for (int i = 0; i < 20'000; ++i) {
    const uint32_t id = random() % 1000;
    if (random() % 3) {
      GraphNode n;
      n.id = NodeId(id), n.flops = i;
      table.set(std::make_shared<const GraphNode>(n));
      map[id] = i;
    } else {
      table.erase(NodeId(id));
      map.erase(id);
    }
    ASSERT_EQ(table.size(), map.size());
  }
  auto at = map.begin();
  for (const GraphNode& n : table) {
    ASSERT_EQ(n.id.v, at->first);
    ASSERT_EQ(n.flops, at->second);
    ++at;
  }
  EXPECT_EQ(at, map.end());
}

TEST(GraphDoc, DifferenceLeadsThereAndBack) {
  const auto d = random_document(2, 400);
  const Trace& t = *d.traces[0];
  for (const auto& [from, to] : {std::pair{0u, 399u}, {399u, 0u}, {100u, 101u}, {50u, 300u}}) {
    GraphDoc g = t.at(from);
    const auto edits = difference(g, t.at(to));
    for (const Edit& e : edits) g.apply(e);
    EXPECT_TRUE(g == t.at(to));
    for (auto e = edits.rbegin(); e != edits.rend(); ++e) g.undo(*e);
    EXPECT_TRUE(g == t.at(from));
  }
}

TEST(Trace, SeekingEqualsWalking) {
  const auto d = random_document(9, 500);
  const Trace& t = *d.traces[0];
  GraphDoc g = t.at(0);
  for (uint32_t i = 1; i < 500; ++i) {
    for (const Edit& e : t.steps()[i].edits) g.apply(e);
    ASSERT_TRUE(g == t.at(i)) << i;
  }
}

} // namespace
} // namespace cutaway::trace
