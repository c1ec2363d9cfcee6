#include "place/scopes.h"
#include "timeline/runs.h"
#include "timeline/timeline_figure.h"
#include "views_support.h"

#include <random>

namespace cutaway::views {
namespace {

using trace::LaneKind;
using trace::RunForm;

// Runs of a device as they come from a profile: `kernels` dealt to `streams`, a copy before and after, a flow from each call to
// its kernel and from stream to stream where the next kernel is in another one.
trace::TimelineRun deviceRun(RunForm form, size_t kernels, int streams, double us, double call) {
  std::mt19937 random(11);
  trace::TimelineRun run;
  run.form = form, run.modelled = true;
  const bool host = form != RunForm::planned;
  if (host) run.lanes.push_back({"host", LaneKind::host});
  const int first = int(run.lanes.size());
  for (int s = 0; s < streams; ++s) run.lanes.push_back({"stream " + std::to_string(s), LaneKind::work});
  const int in = int(run.lanes.size());
  run.lanes.push_back({"copy to device", LaneKind::copy}), run.lanes.push_back({"copy to host", LaneKind::copy});
  std::vector<double> free(size_t(streams), form == RunForm::planned ? 1 : form == RunForm::replayed ? call + 2 : call + 1);
  double now = 0;
  int64_t replay = -1, before = -1;
  const auto called = [&](const std::string& name) {
    run.spans.push_back({0, now, call, name, {}, 0});
    now += call;
    return int64_t(run.spans.size() - 1);
  };
  run.spans.push_back({in, host ? call : 0, 1, "image", {}, 0});
  if (form == RunForm::replayed) replay = called("graph launch");
  for (size_t k = 0; k < kernels; ++k) {
    const std::string name = "K" + std::to_string(k) + " convolution_" + std::to_string(k);
    const int64_t by = form == RunForm::one_by_one ? called(name) : replay;
    const size_t stream = random() % size_t(streams);
    const double start = std::max(free[stream], form == RunForm::one_by_one ? now + .4 : 0), took = us * (.5 + double(random() % 100) / 50);
    run.spans.push_back({first + int(stream), start, took, name, entity(GroupId(uint32_t(k))), uint8_t(k % 12)});
    const auto at = int64_t(run.spans.size() - 1);
    if (by >= 0 && (form == RunForm::one_by_one || k == 0)) run.flows.push_back({by, at});
    if (before >= 0 && run.spans[size_t(before)].lane != run.spans[size_t(at)].lane) run.flows.push_back({before, at});
    before = at, free[stream] = start + took + .5;
  }
  const double end = *std::max_element(free.begin(), free.end());
  run.spans.push_back({in + 1, end, 1, "scores", {}, 0});
  run.flows.push_back({before, int64_t(run.spans.size() - 1)});
  run.duration_us = end + 1;
  return run;
}

// What the streams pass tells: totals, a kernel beside others, one that is refused to.
trace::Pass tellStreams(std::vector<trace::Step>& steps) {
  const auto tell = [&](const char* code, const char* title, const char* text, bool refused, std::vector<Entity> of) {
    trace::Step& s = steps.emplace_back();
    s.code = code, s.title = title, s.explanation = text, s.refused = refused, s.entities = std::move(of);
  };
  tell("stream", "K1 convolution_1 runs in stream 1", "Beside other kernels it gets done more than after them: planned from 13.7 to 16.1 µs.", false, {entity(GroupId(1))});
  tell("not-overlapped", "K2 convolution_2 waits its turn behind K1 conv", "Not run at once though it could: together they need 170 % of the memory's bandwidth, so each would only go slower.", true, {entity(GroupId(2)), entity(GroupId(1))});
  tell("streams", "2 streams, 3 events", "Planned 42.6 µs instead of 47.3 µs in one stream; no schedule is shorter than 42.6 µs.", false, {});
  trace::Pass pass;
  pass.name = "streams";
  return pass;
}

Place placeOf(size_t kernels, int streams, double us, double call, std::vector<RunForm> forms = {RunForm::one_by_one, RunForm::replayed, RunForm::planned}) {
  trace::TimelinePanel panel;
  for (const RunForm form : forms) panel.runs.push_back(deviceRun(form, kernels, streams, us, call));
  std::vector<trace::Step> steps;
  trace::Pass pass = tellStreams(steps);
  pass.last = uint32_t(steps.size());
  for (trace::Step& s : steps) s.panels = {0};
  auto document = std::make_shared<trace::Document>();
  document->traces.push_back(std::make_shared<trace::Trace>(trace::GraphDoc(), steps, std::vector{pass}, std::vector<trace::Panel>{panel}));
  Place out;
  out.document = document;
  out.step = uint32_t(steps.size() - 1);
  return out;
}

class DeviceRuns : public testing::TestWithParam<const char*> {};

TEST_P(DeviceRuns, HoldTheirTextAtEverySize) {
  const Theme theme = themeNamed(GetParam());
  for (const QSizeF room : {QSizeF(480, 320), QSizeF(948, 508), QSizeF(1600, 1000)})
    for (const size_t kernels : {size_t{1}, size_t{17}, size_t{400}})
      for (const int streams : {1, 2, 8})
        for (const double us : {.01, 2.5, 90000.})
          for (const bool selected : {false, true}) {
            Place place = placeOf(kernels, streams, us, us > 1000 ? 5 : 2.2);
            if (selected) place.selected = entity(GroupId(1));
            const Figure f = timelineFigure(place, theme, room);
            const std::string where = std::to_string(int(room.width())) + " wide, " + std::to_string(kernels) + " kernels of " + std::to_string(us) + ", " + std::to_string(streams) + " streams";
            expectReadable(f, theme, where);
            for (const Hit& h : f.hits) EXPECT_TRUE(QRectF(QPointF(-1, -1), f.size + QSizeF(2, 2)).contains(h.box)) << where << ": " << h.name.toStdString();
          }
}

INSTANTIATE_TEST_SUITE_P(Themes, DeviceRuns, testing::Values("light", "dark", "contrast", "paper"));

const Hit* hitOf(const Figure& f, const QString& start) {
  for (const Hit& h : f.hits)
    if (h.name.startsWith(start)) return &h;
  return nullptr;
}

// A kernel lies as far from where it lies in another run as its times do.
TEST(DeviceRun, AllLanesShareOneAxis) {
  const Theme theme = themeNamed("light");
  Place place = placeOf(17, 2, 2.5, 2.2);
  place.range = TimeRange{0, 60};
  const Figure f = timelineFigure(place, theme, {1440, 900});
  QList<QRectF> boxes;
  for (const Hit& h : f.hits)
    if (h.entity == entity(GroupId(3)) && h.name.contains("stream")) boxes << h.box;
  ASSERT_EQ(boxes.size(), 3);
  for (const QRectF& b : boxes) EXPECT_NEAR(b.width(), boxes[0].width(), 1);
  const auto& runs = timelineAt(place)->runs;
  const auto start = [&](size_t run) {
    for (const auto& s : runs[run].spans)
      if (s.entity == entity(GroupId(3)) && runs[run].lanes[size_t(s.lane)].kind == LaneKind::work) return s.start_us;
    return -1.;
  };
  const double perUs = (boxes[0].left() - boxes[1].left()) / (start(0) - start(1));
  EXPECT_NEAR(boxes[0].left() - boxes[2].left(), perUs * (start(0) - start(2)), 1);
}

TEST(DeviceRun, SumsHaveAsManyColumnsAsTheirWordsLeaveRoomFor) {
  const Theme theme = themeNamed("light");
  const auto rows = [&](double width) {
    RecordingSheet sheet(theme);
    timelineFigure(placeOf(17, 2, 2.5, 2.2), theme, {width, 900}).draw(sheet);
    QSet<int> tops;
    for (const auto& w : sheet.words)
      if (w.text == "End to end" || w.text == "Host busy" || w.text == "Device busy" || w.text == "Driver calls") tops.insert(int(w.box.top()));
    return int(tops.size());
  };
  EXPECT_EQ(rows(1440), 1);
  EXPECT_EQ(rows(480), 2);
}

TEST(DeviceRun, TheReasonFollowsFromTheNumbers) {
  const Theme theme = themeNamed("light");
  const auto said = [&](double us, double call) { return wordsOf(timelineFigure(placeOf(17, 1, us, call), theme, {1600, 1000}), theme).join('\n'); };
  EXPECT_TRUE(said(.5, 8).contains("the host is the bottleneck"));
  EXPECT_TRUE(said(50, 2).contains("hidden behind kernels that take as long") || said(50, 2).contains("the kernels are the bottleneck"));
  EXPECT_TRUE(said(50, 2).contains("the kernels take the time, so fewer calls save none"));
}

// More than 40 arrows say nothing: those of the selected kernel remain, and the legend says so.
TEST(DeviceRun, ManyArrowsAreLeftOutAndCounted) {
  const Theme theme = themeNamed("light");
  Place place = placeOf(400, 4, 2.5, 2.2);
  place.range = TimeRange{0, 2000};
  EXPECT_TRUE(wordsOf(timelineFigure(place, theme, {1440, 900}), theme).join('\n').contains("arrows in view: select a kernel for its own"));
  place.range = TimeRange{0, 12};
  EXPECT_FALSE(wordsOf(timelineFigure(place, theme, {1440, 900}), theme).join('\n').contains("arrows in view"));
}

TEST(DeviceRun, ASelectedKernelIsToldOfFirst) {
  const Theme theme = themeNamed("light");
  Place place = placeOf(17, 2, 2.5, 2.2);
  EXPECT_TRUE(hitOf(timelineFigure(place, theme, {1440, 900}), "K2 convolution_2 waits its turn"));
  EXPECT_FALSE(hitOf(timelineFigure(place, theme, {1440, 900}), "K1 convolution_1 runs in stream 1"));
  place.selected = entity(GroupId(1));
  EXPECT_TRUE(hitOf(timelineFigure(place, theme, {1440, 900}), "K1 convolution_1 runs in stream 1"));
}

} // namespace
} // namespace cutaway::views
