#include "drift/drift_figure.h"
#include "place/scopes.h"
#include "timeline/timeline_figure.h"
#include "views_support.h"

#include <cmath>
#include <random>

namespace cutaway::views {
namespace {

using Draw = Figure (*)(const Place&, const Theme&, QSizeF);

// A document whose only step shows one run: `places` kernels on `lanes` lanes; `spike` times too much drift at a third.
Place place_of(size_t places, int lanes, double spike, bool scopes, bool modelled = false) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> some(.4, 3);
  trace::GraphEditor graph;
  trace::TimelinePanel panel;
  trace::TimelineRun& timeline = panel.runs.emplace_back();
  trace::SeriesPanel drift;
  timeline.modelled = modelled;
  for (int l = 0; l < lanes; ++l) timeline.lanes.push_back(l ? trace::TimelineRun::Lane{"thread " + std::to_string(l - 1), trace::LaneKind::work} : trace::TimelineRun::Lane{"host", trace::LaneKind::host});
  drift.limit = 2;
  drift.curves = {{"eager", {}}, {"compiled", {}}};
  double at = 0;
  for (size_t i = 0; i < places; ++i) {
    trace::GraphNode n;
    n.id = NodeId(uint32_t(i));
    n.name = "a_rather_long_name_of_a_convolution_" + std::to_string(i);
    if (scopes) n.scope = "encoder/layer." + std::to_string(i * 6 / places) + "/attention/self";
    n.category = uint8_t(i % 12);
    const double us = some(random) * some(random) * 40;
    for (int l = 0; l < lanes; ++l) timeline.spans.push_back({l, at, us * (l ? .9 : 1), "K" + std::to_string(i) + " conv", entity(n.id), n.category});
    at += us;
    const double eager = i % 7 == 0 ? 0 : some(random);
    drift.places.push_back(n.name), drift.entities.push_back(entity(n.id));
    drift.curves[0].y.push_back(eager);
    drift.curves[1].y.push_back(i >= places / 3 ? eager * spike : eager);
    graph.set(n);
  }
  trace::Step step;
  step.panels = {0, 1};
  trace::Pass pass;
  pass.last = 1;
  auto document = std::make_shared<trace::Document>();
  document->traces.push_back(std::make_shared<trace::Trace>(graph.graph(), std::vector{step}, std::vector{pass}, std::vector<trace::Panel>{panel, drift}));
  Place out;
  out.document = document;
  if (places > 1) out.selected = entity(NodeId(1));
  return out;
}

void expect_sound(const Figure& f, const Theme& theme, const std::string& where) {
  expectReadable(f, theme, where, 0);
  for (const Hit& h : f.hits) EXPECT_TRUE(QRectF(QPointF(-1, -1), f.size + QSizeF(2, 2)).contains(h.box)) << where << ": " << h.name.toStdString();
}

class RunFigures : public testing::TestWithParam<const char*> {};

TEST_P(RunFigures, HoldTheirTextAtEverySize) {
  const Theme theme = themeNamed(GetParam());
  const std::pair<const char*, Draw> figures[] = {{"timeline", timelineFigure}, {"drift", driftFigure}};
  for (const auto& [name, draw] : figures)
    for (const QSizeF room : {QSizeF(480, 320), QSizeF(948, 508), QSizeF(1600, 1000)})
      for (const size_t places : {size_t{1}, size_t{5}, size_t{56}, size_t{3000}})
        for (const double spike : {1., 1.2, 40., 1e12})
          for (const bool scopes : {false, true}) {
            const Figure f = draw(place_of(places, spike > 2 ? 9 : 3, spike, scopes, spike == 40), theme, room);
            expect_sound(f, theme, std::string(name) + ' ' + std::to_string(int(room.width())) + " wide, " + std::to_string(places) + " places, spike " + std::to_string(spike) + (scopes ? ", scopes" : ""));
            EXPECT_GE(f.hits.size(), qsizetype(places));
            if (QString(GetParam()) == "paper") {
              EXPECT_EQ(f.size.width(), 673);
            }
          }
}

TEST_P(RunFigures, SayWhyTheyAreEmpty) {
  const Theme theme = themeNamed(GetParam());
  for (const Draw draw : {timelineFigure, driftFigure}) {
    const Figure f = draw({}, theme, {480, 320});
    expect_sound(f, theme, "empty");
    ASSERT_EQ(f.hits.size(), 1);
    EXPECT_EQ(f.hits.front().entity, nothing);
  }
}

TEST(RunFigure, TimesOffTheClockAndLanesThatAreNotThereAreLeftOut) {
  const Theme theme = themeNamed("light");
  trace::TimelinePanel panel;
  trace::TimelineRun& run = panel.runs.emplace_back();
  run.lanes = {{"host", trace::LaneKind::host}, {"thread 0", trace::LaneKind::work}};
  run.spans = {{0, 0, 5, "a", {}, 0}, {7, 0, 5, "b", {}, 0}, {-1, 0, 5, "c", {}, 0}, {1, std::nan(""), 5, "d", {}, 0}, {1, 0, INFINITY, "e", {}, 0}};
  run.flows = {{0, 99}, {-1, 0}, {0, 1}};
  trace::Step step;
  trace::Pass pass;
  pass.last = 1;
  auto document = std::make_shared<trace::Document>();
  document->traces.push_back(std::make_shared<trace::Trace>(trace::GraphDoc(), std::vector{step}, std::vector{pass}, std::vector<trace::Panel>{panel}));
  Place place;
  place.document = document;
  expect_sound(timelineFigure(place, theme, {480, 320}), theme, "malformed");
}

// Selecting a kernel rings what it writes, and selecting an op the kernel that runs it.
TEST(RunFigure, SelectionCrossesFromOpToKernel) {
  trace::GraphEditor graph;
  trace::GraphNode n;
  n.id = NodeId(3), n.group = GroupId(1), n.scope = "layer1";
  graph.set(n);
  trace::Pass pass;
  pass.last = 1;
  const trace::Trace t(graph.graph(), {trace::Step()}, {pass}, {});
  const Scopes scopes(t);
  EXPECT_EQ(scopes.kernelOf(entity(NodeId(3))), entity(GroupId(1)));
  EXPECT_EQ(scopes.kernelOf(entity(NodeId(4))), entity(NodeId(4)));
  EXPECT_EQ(scopes.of(entity(GroupId(1))), "layer1");
  EXPECT_EQ(scopes.of(entity(GroupId(2))), "");
}

INSTANTIATE_TEST_SUITE_P(Themes, RunFigures, testing::Values("light", "dark", "contrast", "paper"));

} // namespace
} // namespace cutaway::views
