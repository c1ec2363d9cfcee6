#include "driver/describe.h"
#include "plan/tell_packing.h"

#include <gtest/gtest.h>

namespace cutaway::driver {
namespace {

constexpr int64_t kib = 1024;

Described placed(int64_t offset, std::vector<plan::GapTried> tried, const std::string& by = "size") {
  auto how = std::make_shared<plan::PlacedHow>();
  how->gaps_tried = tried.size();
  how->placement = {.buffer = 13, .accepted = offset, .tried = std::move(tried), .by = by};
  const Event e{"memory", "placed", false, {entity(ValueId(7)), entity(BufferId(13))}, {150 * kib, offset, int64_t{14}, int64_t{18}}, {}, {}, how};
  return describe(e, [](Entity) { return std::string("encoder.layer.1.attention.self.value"); });
}

TEST(Describe, APlacementSaysWhichGapsWereRefusedAndWhy) {
  const Described d = placed(1068 * kib, {{468 * kib, 131 * kib, 150 * kib}, {900 * kib, 18 * kib, 150 * kib}, {1068 * kib, -1, 150 * kib}});
  EXPECT_NE(d.title.find("fits no gap and goes on top"), std::string::npos) << d.title;
  EXPECT_NE(d.explanation.find("Not placed at 468 KiB: 131 KiB free, 150 KiB needed."), std::string::npos) << d.explanation;
  EXPECT_NE(d.explanation.find("in order of size"), std::string::npos) << d.explanation;
}

TEST(Describe, ALooserGapIsNotCalledTooSmall) {
  const Described d = placed(900 * kib, {{0, 400 * kib, 150 * kib}, {900 * kib, 160 * kib, 150 * kib}, {2000 * kib, -1, 150 * kib}});
  EXPECT_NE(d.title.find("fits a gap"), std::string::npos) << d.title;
  EXPECT_NE(d.explanation.find("tighter"), std::string::npos) << d.explanation;
  EXPECT_EQ(d.explanation.find("needed"), std::string::npos) << d.explanation;
}

TEST(Describe, APlaceOfTheCompleteSearchClaimsNoGaps) {
  const Described d = placed(900 * kib, {}, "search");
  EXPECT_NE(d.explanation.find("complete search"), std::string::npos);
  EXPECT_EQ(d.explanation.find("Not placed"), std::string::npos);
}

TEST(Describe, ManyGapsStayWithinTheRoomForWords) {
  std::vector<plan::GapTried> tried;
  for (int64_t i = 0; i < 12; ++i) tried.push_back({i * 2000 * kib + 17, 999 * kib + 13, 1000 * kib + 1});
  tried.push_back({90000 * kib, -1, 1000 * kib + 1});
  for (const std::string by : {"", "size", "tightest load, late birth, best fit", "what stuck out moved forward"}) {
    const Described d = placed(90000 * kib, tried, by);
    EXPECT_LE(d.explanation.size(), 240u) << d.explanation;
    EXPECT_LE(d.title.size(), 48u) << d.title;
    EXPECT_NE(d.explanation.find("more gaps refused"), std::string::npos) << d.explanation;
  }
}

} // namespace
} // namespace cutaway::driver
