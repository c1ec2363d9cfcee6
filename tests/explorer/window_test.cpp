// The window as a user meets it: steps, views, settings.
#include "explorer/window_fixture.h"
#include "shell/figure_view.h"
#include "shell/mode_switch.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

namespace cutaway::explorer {
namespace {

TEST_F(WindowTest, StepsByKeys) {
  open(sample());
  auto& at = window->navigator();
  at.goTo(0);
  settle();
  window->graph().setFocus();
  QTest::keyClick(&window->graph(), Qt::Key_Right);
  EXPECT_EQ(at.place().step, 1u);
  QTest::keyClick(&window->graph(), Qt::Key_Left);
  EXPECT_EQ(at.place().step, 0u);
  QTest::keyClick(&window->graph(), Qt::Key_Down);
  EXPECT_NE(at.pass(), 0);
  QTest::keyClick(&window->graph(), Qt::Key_End);
  EXPECT_EQ(at.place().step + 1, at.stepCount());
  settle();
}

TEST_F(WindowTest, PlaysOn) {
  open(sample());
  window->navigator().goTo(0);
  settle();
  QTest::keyClick(&window->graph(), Qt::Key_Space);
  EXPECT_TRUE(QTest::qWaitFor([this] { return window->navigator().place().step >= 1; }, 5000));
  QTest::keyClick(&window->graph(), Qt::Key_Space);
}

TEST_F(WindowTest, FindsAndSelectsInAllViews) {
  open(sample());
  QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
  auto* field = window->findChild<QLineEdit*>();
  ASSERT_TRUE(field);
  QTest::keyClicks(field, "conv");
  QTest::keyClick(field, Qt::Key_Return);
  ASSERT_TRUE(window->navigator().place().selected);
  settle();
  EXPECT_FALSE(window->graph().scene()->boxOf(*window->navigator().place().selected).isEmpty());
  for (const char* view : {"arena", "layout", "guards", "tiles", "timeline", "drift", "source", "graph"}) {
    window->showView(view);
    QTest::qWait(20);
  }
}

TEST_F(WindowTest, AViewWithModesIsSwitchedByButtonAndKey) {
  open(sample());
  window->showView("arena");
  auto* modes = window->findChild<views::ModeSwitch*>();
  ASSERT_TRUE(modes && modes->isVisible());
  auto* view = qobject_cast<views::FigureView*>(modes->parentWidget());
  ASSERT_TRUE(view);
  EXPECT_EQ(modes->current(), 0);
  const QSizeF offsets = view->figure().size;
  view->setFocus();
  QTest::keyClick(window.get(), Qt::Key_M);
  EXPECT_EQ(modes->current(), 1);
  const auto buttons = modes->findChildren<QPushButton*>();
  ASSERT_EQ(buttons.size(), 3);
  for (const auto* button : buttons) EXPECT_FALSE(button->accessibleName().isEmpty());
  QTest::mouseClick(buttons[2], Qt::LeftButton);
  EXPECT_EQ(modes->current(), 2);
  EXPECT_EQ(view->figure().hits.front().name.left(6), "buffer");
  QTest::keyClick(window.get(), Qt::Key_M);
  EXPECT_EQ(modes->current(), 0);
  EXPECT_EQ(view->figure().size, offsets);
}

TEST_F(WindowTest, SourceShowsTheAssembly) {
  open(sample());
  window->showView("source");
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window->navigator().place().asked.empty(); }, 20000));
  EXPECT_EQ(window->navigator().place().asked[0]->language.str(), "assembly");
  EXPECT_GT(window->navigator().place().asked[0]->text.size(), 100u);
}

TEST_F(WindowTest, ClickSelectsAnOp) {
  open(sample());
  const auto& scene = *window->graph().scene();
  for (size_t i = 1; i < scene.box.size(); ++i)
    if (scene.model.items[i].kind == views::GraphItem::Group && !scene.box[i].isEmpty()) {
      QTest::mouseClick(&window->graph(), Qt::LeftButton, {}, window->graph().toScreen({scene.box[i].center().x(), scene.box[i].top() + 8}).toPoint());
      ASSERT_TRUE(window->navigator().place().selected);
      EXPECT_EQ(*window->navigator().place().selected, scene.model.items[i].entity);
      return;
    }
  GTEST_SKIP() << "no group in the sample";
}

TEST_F(WindowTest, SettingRecompilesAndUndoes) {
  open(sample());
  QComboBox* math = nullptr;
  for (auto* box : window->findChildren<QComboBox*>())
    if (box->accessibleName() == "Math") math = box;
  ASSERT_TRUE(math);
  const QString before = math->currentText();
  math->setCurrentText("math = strict");
  settle();
  ASSERT_FALSE(window->navigator().place().document->settings.empty());
  QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
  settle();
  EXPECT_EQ(math->currentText(), before);
  EXPECT_TRUE(window->navigator().place().document->settings.empty());
}

TEST_F(WindowTest, CancelKeepsThePicture) {
  open(sample());
  const auto before = window->navigator().place().document;
  QTest::keyClick(window.get(), Qt::Key_R, Qt::ControlModifier);
  window->service().cancel();
  EXPECT_FALSE(window->service().busy());
  QTest::qWait(300);
  EXPECT_EQ(window->navigator().place().document, before);
}

TEST_F(WindowTest, RunFillsTimelineAndDrift) {
  open(sample());
  QTest::keyClick(window.get(), Qt::Key_R, Qt::ControlModifier);
  settle();
  ASSERT_TRUE(window->navigator().place().trace()->panel<trace::TimelinePanel>(0));
  ASSERT_TRUE(window->navigator().place().trace()->panel<trace::SeriesPanel>(0));
}

TEST_F(WindowTest, SaysWhatIsWrongWithAFile) {
  window = std::make_unique<MainWindow>(Request{CUTAWAY_SOURCES "/README.md", {}, {}, {}});
  window->show();
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window->service().busy(); }, 10000));
  EXPECT_EQ(window->navigator().stepCount(), 0u);
}

TEST_F(WindowTest, PassModelHolds) {
  open(sample());
  views::PassModel model(window->navigator());
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  for (uint32_t i = 0; i < window->navigator().stepCount(); i += 3) window->navigator().goTo(i);
  model.setProgress("fuse", 0, 0), model.setProgress("codegen", 1, 3), model.setProgress("codegen", 2, 3), model.setProgress({}, 0, 0);
  model.activate(model.rowCount() - 1);
}

// Short form; CUTAWAY_EVENTS sets the number.
TEST_F(WindowTest, RandomEvents) {
  open(sample());
  QRandomGenerator random(7);
  const int count = qEnvironmentVariableIsSet("CUTAWAY_EVENTS") ? qEnvironmentVariableIntValue("CUTAWAY_EVENTS") : 300;
  const Qt::Key keys[] = {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_F, Qt::Key_N, Qt::Key_Backspace, Qt::Key_W, Qt::Key_A, Qt::Key_Tab, Qt::Key_BracketLeft, Qt::Key_BracketRight, Qt::Key_Home, Qt::Key_End};
  const char* views[] = {"graph", "graph", "arena", "layout", "guards", "tiles", "timeline", "drift", "source"};
  for (int i = 0; i < count; ++i) {
    QWidget* target = QApplication::focusWidget() ? QApplication::focusWidget() : window.get();
    const QPoint p(random.bounded(window->graph().width() + 1), random.bounded(window->graph().height() + 1));
    switch (random.bounded(6)) {
      case 0: QTest::mouseClick(&window->graph(), Qt::LeftButton, {}, p); break;
      case 1: QTest::mouseDClick(&window->graph(), Qt::LeftButton, {}, p); break;
      case 2: window->showView(views[random.bounded(9)]); break;
      case 3: window->graph().zoomBy(.5 + random.generateDouble(), p); break;
      default: QTest::keyClick(target, keys[random.bounded(14)]); break;
    }
    if (i % 10 == 0) QTest::qWait(1);
  }
  settle();
}

// Pictures of every view, to be looked at: CUTAWAY_SHOTS=folder, CUTAWAY_SHOT_MODEL=file.
TEST_F(WindowTest, Shots) {
  if (!qEnvironmentVariableIsSet("CUTAWAY_SHOTS")) GTEST_SKIP() << "CUTAWAY_SHOTS names no folder";
  open(qEnvironmentVariable("CUTAWAY_SHOT_MODEL", QString::fromStdString(sample())).toStdString());
  shot("opened");
  QTest::keyClick(window.get(), Qt::Key_R, Qt::ControlModifier);
  settle();
  const auto& trace = *window->navigator().place().trace();
  // Each view at the step that has most to say in it: a fusion, a placement, the end.
  std::map<std::string, uint32_t> steps;
  for (const auto& pass : trace.passes()) {
    if (pass.name == "fuse" && pass.last > pass.first + 20) steps["graph"] = pass.first + 20;
    if (pass.name == "memory") steps["arena"] = pass.last - 1;
  }
  for (const char* theme : {"light", "dark"})
    for (const char* view : {"graph", "arena", "layout", "guards", "tiles", "timeline", "drift", "source"}) {
      window->setTheme(theme);
      window->showView(view);
      window->navigator().goTo(steps.contains(view) ? steps[view] : uint32_t(trace.steps().size() - 1));
      settle();
      if (view == std::string("source")) QTest::qWait(1500); // the assembly comes when it is there
      shot((std::string(view) + "-" + theme).c_str());
    }
  window->showView("arena");
  for (const auto& pass : trace.passes())
    if (pass.name == "memory") window->navigator().goTo((pass.first + 2 * pass.last) / 3);
  for (const char* mode : {"offsets", "bytes", "intervals"}) {
    shot((std::string("arena-") + mode).c_str());
    QTest::keyClick(window.get(), Qt::Key_M);
  }
}

} // namespace
} // namespace cutaway::explorer

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const QTemporaryDir settings; // the user's own stay as they are
  qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
  QApplication::setStyle("Fusion");
  QApplication app(argc, argv);
  return RUN_ALL_TESTS();
}
