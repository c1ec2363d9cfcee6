// Lists of buffers as documents: what the arena shows of them, and how it says that a file is none.
#include "driver/document/packing.h"
#include "trace/file/document_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cutaway::driver {
namespace {

std::string written(const std::string& name, const std::string& text) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / name).string();
  std::ofstream(path) << text;
  return path;
}

TEST(PackingDocument, HoldsEveryBufferAndHowItCameToItsPlace) {
  // Greedy by size loses a byte here.
  const std::string path = written("loses.csv", "id,lower,upper,size\na,0,2,3\nb,2,4,2\nc,1,3,1\nd,3,5,3\n");
  ASSERT_TRUE(is_packing(path));
  const auto made = packing_document(path, "search");
  ASSERT_TRUE(made.ok()) << made.error().str();
  ASSERT_EQ(made->traces.size(), 1u);
  const trace::Trace& trace = *made->traces[0];
  const auto* arena = trace.panel<trace::ArenaPanel>(0);
  ASSERT_TRUE(arena);
  EXPECT_EQ(arena->peak, 5);
  EXPECT_EQ(arena->bound, 5);
  EXPECT_TRUE(arena->optimal);
  EXPECT_EQ(arena->launches.size(), 5u);
  ASSERT_EQ(arena->buffers.size(), 4u);
  for (const trace::ArenaBuffer& b : arena->buffers) {
    EXPECT_EQ(trace.steps().at(size_t(b.placed_at)).code.view(), "placed");
    EXPECT_NE(trace.steps().at(size_t(b.placed_at)).title.str().find(b.name.str() + " "), std::string::npos);
  }
  const auto by_size = std::find_if(arena->strategies.begin(), arena->strategies.end(), [](const auto& s) { return s.name.view() == "by-size"; });
  ASSERT_NE(by_size, arena->strategies.end());
  EXPECT_EQ(by_size->peak, 6);
  EXPECT_EQ(trace.steps().back().after.peak_bytes, 5);

  const std::string kept = (std::filesystem::path(testing::TempDir()) / "packing.json").string();
  ASSERT_TRUE(trace::write_document(kept, *made).ok());
  const auto again = trace::read_document(kept);
  ASSERT_TRUE(again.ok()) << again.error().str();
  EXPECT_EQ(*again->traces[0]->panel<trace::ArenaPanel>(0), *arena);
}

TEST(PackingDocument, LongTimesAreRanked) {
  const auto made = packing_document(written("long.csv", "id,lower,upper,size\na,-2000000000000000000,7,3\nb,7,2000000000000000000,2\n"), "search");
  ASSERT_TRUE(made.ok()) << made.error().str();
  const auto* arena = made->traces[0]->panel<trace::ArenaPanel>(0);
  EXPECT_EQ(arena->launches.size(), 2u);
  EXPECT_EQ(arena->buffers[1].start, 1);
  EXPECT_EQ(arena->buffers[1].end, 2);
}

TEST(PackingDocument, WhatIsNoneSaysWhere) {
  for (const auto& [text, where] : {std::pair{"id,lower,upper,size\na,0,2\n", "line 2"}, {"id,lower,upper,size\na,5,2,7\n", ""}, {"", ""}}) {
    const auto made = packing_document(written("bad.csv", text), "search");
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_NE(made.error().str().find(where), std::string::npos) << made.error().str();
  }
  EXPECT_FALSE(packing_document(written("none.csv", "id,lower,upper,size\na,0,2,3\n"), "best").ok());
  EXPECT_TRUE(packing_document(written("empty.csv", "id,lower,upper,size\n"), "search").ok());
  const std::atomic<bool> cancel = true;
  const auto off = packing_document(written("off.csv", "id,lower,upper,size\na,0,2,3\n"), "search", &cancel);
  ASSERT_FALSE(off.ok());
  EXPECT_EQ(off.error().fault, Fault::limit);
}

} // namespace
} // namespace cutaway::driver
