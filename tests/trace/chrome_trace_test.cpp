#include "trace/chrome/chrome_trace.h"
#include "trace/saved.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace cutaway::trace {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string path;
  explicit File(const std::string& text) : path((fs::temp_directory_path() / ("cutaway-chrome-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" + std::to_string(count()++) + ".json")).string()) {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~File() { fs::remove(path); }
  static int& count() {
    static int n = 0;
    return n;
  }
};

Result<TimelinePanel> read(const std::string& text) { return read_chrome_trace(File(text).path); }

// Runs as documents hold them: spans of a lane follow each other, flows go forward.
TimelinePanel random_panel(uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> some(.1, 9);
  TimelinePanel out;
  out.name = "trace";
  for (const RunForm form : {RunForm::one_by_one, RunForm::replayed, RunForm::planned}) {
    TimelineRun& r = out.runs.emplace_back();
    r.form = form, r.modelled = seed % 2 == 0, r.duration_us = 1000 + some(random);
    r.lanes = {{"host", LaneKind::host}, {"stream \"0\"\n", LaneKind::work}, {"copy to device", LaneKind::copy}, {"idle", LaneKind::work}};
    for (int lane = 0; lane < 3; ++lane) {
      double at = some(random);
      for (uint32_t i = 0; i < 20; ++i) {
        const double us = some(random);
        r.spans.push_back({lane, at, us, "K" + std::to_string(i) + " ein Überkern", entity(GroupId(i)), static_cast<uint8_t>(i % 12)});
        at += us + (i % 3 ? some(random) : 0);
      }
    }
    for (int i = 0; i < 20; ++i) r.flows.push_back({i, 20 + i});
  }
  return out;
}

TEST(ChromeTrace, ReadsBackAsWritten) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const TimelinePanel panel = random_panel(seed);
    const auto back = read(chrome_text(panel));
    ASSERT_TRUE(back.ok()) << back.error().str();
    EXPECT_EQ(*back, panel) << "seed " << seed;
  }
}

TEST(ChromeTrace, ForeignProcessesShareOneClockAndNestedSpansGoOneLaneDown) {
  const auto panel = read(R"([{"name":"step","ph":"B","ts":1000,"pid":7,"tid":"main"},
    {"name":"linear","ph":"B","ts":1010,"pid":7,"tid":"main"},
    {"name":"addmm","ph":"X","ts":1020.5,"dur":50,"pid":7,"tid":"main"},
    {"name":"gemm","ph":"X","ts":1090,"dur":60,"pid":"gpu","tid":3},
    {"name":"go","ph":"s","id":1,"ts":1030,"pid":7,"tid":"main"},
    {"name":"go","ph":"f","bp":"e","id":1,"ts":1090,"pid":"gpu","tid":3},
    {"ph":"E","ts":1080,"pid":7,"tid":"main"},{"ph":"i","name":"mark","ts":1},{"ph":"E","ts":1200,"pid":7,"tid":"main"}])");
  ASSERT_TRUE(panel.ok()) << panel.error().str();
  ASSERT_EQ(panel->runs.size(), 1u);
  const TimelineRun& r = panel->runs[0];
  EXPECT_EQ(r.lanes, (std::vector<TimelineRun::Lane>{{"main", LaneKind::work}, {"level 2", LaneKind::work}, {"level 3", LaneKind::work}, {"thread 3", LaneKind::work}}));
  ASSERT_EQ(r.spans.size(), 4u);
  EXPECT_EQ(r.spans[0].start_us, 0);
  EXPECT_EQ(r.spans[0].duration_us, 200);
  EXPECT_EQ(r.spans[2].start_us, 20.5);
  EXPECT_EQ(r.flows, (std::vector<TimelineRun::Flow>{{2, 3}}));
}

TEST(ChromeTrace, WhatIsNeverEndedLastsToTheEnd) {
  const auto panel = read(R"({"traceEvents":[{"name":"a","ph":"B","ts":0,"pid":1,"tid":1},{"name":"b","ph":"X","ts":5,"dur":5,"pid":1,"tid":2}]})");
  ASSERT_TRUE(panel.ok());
  EXPECT_EQ(panel->runs[0].spans[0].duration_us, 10);
}

TEST(ChromeTrace, EveryFaultSaysWhere) {
  const std::string good = R"({"name":"a","ph":"X","ts":0,"dur":1,"pid":1,"tid":1})";
  const std::pair<std::string, const char*> cases[] = {
      {R"({"name":"b","ph":"X","dur":1,"pid":1,"tid":1})", "event 1: ts"},
      {R"({"name":"b","ph":"X","ts":"0","dur":1,"pid":1,"tid":1})", "event 1: ts"},
      {R"({"name":"b","ph":"X","ts":[0],"dur":1,"pid":1,"tid":1})", "event 1: ts"},
      {R"({"name":"b","ph":"X","ts":0,"pid":1,"tid":1})", "event 1: dur"},
      {R"({"name":"b","ph":"X","ts":0,"dur":-5,"pid":1,"tid":1})", "event 1: dur"},
      {R"({"name":"b","ph":"X","ts":0,"dur":1,"pid":1})", "event 1: tid"},
      {R"({"name":"b","ph":"X","ts":0,"dur":1,"pid":1,"tid":true})", "event 1: tid"},
      {R"({"name":"b","ph":"E","ts":0,"pid":1,"tid":1})", "event 1: ph"},
      {R"({"name":"b","ts":0,"pid":1,"tid":1})", "event 1: ph"},
      {R"({"name":"b","ph":7,"ts":0,"pid":1,"tid":1})", "event 1: ph"},
      {R"({"name":"b","ph":"s","ts":0,"pid":1,"tid":1})", "event 1: id"},
      {R"("X")", "event 1: traceEvents"},
      {R"({"name":"b","ph":"X","ts":NaN,"dur":1,"pid":1,"tid":1})", "byte "},
      {R"({"name":"b","ph":"X","ts":1e999,"dur":1,"pid":1,"tid":1})", "byte "},
      {R"({"args":)" + std::string(100, '[') + std::string(100, ']') + "}", "event 1"},
  };
  for (const auto& [bad, where] : cases) {
    const auto panel = read("[" + good + "," + bad + "]");
    ASSERT_FALSE(panel.ok()) << bad;
    EXPECT_EQ(panel.error().where.rfind(where, 0), 0u) << bad << " gave " << panel.error().str();
  }
  for (const char* empty : {"[]", "{}", R"({"traceEvents":[]})", R"({"traceEvents":7})", "[{\"ph\":\"M\"}]", "", "7"}) EXPECT_FALSE(read(empty).ok()) << empty;
}

// Cut anywhere, or with a byte changed: a diagnostic or a panel, never more.
TEST(ChromeTrace, DamagedFilesEndInADiagnostic) {
  const std::string whole = chrome_text(random_panel(3));
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    const size_t at = random() % whole.size();
    EXPECT_FALSE(read(whole.substr(0, at)).ok());
    std::string changed = whole;
    changed[at] = static_cast<char>(random() % 256);
    (void)read(changed).ok();
  }
}

TEST(ChromeTrace, TooManyThreadsAreALimit) {
  std::string text = "[";
  for (size_t i = 0; i <= chrome_most_lanes; ++i) text += (i ? "," : "") + std::string(R"({"name":"a","ph":"X","ts":0,"dur":1,"pid":1,"tid":)") + std::to_string(i) + "}";
  const auto panel = read(text + "]");
  ASSERT_FALSE(panel.ok());
  EXPECT_EQ(panel.error().fault, Fault::limit);
}

TEST(ChromeTrace, IsToldFromDocumentsAndModels) {
  EXPECT_TRUE(is_chrome_trace(File(chrome_text(random_panel(1))).path));
  EXPECT_TRUE(is_chrome_trace(File("  [ {\"ph\":\"X\"").path));
  EXPECT_FALSE(is_chrome_trace(File("{\"cutaway\":\"document\",\"traceEvents\":[]}").path));
  EXPECT_FALSE(is_chrome_trace(File("{\"a\":1}").path));
  EXPECT_FALSE(is_chrome_trace(File("").path));
  const File file(chrome_text(random_panel(1)));
  ASSERT_TRUE(is_saved(file.path));
  const auto document = read_saved(file.path);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->traces.at(0)->steps().size(), 1u);
  EXPECT_TRUE(document->traces[0]->panel<TimelinePanel>(0));
}

} // namespace
} // namespace cutaway::trace
