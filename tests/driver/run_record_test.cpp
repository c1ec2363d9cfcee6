#include "driver/document/make.h"
#include "trace/file/document_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace cutaway::driver {
namespace {

struct Measured {
  std::unique_ptr<Session> session;
  RunInfo info;
  Feeds feeds;
  std::string path;
  RunRecord record;

  Measured(const std::string& name, bool drift) : path(std::string(CUTAWAY_TEST_DATA) + "/cases/" + name + "/model.onnx") {
    auto opened = Session::open(path, {.settings = {}, .threads = 2, .journal = true});
    EXPECT_TRUE(opened.ok());
    session = std::move(*opened);
    std::vector<std::string> notes;
    auto made = make_feeds(session->model(), {}, {}, notes);
    EXPECT_TRUE(made.ok());
    feeds = std::move(*made);
    EXPECT_TRUE(session->run(feeds, Mode::compiled, &info).ok());
    auto measured = measure(*session, feeds, drift);
    EXPECT_TRUE(measured.ok());
    record = std::move(*measured);
  }
  trace::Document document() const { return make_document(*session, info, path, &record); }
};

class RunOf : public testing::TestWithParam<const char*> {};

TEST_P(RunOf, IsTheLastPassAndLeavesTheRestAlone) {
  const Measured m(GetParam(), true);
  const auto with = m.document(), without = make_document(*m.session, m.info, m.path);
  const trace::Trace &a = *with.traces[0], &b = *without.traces[0];
  ASSERT_EQ(a.passes().size(), b.passes().size() + 1);
  EXPECT_EQ(a.passes().back().phase, trace::Phase::run);
  ASSERT_EQ(a.steps().size(), b.steps().size() + 2);
  for (size_t i = 0; i < b.panels().size(); ++i) EXPECT_EQ(a.panels()[i], b.panels()[i]);
  const auto last = static_cast<uint32_t>(a.steps().size() - 1);
  EXPECT_EQ(a.at(last), b.at(static_cast<uint32_t>(b.steps().size() - 1)));
  for (const uint32_t i : {last - 1, last}) {
    EXPECT_LE(a.steps()[i].title.size(), 48u) << a.steps()[i].title.str();
    EXPECT_LE(a.steps()[i].explanation.size(), 240u);
  }
}

TEST_P(RunOf, TimelineShowsEveryLaunchInTheGraphsColours) {
  const Measured m(GetParam(), false);
  const auto document = m.document();
  const trace::Trace& t = *document.traces[0];
  const auto* panel = t.panel<trace::TimelinePanel>(static_cast<uint32_t>(t.steps().size() - 1));
  ASSERT_TRUE(panel);
  EXPECT_FALSE(panel->runs.at(0).modelled);
  EXPECT_EQ(panel->runs.at(0).lanes, (std::vector<trace::TimelineRun::Lane>{{"host", trace::LaneKind::host}, {"thread 0", trace::LaneKind::work}, {"thread 1", trace::LaneKind::work}}));
  const auto end = t.at(static_cast<uint32_t>(t.steps().size() - 1));
  int64_t host = 0;
  for (const auto& s : panel->runs.at(0).spans) {
    host += s.lane == 0;
    ASSERT_LT(s.lane, 3);
    EXPECT_GE(s.start_us, 0);
    EXPECT_GE(s.duration_us, 0);
    if (s.entity.kind == Entity::Kind::kernel) {
      EXPECT_EQ(s.category, end.groups.find(GroupId(s.entity.id))->category);
    } else {
      EXPECT_EQ(s.category, end.nodes.find(NodeId(s.entity.id))->category);
    }
  }
  EXPECT_EQ(host, m.session->last_segments()[0]->executable->launch_count());
}

// A run that is profiled alone has the names and colours that its document gives.
TEST_P(RunOf, ATimelineNeedsNoDocument) {
  const Measured m(GetParam(), false);
  const auto document = m.document();
  const trace::Trace& t = *document.traces[0];
  const auto* panel = t.panel<trace::TimelinePanel>(static_cast<uint32_t>(t.steps().size() - 1));
  ASSERT_TRUE(panel && m.record.profile);
  EXPECT_EQ(timeline_of(*m.session->last_segments()[0], *m.record.profile), *panel);
}

TEST_P(RunOf, DriftHasAPlaceAValueInTheOrderOfTheSchedule) {
  const Measured m(GetParam(), true);
  ASSERT_TRUE(m.record.drift);
  const Drift& d = *m.record.drift;
  EXPECT_EQ(d.outputs.size(), m.session->output_names().size());
  for (size_t i = 1; i < d.places.size(); ++i) EXPECT_LE(d.places[i - 1].kernel, d.places[i].kernel);
  for (const auto& p : d.places)
    if (p.equal) {
      EXPECT_EQ(p.eager_ulp, p.compiled_ulp);
    }
  const auto document = m.document();
  const auto* panel = document.traces[0]->panel<trace::SeriesPanel>(0);
  ASSERT_TRUE(panel);
  EXPECT_EQ(panel->places.size(), d.places.size());
  EXPECT_EQ(panel->entities.size(), d.places.size());
  ASSERT_EQ(panel->curves.size(), 2u);
  for (const auto& c : panel->curves) EXPECT_EQ(c.y.size(), d.places.size());
}

TEST_P(RunOf, ReadsBackAsWritten) {
  const Measured m(GetParam(), true);
  const auto document = m.document();
  const auto file = std::filesystem::temp_directory_path() / ("cutaway-run-" + std::string(GetParam()) + ".json");
  ASSERT_TRUE(trace::write_document(file.string(), document).ok());
  auto back = trace::read_document(file.string());
  std::filesystem::remove(file);
  ASSERT_TRUE(back.ok());
  const trace::Trace &a = *document.traces[0], &b = *back->traces[0];
  EXPECT_EQ(a.panels(), b.panels());
  EXPECT_EQ(a.passes(), b.passes());
  EXPECT_EQ(a.steps().back().panels, b.steps().back().panels);
}

INSTANTIATE_TEST_SUITE_P(Cases, RunOf, testing::Values("fuse-conv-bn-conv-is-output", "streams-wide-diamond", "export-names-with-quotes-and-unicode"), [](const auto& i) {
  std::string s = i.param;
  std::replace(s.begin(), s.end(), '-', '_');
  return s;
});

TEST(Measure, StopsWhereItIsCancelled) {
  Measured m("streams-wide-diamond", false);
  const std::atomic<bool> cancel = true;
  const auto stopped = measure(*m.session, m.feeds, true, &cancel);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().fault, Fault::limit);
}

} // namespace
} // namespace cutaway::driver
