// What a convolution, a pooling or a product reads for one output, and how that lies in memory.
#include "layout/window.h"

#include <gtest/gtest.h>

namespace cutaway::views {
namespace {

// One op over a value of that shape, with weights where it has some.
struct Reader {
  trace::GraphDoc graph;
  trace::GraphValue value;

  Reader(const char* op, const char* shape, const char* weights, std::vector<trace::Attribute> attributes = {}, bool right = false) {
    trace::GraphEditor editor;
    value = {.id = ValueId(0), .shape = shape};
    editor.set(value);
    trace::GraphNode n{.id = NodeId(0), .name = "reader", .op = op};
    n.attributes = std::move(attributes), n.inputs = {ValueId(0)};
    if (weights) editor.set(trace::GraphValue{.id = ValueId(1), .shape = weights}), n.inputs.insert(right ? n.inputs.begin() : n.inputs.end(), ValueId(1));
    editor.set(n);
    graph = editor.graph();
  }
  std::optional<Window> window(const char* strides) const { return windowOf(graph, value, *Walk::of(QString::fromStdString(value.shape.str()), strides)); }
};

TEST(LayoutWindow, ConvolutionReadsFewerRunsWhereChannelsLieTogether) {
  const Reader conv("conv", "[1, 64, 56, 56]", "[128, 64, 3, 3]");
  const char *rows = "200704,3136,56,1", *channels = "200704,1,3584,64";
  const auto window = conv.window(rows);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->reader, "reader");
  EXPECT_EQ(window->what, "3 × 3 of 64 channels");
  EXPECT_EQ(window->inMemory(*Walk::of("[1, 64, 56, 56]", rows), 4), "192 runs of 3 elements, 192 cache lines");
  EXPECT_EQ(window->inMemory(*Walk::of("[1, 64, 56, 56]", channels), 4), "3 runs of 192 elements, 36 cache lines");
  const Walk walk = *Walk::of("[1, 64, 56, 56]", channels);
  EXPECT_TRUE(window->holds(walk, 3, 2, 2));
  EXPECT_FALSE(window->holds(walk, 0, 0, 3));
}

TEST(LayoutWindow, PoolingReadsOneChannelAndAProductOneLine) {
  const auto pool = Reader("reduce_window", "[1, 8, 16, 16]", nullptr, {{"window", "[1, 1, 2, 2]"}}).window("2048,256,16,1");
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->inMemory(*Walk::of("[1, 8, 16, 16]", "2048,256,16,1"), 4), "2 runs of 2 elements, 2 cache lines");
  const auto row = Reader("dot_general", "[4, 32]", "[32, 8]").window("32,1");
  const auto column = Reader("dot_general", "[32, 8]", "[4, 32]", {}, true).window("8,1");
  ASSERT_TRUE(row && column);
  EXPECT_EQ(row->what, "one row");
  EXPECT_EQ(row->inMemory(*Walk::of("[4, 32]", "32,1"), 4), "1 run of 32 elements, 2 cache lines");
  EXPECT_EQ(column->what, "one column");
  EXPECT_EQ(column->inMemory(*Walk::of("[32, 8]", "8,1"), 4), "32 runs of 1 element, 16 cache lines");
}

// Documents may say anything: no reader, a window larger than the value, shapes that are none.
TEST(LayoutWindow, NothingWhereNothingIsKnown) {
  EXPECT_FALSE(Reader("add", "[4, 4]", "[4, 4]").window("4,1"));
  EXPECT_FALSE(Reader("conv", "[1, 4, 2, 2]", "[8, 4, 3, 3]").window("16,4,2,1"));
  EXPECT_FALSE(Reader("conv", "[1, 4, 2, 2]", "[what]").window("16,4,2,1"));
  EXPECT_FALSE(Reader("reduce_window", "[1, 4, 8, 8]", nullptr).window("256,64,8,1"));
}

} // namespace
} // namespace cutaway::views
