// Drift as colours on the graph.
#include "graph/graph_figure.h"
#include "graph/graph_heat.h"
#include "views/graph_support.h"
#include "views/recording_sheet.h"

#include <gtest/gtest.h>

namespace cutaway::views {
namespace {

std::shared_ptr<const GraphScene> sceneOf(const Place& place, const QSet<QString>& open) {
  const trace::GraphDoc g = place.trace()->at(0);
  return layoutGraphNow(g, buildGraph(g, "m", {open, false}), lightTheme());
}

TEST(GraphHeat, BoxesShowTheFarthestWithin) {
  const Place place = chainWithDrift(32);
  for (const bool open : {false, true}) {
    const auto scene = sceneOf(place, open ? allScopes(place.trace()->at(0)) : QSet<QString>());
    const auto heat = heatOf(place, *scene);
    ASSERT_TRUE(heat);
    EXPECT_EQ(heat->compared, 32u);
    EXPECT_EQ(heat->over, 15u); // limit 2: of 0 to 31 eighths, 17 and more
    EXPECT_EQ(heat->culprit, "op 17");
    EXPECT_DOUBLE_EQ(heat->worst, 31 / 8.);
    int culprits = 0;
    for (size_t i = 0; i < heat->boxes.size(); ++i) {
      culprits += heat->boxes[i].culprit;
      const GraphItem& item = scene->model.items[i];
      if (item.kind == GraphItem::Node) {
        EXPECT_DOUBLE_EQ(heat->boxes[i].ulp, item.entity.id / 8.);
      } else if (item.path == "block.2" && !item.open) {
        EXPECT_DOUBLE_EQ(heat->boxes[i].ulp, 23 / 8.);
      }
    }
    EXPECT_EQ(culprits, 1);
  }
}

TEST(GraphHeat, WhatIsNoNumberIsWorst) {
  Place place = chainWithDrift(8);
  trace::SeriesPanel panel = *place.trace()->panel<trace::SeriesPanel>(0);
  panel.curves[1].y[2] = std::numeric_limits<double>::quiet_NaN();
  trace::Step step;
  step.panels = {0};
  trace::Pass pass;
  pass.last = 1;
  auto document = std::make_shared<trace::Document>();
  document->traces.push_back(std::make_shared<trace::Trace>(place.trace()->at(0), std::vector{step}, std::vector{pass}, std::vector<trace::Panel>{panel}));
  place.document = document;
  const auto scene = sceneOf(place, {});
  const auto heat = heatOf(place, *scene);
  ASSERT_TRUE(heat);
  const int at = scene->model.itemOf(entity(NodeId(2)));
  EXPECT_TRUE(std::isnan(heat->boxes[size_t(at)].ulp));
  EXPECT_TRUE(heat->boxes[size_t(at)].over);
}

TEST(GraphHeat, SaysInWordsWhatItColours) {
  const Theme& theme = lightTheme();
  const auto words = [&](const Place& place) { return wordsOf(graphHeatFigure(place, theme, {900, 600}), theme).join('\n'); };
  if (qEnvironmentVariableIsSet("CUTAWAY_SHOTS")) writeFigure(qEnvironmentVariable("CUTAWAY_SHOTS") + "/graph-heat.png", theme, graphHeatFigure(chainWithDrift(24), theme, {900, 600}), {}, nullptr);
  const QString drifts = words(chainWithDrift(24));
  for (const char* word : {"culprit: first over the limit", "over the limit", "op 17", "ulp", "at least 2"}) EXPECT_TRUE(drifts.contains(word)) << word;
  EXPECT_TRUE(words(chainWithDrift(8)).contains("no culprit"));
  Place none = chainWithDrift(8);
  auto document = std::make_shared<trace::Document>();
  trace::Pass pass;
  pass.last = 1;
  document->traces.push_back(std::make_shared<trace::Trace>(none.trace()->at(0), std::vector<trace::Step>(1), std::vector{pass}, std::vector<trace::Panel>()));
  none.document = document;
  EXPECT_TRUE(words(none).contains("nothing has been compared"));
  (void)words({}); // nothing open
}

} // namespace
} // namespace cutaway::views
