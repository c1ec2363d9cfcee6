// What a screen reader finds in the canvases.
#include "explorer/window_fixture.h"

#include "shell/figure_view.h"

#include <QAccessible>

namespace cutaway::explorer {
namespace {

using views::Canvas;

void expect_things(QWidget* widget, const char* what) {
  SCOPED_TRACE(what);
  auto* canvas = dynamic_cast<Canvas*>(widget);
  ASSERT_TRUE(canvas);
  QAccessibleInterface* tree = QAccessible::queryAccessibleInterface(widget);
  ASSERT_TRUE(tree && tree->isValid());
  ASSERT_FALSE(canvas->things().isEmpty());
  ASSERT_GE(tree->childCount(), canvas->things().size());
  for (int i = 0; i < canvas->things().size(); ++i) {
    QAccessibleInterface* child = tree->child(i);
    ASSERT_TRUE(child && child->isValid()) << i;
    EXPECT_EQ(child->parent(), tree);
    EXPECT_EQ(tree->indexOfChild(child), i);
    EXPECT_EQ(child->text(QAccessible::Name), canvas->things()[i].name);
    EXPECT_FALSE(child->text(QAccessible::Name).isEmpty());
    EXPECT_TRUE(child->state().focusable);
    EXPECT_FALSE(child->rect().isEmpty()) << child->text(QAccessible::Name).toStdString();
    EXPECT_EQ(child, tree->child(i)); // ids do not change while a reader holds them
  }
}

// The first thing that can be pressed; its place.
int press_one(QWidget* widget) {
  QAccessibleInterface* tree = QAccessible::queryAccessibleInterface(widget);
  for (int i = 0; i < tree->childCount(); ++i) {
    QAccessibleActionInterface* actions = tree->child(i)->actionInterface();
    if (!actions || !actions->actionNames().contains(QAccessibleActionInterface::pressAction())) continue;
    actions->doAction(QAccessibleActionInterface::pressAction());
    return i;
  }
  return -1;
}

TEST_F(WindowTest, CanvasesTellWhatTheyDraw) {
  open(sample());
  auto& at = window->navigator();
  expect_things(&window->graph(), "graph");
  at.select({});
  ASSERT_GE(press_one(&window->graph()), 0);
  EXPECT_TRUE(at.place().selected);
  for (const char* view : {"arena", "layout", "guards", "tiles", "source"}) {
    window->showView(view);
    QTest::qWait(20);
    views::FigureView* shown = nullptr;
    for (auto* v : window->findChildren<views::FigureView*>())
      if (v->isVisible() && v->accessibleName().toLower() == view) shown = v;
    ASSERT_TRUE(shown) << view;
    expect_things(shown, view);
    at.select({});
    const int pressed = press_one(shown);
    ASSERT_GE(pressed, 0) << view;
    EXPECT_TRUE(at.place().selected) << view;
    QAccessibleInterface* tree = QAccessible::queryAccessibleInterface(shown);
    tree->child(pressed)->actionInterface()->doAction(QAccessibleActionInterface::setFocusAction());
    EXPECT_TRUE(tree->child(pressed)->state().focused) << view;
    EXPECT_EQ(tree->focusChild(), tree->child(pressed)) << view;
  }
}

TEST_F(WindowTest, ASelectionBringsItsSourceIntoSight) {
  open(sample());
  auto& at = window->navigator();
  window->showView("source");
  views::FigureView* shown = nullptr;
  for (auto* v : window->findChildren<views::FigureView*>())
    if (v->isVisible() && v->accessibleName() == "Source") shown = v;
  ASSERT_TRUE(shown);
  int lit = 0;
  const auto graph = at.place().trace()->at(at.place().step);
  for (const auto& n : graph.nodes) {
    at.select(entity(n.id));
    QTest::qWait(1);
    const QRectF reveal = shown->figure().reveal;
    if (reveal.isNull()) continue;
    EXPECT_TRUE(shown->inWidget(reveal.adjusted(0, 0, 0, 17 - reveal.height())).intersects(QRectF(shown->rect()))) << n.name.str();
    ++lit;
  }
  EXPECT_GT(lit, 0);
}

} // namespace
} // namespace cutaway::explorer
