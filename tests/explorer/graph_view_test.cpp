// The graph in its window: what a jump closes, and what it says of a plain layout.
#include "explorer/main_window.h"
#include "shell/inspector_figure.h"

#include <QAction>
#include <QSettings>
#include <QTest>
#include <gtest/gtest.h>

namespace cutaway::explorer {
namespace {

struct GraphViewTest : testing::Test {
  void SetUp() override {
    window.show();
    ASSERT_TRUE(QTest::qWaitFor([this] { return window.navigator().stepCount() > 0 && window.graph().settled() && window.graph().scene(); }, 30000));
  }
  void settle() { ASSERT_TRUE(QTest::qWaitFor([this] { return window.graph().settled(); }, 30000)); }
  QAction* action(const QString& name) {
    for (QAction* a : window.findChildren<QAction*>())
      if (a->text() == name) return a;
    return nullptr;
  }
  MainWindow window{Request{CUTAWAY_SOURCES "/resources/models/sample.onnx", {}, {}, {}}};
};

// The same step shows the same items, whatever was visited before.
TEST_F(GraphViewTest, AJumpForgetsWhatStepsOpened) {
  const auto shown = [this](uint32_t step) {
    window.navigator().goTo(step);
    settle();
    QStringList keys;
    for (const auto& item : window.graph().scene()->model.items) keys << item.key;
    return keys;
  };
  const uint32_t last = window.navigator().stepCount() - 1;
  ASSERT_GT(last, 20u);
  const QStringList first = shown(last / 2);
  for (uint32_t i = 5; i < last; i += 6) (void)shown(i);
  (void)shown(0);
  EXPECT_EQ(shown(last / 2), first);
}

TEST_F(GraphViewTest, CrumbsAreThoseOfTheStep) {
  for (uint32_t i = 0; i < window.navigator().stepCount(); i += 3) {
    window.navigator().goTo(i);
    const auto& place = window.navigator().place();
    EXPECT_EQ(window.graph().crumbs(), views::scopesAround(place.trace()->at(i), place.at()->entities));
  }
  settle();
}

// B held: the graph of the step before, unmarked, at the same step; let go, or another step: as it is.
TEST_F(GraphViewTest, HoldingBShowsTheGraphBeforeTheStep) {
  const trace::Trace& t = *window.navigator().place().trace();
  uint32_t step = 1;
  while (t.at(step).nodes == t.at(step - 1).nodes) ++step;
  window.navigator().goTo(step);
  settle();
  EXPECT_EQ(window.graph().scene()->graph, t.at(step));
  for (const bool let_go : {true, false}) {
    QTest::keyPress(&window.graph(), Qt::Key_B);
    settle();
    EXPECT_EQ(window.graph().scene()->graph, t.at(step - 1));
    EXPECT_EQ(window.navigator().place().step, step);
    if (let_go) QTest::keyRelease(&window.graph(), Qt::Key_B);
    else window.navigator().stepBy(1), ++step;
    settle();
    EXPECT_EQ(window.graph().scene()->graph, t.at(step));
  }
}

// What a selected kernel comes from in the model.
TEST_F(GraphViewTest, SourceTabNamesTheNodesOfTheModel) {
  window.navigator().goTo(window.navigator().stepCount() - 1);
  const views::Place place = window.navigator().place();
  const trace::GraphDoc graph = place.trace()->at(place.step);
  views::Look look;
  int kernels = 0;
  for (const trace::GraphGroup& group : graph.groups) {
    const trace::Wiring wiring(graph);
    views::Place at = place;
    at.selected = entity(group.id);
    const views::Figure figure = views::sourceNodesFigure(at, look.theme(), {320, 640});
    ASSERT_FALSE(figure.hits.empty());
    const auto& members = wiring.members(group.id);
    EXPECT_TRUE(std::any_of(members.begin(), members.end(), [&](NodeId id) {
      const auto& origins = graph.nodes.find(id)->origins;
      return std::any_of(origins.begin(), origins.end(), [&](const trace::Text& o) { return figure.hits.front().name == QString::fromStdString(o.str()); });
    })) << group.name.str();
    ++kernels;
  }
  EXPECT_GT(kernels, 0);
}

TEST_F(GraphViewTest, DriftIsAnActionThatSaysWhatItNeeds) {
  QAction* drift = action("Drift on the graph");
  ASSERT_TRUE(drift);
  EXPECT_FALSE(drift->isChecked());
  drift->trigger();
  (void)window.grab();
  drift->trigger();
  ASSERT_TRUE(action("Try the layout again"));
  action("Try the layout again")->trigger();
  settle();
  EXPECT_TRUE(window.graph().scene()->exact);
}

// By class the nodes take other colours, the legend stands at the bottom left, and the choice outlives the window.
TEST_F(GraphViewTest, ColoursTellEntityOrOpClass) {
  QAction *entity = action("Entity"), *opClass = action("Op class");
  ASSERT_TRUE(entity && opClass);
  entity->trigger(), settle();
  const auto picture = [this] { return settle(), window.graph().grab().toImage(); };
  const QImage before = picture();
  opClass->trigger();
  EXPECT_TRUE(opClass->isChecked() && !entity->isChecked());
  EXPECT_NE(picture(), before);
  EXPECT_EQ(QSettings("Cutaway", "Cutaway").value("colourBy").toString(), "class");
  MainWindow again{Request{}};
  const auto actions = again.findChildren<QAction*>();
  EXPECT_TRUE(std::any_of(actions.begin(), actions.end(), [](const QAction* a) { return a->text() == "Op class" && a->isChecked(); }));
  entity->trigger();
  EXPECT_EQ(picture(), before);
}

// Pictures, to be looked at: CUTAWAY_SHOTS=folder, CUTAWAY_SHOT_MODEL=file.
TEST_F(GraphViewTest, Shots) {
  if (!qEnvironmentVariableIsSet("CUTAWAY_SHOTS")) GTEST_SKIP() << "CUTAWAY_SHOTS names no folder";
  if (qEnvironmentVariableIsSet("CUTAWAY_SHOT_MODEL")) window.open(qEnvironmentVariable("CUTAWAY_SHOT_MODEL"));
  const auto shot = [this](const QString& name) {
    ASSERT_TRUE(QTest::qWaitFor([this] { return window.graph().settled() && !window.service().busy(); }, 60000));
    QTest::qWait(100);
    window.grab().save(qEnvironmentVariable("CUTAWAY_SHOTS") + "/" + name + ".png");
  };
  action("Drift on the graph")->trigger();
  shot("heat-none");
  action("Run and compare")->trigger();
  shot("heat-start");
  for (const char* theme : {"light", "dark"}) {
    window.setTheme(theme);
    window.graph().fit();
    shot(QString("heat-all-") + theme);
    window.graph().zoomBy(1 / window.graph().zoom(), QPointF(400, 300));
    shot(QString("heat-types-") + theme);
  }
}

} // namespace
} // namespace cutaway::explorer
