#pragma once
#include "kit/figure.h"
#include "kit/look.h"
#include "place/navigator.h"
#include "shell/accessible.h"
#include "shell/mode_switch.h"

#include <QAbstractScrollArea>
#include <QVariantAnimation>

#include <functional>

namespace cutaway::views {

using FigureMaker = std::function<Figure(const Place&, const Theme&, QSizeF room)>;

// A figure in a window: drawn for the room there is, scrolled where it is larger, to what the selection is about. Hover tells
// and lights all that stands for the same entity, a click selects, Tab goes from one thing to the next, Ctrl+Tab leaves;
// Ctrl+wheel, W and S widen it, A and D pan; a figure with a brush shows more or less of its time instead, and a drag over
// the brush chooses what. A view with several modes has a switch above. What a step changes moves in,
// where the figure knows how, until the next step or the end of its time.
class FigureView : public QAbstractScrollArea, public SpokenCanvas {
  Q_OBJECT
 public:
  FigureView(const QString& name, FigureMaker maker, Navigator& navigator, Look& look, bool zooms = true, QWidget* parent = nullptr);
  FigureView(const ViewRow& row, Navigator& navigator, Look& look, QWidget* parent = nullptr);
  const Figure& figure();
  int mode() const { return m_switch ? m_switch->current() : 0; } // an index into the row's modes
  void refresh(); // the place changed, or what the maker knows beside it
  void reveal();  // the same, and scrolls to what the selection is about
  QList<Spot> spots() override;
  void press(const QString& key) override;
  QWidgetList parts() const override { return m_switch ? QWidgetList{m_switch} : QWidgetList(); }

 protected:
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  void widen(double by, double at);
  void pan(int by); // px
  void dragTo(double us);
  double brushTime(double x) const; // of a pixel of the viewport
  int hitAt(QPoint at);
  void bars();
  void focusHit(int hit); // -1: none
  void stepped(uint32_t before);
  void scrollTo(const QRectF& box); // to its middle, unless it is in sight
  void hover(int hit);

  FigureMaker m_maker;
  Navigator& m_navigator;
  Look& m_look;
  Figure m_figure;
  QVariantAnimation m_entry; // runs while the step's change moves in
  ModeSwitch* m_switch = nullptr; // null: one mode
  std::optional<double> m_dragged;    // where a drag over the brush began, in microseconds
  std::optional<TimeRange> m_moved;   // what was shown then, where the drag moves it
  bool m_stale = true, m_reveal = false, m_zooms;
  double m_wide = 1;  // times the room's width
  int m_focused = -1; // hit reached by Tab
  int m_hovered = -1; // hit under the pointer
  bool m_byKey = false; // the focus came by Tab: a ring shows it
};

} // namespace cutaway::views
