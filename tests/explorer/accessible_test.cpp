// The window for those who hear it, and for those who have only keys.
#include "explorer/commands.h"
#include "explorer/window_fixture.h"
#include "shell/accessible.h"
#include "shell/figure_view.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QMenuBar>
#include <QScrollBar>
#include <QTabBar>
#include <QTemporaryDir>

#include <algorithm>
#include <set>

namespace cutaway::explorer {
namespace {

QAccessibleInterface* access(QObject* object) { return QAccessible::queryAccessibleInterface(object); }
// Of a tab bar and a box of choices, Qt speaks the present one; theirs is beside it.
std::string partOf(QWidget* w) { return (w->accessibleName().isEmpty() ? access(w)->text(QAccessible::Name) : w->accessibleName()).toStdString(); }
std::string nameOf(const QAccessibleInterface* a) { return a->text(QAccessible::Name).toStdString(); }

struct Told {
  QAccessible::Event what;
  QAccessible::Id of;
};
std::vector<Told> told;
void hear(QAccessibleEvent* event) { told.push_back({event->type(), event->uniqueId()}); }
// Qt tells nothing where its platform has no way to assistive technology (offscreen).
bool wasTold(QAccessible::Event what, const QAccessibleInterface* of) {
  return !QAccessible::isActive() || std::any_of(told.begin(), told.end(), [&](const Told& t) { return t.what == what && t.of == QAccessible::uniqueId(const_cast<QAccessibleInterface*>(of)); });
}

struct AccessibleTest : WindowTest {
  AccessibleTest() {
    QAccessible::setActive(true);
    QAccessible::installUpdateHandler(hear);
    told.clear();
  }
  ~AccessibleTest() override {
    QAccessible::installUpdateHandler(nullptr);
    QAccessible::setActive(false);
  }
  void run() {
    QTest::keyClick(window.get(), Qt::Key_R, Qt::ControlModifier);
    settle();
  }
  // The canvas that shows a view.
  QWidget* canvas(const char* view) {
    window->showView(view);
    settle();
    if (view == std::string("graph")) return &window->graph();
    for (auto* v : window->pane().findChildren<views::FigureView*>())
      if (v->isVisible()) return v;
    return nullptr;
  }
  // Every child has a name, a place in the canvas, and is found again.
  void expectSound(QWidget* widget, const std::string& where) {
    QAccessibleInterface* a = access(widget);
    ASSERT_TRUE(a) << where;
    EXPECT_FALSE(nameOf(a).empty()) << where;
    EXPECT_GT(a->childCount(), 0) << where;
    for (int i = 0; i < a->childCount(); ++i) {
      QAccessibleInterface* child = a->child(i);
      ASSERT_TRUE(child) << where;
      EXPECT_FALSE(nameOf(child).empty()) << where << ", child " << i;
      EXPECT_EQ(child->parent(), a) << where << ": " << nameOf(child);
      EXPECT_EQ(a->indexOfChild(child), i) << where << ": " << nameOf(child);
      EXPECT_FALSE(child->rect().isEmpty()) << where << ": " << nameOf(child);
      EXPECT_TRUE(a->rect().contains(child->rect())) << where << ": " << nameOf(child);
    }
  }
};

const char* const everyView[] = {"graph", "arena", "layout", "guards", "tiles", "timeline", "drift", "source"};

TEST_F(AccessibleTest, CanvasesNameWhatTheyShow) {
  open(sample());
  run();
  for (const char* view : everyView) {
    QWidget* widget = canvas(view);
    ASSERT_TRUE(widget) << view;
    widget->setFocus();
    for (int mode = 0; mode < (view == std::string("arena") ? 3 : 1); ++mode) {
      expectSound(widget, view);
      QTest::keyClick(window.get(), Qt::Key_M);
    }
  }
}

TEST_F(AccessibleTest, EmptyViewsSayWhy) {
  window = std::make_unique<MainWindow>(Request{CUTAWAY_SOURCES "/README.md", {}, {}, {}});
  window->show();
  EXPECT_NE(nameOf(access(&window->graph())->child(0)).find("being compiled"), std::string::npos);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window->service().busy(); }, 10000));
  for (const char* view : everyView) {
    QWidget* widget = canvas(view);
    expectSound(widget, view);
    QAccessibleInterface* note = access(widget)->child(access(widget)->childCount() - 1);
    EXPECT_NE(nameOf(note).find("nothing is compiled"), std::string::npos) << view << ": " << nameOf(note);
    EXPECT_FALSE(note->text(QAccessible::Description).isEmpty()) << view;
  }
}

TEST_F(AccessibleTest, PressingSelects) {
  open(sample());
  run();
  for (const char* view : everyView) {
    QAccessibleInterface* a = access(canvas(view));
    window->navigator().select({});
    int pressed = 0;
    for (int i = 0; i < a->childCount() && pressed < 3; ++i) {
      QAccessibleInterface* child = a->child(i);
      auto* action = child->actionInterface();
      if (!child->state().selectable || !action || !action->actionNames().contains(QAccessibleActionInterface::pressAction()) || nameOf(child).starts_with("scope ")) continue;
      told.clear();
      const auto id = QAccessible::uniqueId(child);
      const auto before = window->navigator().place().selected;
      action->doAction(QAccessibleActionInterface::pressAction());
      ASSERT_TRUE(window->navigator().place().selected) << view;
      settle();
      QAccessibleInterface* again = QAccessible::accessibleInterface(id);
      if (!again) continue; // what is selected may open another part of the view
      EXPECT_TRUE(access(canvas(view))->childCount() > 0);
      EXPECT_TRUE(again->state().selected) << view << ": " << nameOf(again);
      if (before != window->navigator().place().selected) {
        EXPECT_TRUE(wasTold(QAccessible::Selection, again)) << view << ": " << nameOf(again);
      }
      ++pressed;
    }
    EXPECT_GT(pressed, 0) << view;
  }
}

TEST_F(AccessibleTest, TabTellsWhatHasTheFocus) {
  open(sample());
  QWidget* widget = canvas("tiles");
  ASSERT_GT(access(widget)->childCount(), 0); // somebody listens
  widget->setFocus(Qt::TabFocusReason);
  QTest::keyClick(widget, Qt::Key_Tab);
  QAccessibleInterface* child = access(widget)->focusChild();
  ASSERT_TRUE(child);
  EXPECT_EQ(child->role(), QAccessible::ListItem);
  EXPECT_TRUE(child->state().focused);
  if (!QAccessible::isActive()) GTEST_SKIP() << "this platform has no way to assistive technology: what is told was not heard";
  EXPECT_TRUE(wasTold(QAccessible::Focus, child));
}

TEST_F(AccessibleTest, OnlyWhatIsInSightIsAChild) {
  open(sample());
  QAccessibleInterface* a = access(&window->graph());
  const int all = a->childCount();
  const QRect first = a->child(0)->rect();
  window->graph().zoomBy(4 / window->graph().zoom(), window->graph().mapFromGlobal(first.center()));
  EXPECT_LT(a->childCount(), all);
  expectSound(&window->graph(), "near");
  window->graph().fit();
  EXPECT_GE(a->childCount(), all);
}

// Whatever can be operated has a name.
void expectNames(QWidget* root) {
  for (QWidget* w : root->findChildren<QWidget*>()) {
    const bool operable = w->focusPolicy() != Qt::NoFocus || qobject_cast<QAbstractButton*>(w) || qobject_cast<QAbstractItemView*>(w);
    if (!w->isVisible() || !operable) continue;
    EXPECT_FALSE(partOf(w).empty()) << w->metaObject()->className() << ' ' << w->objectName().toStdString() << " in " << w->parentWidget()->metaObject()->className();
    if (auto* tabs = qobject_cast<QTabBar*>(w)) {
      for (int i = 0; i < tabs->count(); ++i) EXPECT_FALSE(tabs->tabText(i).isEmpty());
    }
  }
}

TEST_F(AccessibleTest, EverythingOperableHasAName) {
  open(sample());
  window->pane().say("Something is wrong");
  window->pane().split(true);
  window->compare(true);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window->other()->navigator().stepCount() > 0 && !window->other()->service().busy(); }, 30000));
  window->other()->say("Something is wrong");
  const trace::GraphDoc graph = window->navigator().place().trace()->at(window->navigator().place().step);
  for (const trace::GraphValue& value : graph.values) window->navigator().select(entity(value.id));
  for (const char* view : everyView) {
    canvas(view);
    expectNames(window.get());
  }
  window->compare(false);
  window->resize(1280, 720);
  settle();
  expectNames(window.get());
  MainWindow first(Request{});
  first.show();
  expectNames(&first);
  CommandPalette palette(*window->menuBar(), nullptr);
  palette.setAttribute(Qt::WA_DeleteOnClose, false);
  palette.show();
  expectNames(&palette);
}

// ---- keys alone ----
int accentIn(const QImage& image, QRgb accent) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) count += (image.pixel(x, y) & 0xffffff) == (accent & 0xffffff);
  return count;
}

// Tab from the first part until it is reached again.
std::vector<QWidget*> round(QWidget* first) {
  std::vector<QWidget*> out{first};
  for (int i = 0; i < 5000; ++i) {
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QWidget* at = QApplication::focusWidget();
    if (!at || at == first) break;
    if (at != out.back()) out.push_back(at);
  }
  return out;
}

TEST_F(AccessibleTest, TabReachesEveryPartAndTheFocusIsSeen) {
  open(sample());
  run();
  for (const char* theme : {"light", "dark"}) {
    window->setTheme(theme);
    QString why;
    const QRgb accent = views::Theme::load(":/visual", theme, &why)->c("accent").rgb();
    for (const char* view : everyView) {
      QWidget* shown = canvas(view);
      QWidget* first = nullptr;
      for (auto* b : window->findChildren<QPushButton*>())
        if (b->text() == "Compile") first = b;
      ASSERT_TRUE(first);
      first->setFocus(Qt::TabFocusReason);
      const std::vector<QWidget*> parts = round(first);
      std::set<std::string> met;
      for (QWidget* at : parts) {
        met.insert(partOf(at));
        at->setFocus(Qt::TabFocusReason);
        const QRect box = QRect(at->mapTo(window.get(), QPoint()), at->size()).adjusted(-4, -4, 4, 4);
        const int with = accentIn(window->grab(box).toImage(), accent);
        if (view == std::string("arena")) shot((std::string("focus-") + theme + std::to_string(met.size())).c_str());
        at->clearFocus();
        EXPECT_GE(with - accentIn(window->grab(box).toImage(), accent), 40) << "no ring round " << at->metaObject()->className() << ' ' << partOf(at) << " beside " << view << " in " << theme;
      }
      for (const std::string& part : {std::string("Open…"), std::string("Compile"), std::string("Run"), std::string("Device"), std::string("Math"), std::string("Find"), std::string("Passes"), std::string("Views"),
                                      std::string("Export…"), std::string("Inspector"), std::string("Step"), std::string("First step (Home)"), std::string("Play (Space)"), partOf(shown)})
        EXPECT_TRUE(met.contains(part)) << part << " is not reached beside " << view;
    }
  }
}

TEST_F(AccessibleTest, ControlTabLeavesACanvas) {
  open(sample());
  QWidget* widget = canvas("tiles");
  widget->setFocus(Qt::TabFocusReason);
  QTest::keyClick(widget, Qt::Key_Tab);
  EXPECT_EQ(QApplication::focusWidget(), widget);
  QTest::keyClick(widget, Qt::Key_Tab, Qt::ControlModifier);
  EXPECT_NE(QApplication::focusWidget(), widget);
}

// ---- what the pane says ----
TEST_F(AccessibleTest, AnOldPictureSaysSo) {
  open(sample());
  QLabel* tag = nullptr;
  for (auto* l : window->pane().findChildren<QLabel*>())
    if (l->text() == "from the previous compile") tag = l;
  ASSERT_TRUE(tag);
  EXPECT_FALSE(tag->isVisible());
  QTest::keyClick(window.get(), Qt::Key_R, Qt::ControlModifier);
  window->service().cancel();
  EXPECT_FALSE(tag->isVisible()); // nothing is shown at once
  EXPECT_TRUE(QTest::qWaitFor([&] { return tag->isVisible(); }, 2000));
  shot("previous");
  run();
  EXPECT_FALSE(tag->isVisible());
}

TEST_F(AccessibleTest, TheStripLeadsToTheNodeItNames) {
  open(sample());
  auto document = std::make_shared<trace::Document>(*window->navigator().place().document);
  const trace::GraphDoc graph = document->traces[0]->at(0);
  const trace::GraphNode* node = nullptr;
  for (const trace::GraphNode& n : graph.nodes)
    if (!n.origins.empty()) node = graph.nodes.find(n.id);
  ASSERT_TRUE(node);
  const QString origin = views::qt(node->origins.front());
  const auto link = [&]() -> QPushButton* {
    for (auto* b : window->pane().findChildren<QPushButton*>())
      if (b->text() == "Show the node" && b->isVisible()) return b;
    return nullptr;
  };
  const auto label = [&](const QString& name) { return QString("node \"%1\" (%2)").arg(name, origin.section(' ', 0, 0)); };
  document->breaks = {{label("elsewhere").toStdString(), "control-flow", "the branch depends on 'cond', which is computed"}};
  emit window->service().finished(std::make_shared<const trace::Document>(*document), nullptr, {});
  settle();
  EXPECT_FALSE(link());
  document->breaks[0].node = label(origin.section(' ', 1)).toStdString();
  emit window->service().finished(document, nullptr, {});
  window->showView("arena");
  settle();
  ASSERT_TRUE(link());
  shot("strip");
  QTest::mouseClick(link(), Qt::LeftButton);
  settle();
  const auto chosen = window->navigator().place().selected;
  ASSERT_TRUE(chosen);
  const trace::GraphDoc shown = window->navigator().place().trace()->at(window->navigator().place().step);
  const trace::GraphNode* found = shown.nodes.find(NodeId(chosen->id));
  ASSERT_TRUE(found);
  EXPECT_TRUE(std::any_of(found->origins.begin(), found->origins.end(), [&](const trace::Text& o) { return views::qt(o) == origin; }));
  EXPECT_TRUE(window->graph().isVisible());
}

// Pictures of views with nothing to show, to be looked at: CUTAWAY_SHOTS=folder.
TEST_F(AccessibleTest, EmptyShots) {
  if (!qEnvironmentVariableIsSet("CUTAWAY_SHOTS")) GTEST_SKIP() << "CUTAWAY_SHOTS names no folder";
  const auto all = [&](const std::string& when) {
    for (const char* theme : {"light", "dark"})
      for (const char* view : everyView) {
        window->setTheme(theme);
        canvas(view);
        shot((when + '-' + view + '-' + theme).c_str());
      }
  };
  window = std::make_unique<MainWindow>(Request{CUTAWAY_SOURCES "/README.md", {}, {}, {}});
  window->show();
  all("uncompiled");
  open(sample());
  window->navigator().goTo(0);
  all("first-step");
  const QTemporaryDir folder;
  window->saveDocumentTo(folder.filePath("kept.json"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window->writes(); }, 10000));
  open(folder.filePath("kept.json").toStdString());
  all("saved");
}

} // namespace
} // namespace cutaway::explorer
