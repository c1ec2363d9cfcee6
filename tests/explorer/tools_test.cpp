// What stands around the views: comparing, numbers of a value, commands, files.
#include "explorer/commands.h"
#include "explorer/first_page.h"
#include "explorer/pass_rail.h"
#include "explorer/window_fixture.h"
#include "tensor/tensor_panel.h"

#include <QMenuBar>
#include <QTemporaryDir>

namespace cutaway::explorer {
namespace {

struct ToolsTest : WindowTest {
  QTemporaryDir folder;
  QString path(const char* name) const { return folder.filePath(name); }
  // A value that a kernel writes.
  ValueId written() {
    const auto& at = window->navigator().place();
    for (const trace::GraphValue& v : at.trace()->at(at.step).values)
      if (v.buffer.valid()) return v.id;
    return {};
  }
};

TEST_F(ToolsTest, ComparesTwoSettings) {
  open(sample());
  QTest::keyClick(window.get(), Qt::Key_D, Qt::ControlModifier);
  ASSERT_TRUE(window->other());
  Pane& b = *window->other();
  ASSERT_TRUE(QTest::qWaitFor([&] { return b.navigator().stepCount() > 0 && b.graph().settled(); }, 30000));
  EXPECT_EQ(b.navigator().place().step, window->navigator().place().step);
  b.set("passes.off", "fuse");
  ASSERT_TRUE(QTest::qWaitFor([&] { return !b.service().busy() && b.graph().settled() && b.graph().scene(); }, 30000));
  window->graph().setFocus();
  QTest::keyClick(&window->graph(), Qt::Key_End);
  settle();
  const auto &mine = window->navigator().place(), &its = b.navigator().place();
  EXPECT_EQ(its.step + 1, b.navigator().stepCount());
  EXPECT_LT(mine.at()->after.launches, its.at()->after.launches);
  shot("compare");
  for (const trace::GraphNode& n : mine.trace()->at(mine.step).nodes) {
    window->navigator().select(entity(n.id));
    EXPECT_EQ(b.navigator().place().selected, entity(n.id));
    break;
  }
  QTest::keyClick(window.get(), Qt::Key_D, Qt::ControlModifier);
  EXPECT_FALSE(window->other());
}

TEST_F(ToolsTest, ShowsAndSavesTheNumbersOfAValue) {
  open(sample());
  const ValueId value = written();
  ASSERT_TRUE(value.valid());
  window->navigator().select(entity(value));
  window->graph().setFocus();
  QTest::keyClick(&window->graph(), Qt::Key_V);
  ASSERT_TRUE(QTest::qWaitFor([this] { return window->tensor().facts(); }, 10000));
  const trace::TensorFacts facts = *window->tensor().facts();
  EXPECT_EQ(facts.source.str(), "compiled run");
  EXPECT_GT(facts.elements, 0);
  int64_t counted = 0;
  for (const int64_t n : facts.histogram) counted += n;
  EXPECT_EQ(counted, facts.elements - facts.nan - facts.infinite);
  shot("tensor");
  window->tensor().saveAs(path("v.npy"));
  ASSERT_TRUE(QTest::qWaitFor([this] { return QFile::exists(path("v.npy")); }, 10000));
  EXPECT_GT(QFileInfo(path("v.npy")).size(), facts.bytes);
}

TEST_F(ToolsTest, ExportsAndReopens) {
  open(sample());
  QString why;
  for (const char* name : {"a.svg", "a.pdf", "a.png"}) {
    EXPECT_TRUE(window->exportTo(path(name), &why)) << name << ": " << why.toStdString();
    EXPECT_GT(QFileInfo(path(name)).size(), 500) << name;
  }
  // Five steps or so, marked on the stepper.
  auto* slider = window->findChild<views::ChartSlider*>();
  QTest::mousePress(slider, Qt::LeftButton, Qt::ShiftModifier, {400, 40});
  QTest::mouseMove(slider, {430, 40});
  QTest::mouseRelease(slider, Qt::LeftButton, Qt::ShiftModifier, {430, 40});
  const auto [first, last] = slider->range();
  ASSERT_LT(first, last);
  ASSERT_LT(last - first, 20u);
  EXPECT_TRUE(window->exportTo(path("a.html"), &why)) << why.toStdString();
  EXPECT_FALSE(window->exportTo(path("b.html"), &why)); // one at a time
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window->writes(); }, 30000));
  EXPECT_GT(QFileInfo(path("a.html")).size(), 5000);
  EXPECT_TRUE(window->exportTo(path("c.pdf"), &why)) << why.toStdString();
  QTest::keyClick(&window->graph(), Qt::Key_Escape);
  EXPECT_FALSE(window->writes());
  window->saveDocumentTo(path("d.cbor"));
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window->writes(); }, 30000));
  EXPECT_FALSE(QFile::exists(path("c.pdf")));
  const uint32_t steps = window->navigator().stepCount();
  window->open(path("d.cbor"));
  settle();
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window->navigator().place().port; }, 10000));
  EXPECT_EQ(window->navigator().stepCount(), steps);
  // Nothing can be asked of a saved document; it says so.
  window->navigator().select(entity(written()));
  window->tensor().ask();
  EXPECT_FALSE(window->tensor().facts());
}

TEST_F(ToolsTest, CommandsAreFoundByLetters) {
  open(sample());
  QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  auto* palette = window->findChild<CommandPalette*>();
  ASSERT_TRUE(palette);
  shot("commands");
  auto* field = palette->findChild<QLineEdit*>();
  QTest::keyClicks(field, "view arena");
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_EQ(window->pane().row().id, std::string("arena"));
}

TEST_F(ToolsTest, EveryCommandHasAName) {
  open(sample());
  const auto commands = commandsOf(*window->menuBar());
  EXPECT_GT(commands.size(), 50);
  for (const Command& c : commands) EXPECT_FALSE(c.path.endsWith(": ")) << c.path.toStdString();
}

TEST_F(ToolsTest, FirstPageOpensRecentFiles) {
  window = std::make_unique<MainWindow>(Request{});
  window->resize(1440, 900);
  window->show();
  auto* page = window->findChild<FirstPage*>();
  ASSERT_TRUE(page && page->isVisible());
  page->refresh({QString::fromStdString(sample())});
  shot("first");
  for (auto* button : page->findChildren<QPushButton*>())
    if (button->accessibleName().contains("sample.onnx")) QTest::mouseClick(button, Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([this] { return window->navigator().stepCount() > 0; }, 30000));
  EXPECT_FALSE(page->isVisible());
  settle();
}

TEST_F(ToolsTest, SplitsAndLectures) {
  open(sample());
  window->pane().split(true);
  EXPECT_TRUE(window->pane().isSplit());
  shot("split");
  window->pane().split(false);
  QTest::keyClick(window.get(), Qt::Key_F11);
  EXPECT_FALSE(window->menuBar()->isVisible());
  settle();
  shot("lecture");
  QTest::keyClick(&window->graph(), Qt::Key_Escape);
  EXPECT_TRUE(window->menuBar()->isVisible());
}

TEST_F(ToolsTest, NarrowWindowsShowTheRail) {
  open(sample());
  window->resize(1280, 720);
  auto* rail = window->findChild<PassRail*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return rail->isVisible(); }, 2000));
  EXPECT_EQ(rail->QWidget::width(), PassRail::width);
  EXPECT_TRUE(QTest::qWaitFor([this] { return window->graph().width() >= 900; }, 2000));
  settle();
  shot("narrow");
  window->resize(1440, 900);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !rail->isVisible(); }, 2000));
  shot("wide-again");
}

} // namespace
} // namespace cutaway::explorer
