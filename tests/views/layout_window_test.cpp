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
  const Reader conv("conv", "[1, 64, 56, 56]", "[128, 64, 3, 3]", {{"strides", "[1, 1]"}, {"pad_low", "[0, 0]"}, {"dilations", "[1, 1]"}});
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
  const auto pool = Reader("reduce_window", "[1, 8, 16, 16]", nullptr, {{"window", "[1, 1, 2, 2]"}, {"strides", "[1, 1, 2, 2]"}, {"pad_low", "[0, 0, 0, 0]"}, {"dilations", "[1, 1, 1, 1]"}}).window("2048,256,16,1");
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

// ResNet's first convolution: windows start at -3, -1, 1, ..., so the first whole one is at 1, never at 0.
TEST(LayoutWindow, StandsWhereTheStrideAndThePaddingPutIt) {
  const char* strides = "150528,50176,224,1";
  const auto window = Reader("conv", "[1, 3, 224, 224]", "[64, 3, 7, 7]", {{"strides", "[2, 2]"}, {"pad_low", "[3, 3]"}, {"dilations", "[1, 1]"}}).window(strides);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->start, (QList<int64_t>{0, 0, 1, 1}));
  const Walk walk = *Walk::of("[1, 3, 224, 224]", strides);
  EXPECT_FALSE(window->holds(walk, 0, 0, 1));
  EXPECT_TRUE(window->holds(walk, 0, 1, 1));
  EXPECT_FALSE(Reader("conv", "[1, 3, 9, 9]", "[4, 3, 3, 3]", {{"strides", "[1, 1]"}, {"pad_low", "[0, 0]"}, {"dilations", "[2, 2]"}}).window("243,81,9,1")) << "dilated";
}

// A value that only its own kernel reads is never written.
TEST(LayoutWindow, NoneForWhatNeverLiesInMemory) {
  for (const bool same : {true, false}) {
    Reader r("dot_general", "[4, 32]", "[32, 8]");
    trace::GraphEditor editor(r.graph);
    editor.node(NodeId(0), [](trace::GraphNode& n) { n.group = GroupId(1); });
    trace::GraphNode maker{.id = NodeId(1), .name = "maker", .op = "neg"};
    maker.group = GroupId(same ? 1 : 2), maker.outputs = {ValueId(0)};
    editor.set(maker);
    r.graph = editor.graph();
    EXPECT_EQ(r.window("32,1").has_value(), !same);
  }
}

TEST(LayoutWindow, HugeExtentsAndStridesAreNotCounted) {
  Window w{"reader", "much", {0, 0}, {int64_t{1} << 40, int64_t{1} << 40}};
  EXPECT_EQ(w.inMemory(*Walk::of("[4, 4]", "4,1"), 4), "");
  w.extents = {2, 2};
  EXPECT_EQ(w.inMemory(*Walk::of("[4, 4]", "9223372036854775807,1"), 4), "");
}

// Documents may say anything: no reader, a window larger than the value, shapes that are none.
TEST(LayoutWindow, NothingWhereNothingIsKnown) {
  EXPECT_FALSE(Reader("add", "[4, 4]", "[4, 4]").window("4,1"));
  EXPECT_FALSE(Reader("conv", "[1, 4, 2, 2]", "[8, 4, 3, 3]", {{"strides", "[1, 1]"}, {"pad_low", "[0, 0]"}, {"dilations", "[1, 1]"}}).window("16,4,2,1"));
  EXPECT_FALSE(Reader("conv", "[1, 4, 2, 2]", "[what]").window("16,4,2,1"));
  EXPECT_FALSE(Reader("reduce_window", "[1, 4, 8, 8]", nullptr).window("256,64,8,1"));
}

} // namespace
} // namespace cutaway::views
