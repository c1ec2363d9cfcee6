// Op classes as colours on the graph.
#include "graph/graph_classes.h"
#include "graph/graph_figure.h"
#include "views/graph_support.h"
#include "views/recording_sheet.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QJsonDocument>

namespace cutaway::views {
namespace {

std::shared_ptr<const GraphScene> sceneAt(const Place& place, const QSet<QString>& open) {
  const trace::GraphDoc g = place.trace()->at(place.step);
  return layoutGraphNow(g, buildGraph(g, "m", {open, false}), lightTheme());
}

TEST(GraphClasses, EveryClassHasItsPlaceInTheTokens) {
  QFile file(":/visual/tokens.json");
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QJsonObject table = QJsonDocument::fromJson(file.readAll()).object()["opClass"].toObject();
  const Place place = chainWithDrift(8);
  const GraphClasses classes = classesOf(*sceneAt(place, {}), lightTheme());
  std::set<int> different;
  for (size_t c = 0; c < classes.category.size(); ++c) {
    ASSERT_TRUE(table.contains(trace::op_class_words[c])) << trace::op_class_words[c];
    EXPECT_EQ(classes.category[c], table[trace::op_class_words[c]].toInt());
    different.insert(classes.category[c]);
  }
  EXPECT_EQ(different.size(), classes.category.size());
}

// Whatever is open, each op is counted in one box; a group has the colour of its contraction, else of its first op.
TEST(GraphClasses, EachOpIsCountedOnce) {
  Place place = compiledSample();
  place.step = uint32_t(place.trace()->steps().size() - 1);
  const trace::GraphDoc graph = place.trace()->at(place.step);
  size_t groups = 0;
  for (const QSet<QString>& open : {QSet<QString>(), allScopes(graph)}) {
    const auto scene = sceneAt(place, open);
    const GraphClasses classes = classesOf(*scene, lightTheme());
    const auto all = classesWithin(*scene, classes, QRectF(QPointF(), scene->size));
    GraphClasses::Counts expected{};
    for (const trace::GraphNode& n : graph.nodes) ++expected[size_t(n.op_class)];
    EXPECT_EQ(all, expected);
    for (size_t i = 0; i < scene->model.items.size(); ++i) {
      const GraphItem& item = scene->model.items[i];
      if (item.kind == GraphItem::Node && !scene->box[i].isEmpty()) {
        EXPECT_EQ(classes.leading[i], int(graph.nodes.find(item.members[0])->op_class));
      }
      if (item.kind != GraphItem::Group || scene->box[i].isEmpty()) continue;
      const bool product = std::any_of(item.members.begin(), item.members.end(), [&](NodeId id) { return graph.nodes.find(id)->op_class == trace::OpClass::contraction; });
      EXPECT_EQ(classes.leading[i], int(product ? trace::OpClass::contraction : graph.nodes.find(item.members[0])->op_class));
      ++groups;
    }
  }
  EXPECT_GT(groups, 0u);
}

TEST(GraphClasses, TheLegendNamesWhatIsInSight) {
  const Theme& theme = lightTheme();
  const QStringList words = wordsOf(graphClassFigure(chainWithDrift(8), theme, {900, 600}), theme);
  EXPECT_TRUE(words.contains("opaque 8"));
  EXPECT_FALSE(words.join('\n').contains("contraction"));
  const Place sample = compiledSample();
  for (const char* name : {"light", "dark", "contrast", "paper"}) {
    const Theme look = themeNamed(name);
    expectReadable(graphClassFigure(sample, look, {900, 600}), look, name);
  }
  (void)wordsOf(graphClassFigure({}, theme, {900, 600}), theme); // nothing open
}

TEST(GraphClasses, TheLegendKeepsToItsRoom) {
  const auto scene = sceneAt(chainWithDrift(8), {});
  const GraphClasses classes = classesOf(*scene, lightTheme());
  GraphClasses::Counts counts;
  counts.fill(1234);
  for (const double room : {200., 400., 2000.}) {
    RecordingSheet sheet(lightTheme());
    drawClassLegend(sheet, classes, counts, {16, 500}, room);
    EXPECT_EQ(sheet.words.size(), qsizetype(counts.size()));
    for (const auto& w : sheet.words) {
      EXPECT_LE(w.box.right(), 16 + room) << room;
      EXPECT_LT(w.box.bottom(), 500) << room;
    }
  }
}

} // namespace
} // namespace cutaway::views
