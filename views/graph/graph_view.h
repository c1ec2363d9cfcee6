#pragma once
#include "compare/difference.h"
#include "graph/graph_motion.h"
#include "graph/layout_runner.h"
#include "kit/figure.h"
#include "kit/look.h"
#include "place/navigator.h"
#include "shell/accessible.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

namespace cutaway::views {

// The graph in a window. Wheel pans, Ctrl+wheel zooms at the cursor, a double click opens or closes a scope
// (Alt: all below), F brings the selection to the middle and F again shows all; Backspace goes back to the view before.
// Layout runs in the background: until it is there, the last picture stays.
class GraphView : public QWidget, public SpokenCanvas {
  Q_OBJECT
 public:
  GraphView(Navigator& navigator, Look& look, QWidget* parent = nullptr);

  const GraphScene* scene() const { return m_scene.get(); }
  double zoom() const { return m_zoom; }
  QPointF centre() const { return m_centre; }
  QPointF toScreen(QPointF p) const { return (p - m_centre) * m_zoom + QPointF(width(), height()) / 2; }
  bool settled() const { return !m_pending && !m_clock.isValid(); }
  // What is in sight, as a figure of the widget's size; whole: all of it.
  Figure figure(bool whole) const;
  QString statusText() const; // "100 %   types"
  // What to mark against the other pane; null: nothing is compared. `letter`: that of this pane.
  void setDifference(std::shared_ptr<const Difference> difference, const QString& letter);
  QStringList crumbs() const; // scopes around the selection, or around what fires
  QSet<QString> openScopes() const { return m_open; }
  QList<Spot> spots() override;
  void press(const QString& key) override; // selects; opens or closes a scope

 public slots:
  void fit();
  void focusOn(Entity entity); // opens what is around it
  void focusSelection();
  void toggleScope(const QString& path, bool deep);
  void showScope(const QString& path); // a breadcrumb
  void expandAll(bool open);
  void zoomBy(double factor, QPointF at);
  void panTo(QPointF centre);
  void setConstants(bool shown);
  void back();
  void retryLayout();

 signals:
  void viewChanged();
  void layoutTookTooLong();
  void hovered(const QString& name);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  struct Camera {
    QPointF centre;
    double zoom;
    QSet<QString> open;
  };
  void stepped(uint32_t before);
  void documentChanged();
  void later(); // lay out at the next turn of the event loop
  void layOut();
  void showStart();
  void followStep(const trace::GraphDoc& graph, bool ends);
  void take(std::shared_ptr<const GraphScene> scene);
  QString keptKey() const;
  QRectF firingBox() const;
  void startMotion(QPointF fromCentre, double fromZoom, QPointF shift);
  void finishMotion();
  void frame();
  double progress() const;
  QPointF toScene(QPointF p) const { return m_centre + (p - QPointF(width(), height()) / 2) / m_zoom; }
  int itemAt(QPointF scenePoint) const;
  std::optional<Entity> entityAt(QPointF scenePoint) const;
  QString wordsAt(QPointF scenePoint) const;
  void follow(bool forward);
  void openSelected();
  void remember();
  void drawOverlay(QPainter& painter) const;
  void drawLegend(Sheet& s) const;
  QRectF minimapBox() const { return QRectF(width() - 148, height() - 108, 132, 92); }

  Navigator& m_navigator;
  Look& m_look;
  LayoutRunner m_runner;
  QTimer m_soon, m_frames;
  std::shared_ptr<const GraphScene> m_scene, m_before;
  StepMarks m_marks;
  std::shared_ptr<const Difference> m_difference;
  QString m_letter;
  QSet<QString> m_open, m_closedByHand;
  bool m_constants = false, m_pending = false, m_fresh = true, m_moves = false, m_keyFocus = false;
  QPointF m_centre, m_fromCentre;
  double m_zoom = 1, m_fromZoom = 1;
  std::optional<Entity> m_target; // to be brought to the middle once it is laid out
  QElapsedTimer m_clock;          // of the running motion
  std::optional<Motion> m_motion;
  std::vector<Camera> m_past;
  QPointF m_press, m_last;
  enum { Idle, Pressed, Panning, Minimap } m_drag = Idle;
};

} // namespace cutaway::views
