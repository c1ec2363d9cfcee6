#pragma once
#include "compare/difference.h"
#include "graph/graph_heat.h"
#include "graph/graph_motion.h"
#include "graph/layout_runner.h"
#include "kit/figure.h"
#include "kit/look.h"
#include "place/navigator.h"
#include "shell/accessible.h"

#include <QElapsedTimer>
#include <QThreadPool>
#include <QTimer>
#include <QWidget>

class QLabel;

namespace cutaway::views {

// The graph in a window. Wheel pans, Ctrl+wheel zooms at the cursor, a double click opens or closes a scope
// (Alt: all below), F brings the selection to the middle and F again shows all; Backspace goes back to the view before; B
// held shows the graph as it was before the step.
// Layout runs in the background: until it is there, the last picture stays.
class GraphView : public QWidget, public SpokenCanvas {
  Q_OBJECT
 public:
  GraphView(Navigator& navigator, Look& look, QWidget* parent = nullptr);

  const GraphScene* scene() const { return m_scene.get(); }
  double zoom() const { return m_zoom; }
  QPointF toScreen(QPointF p) const { return (p - m_centre) * m_zoom + QPointF(width(), height()) / 2; }
  bool settled() const { return !m_pending && !m_clock.isValid(); }
  // All of the graph, in sight or not.
  Figure figure() const;
  bool before() const { return m_showsBefore; }
  QString statusText() const; // "100 %   types"
  // What to mark against the other pane; null: nothing is compared. `letter`: that of this pane.
  void setDifference(std::shared_ptr<const Difference> difference, const QString& letter);
  QStringList crumbs() const; // scopes around the selection, or around what fires
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
  void setDrift(bool shown); // boxes coloured by drift
  void back();
  void retryLayout();
  void setBefore(bool shown); // the graph as it was before the step, until something else happens

 signals:
  void viewChanged();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void keyReleaseEvent(QKeyEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  struct Camera {
    QPointF centre;
    double zoom;
    QSet<QString> open;
  };
  void stepped(uint32_t before);
  void documentChanged();
  void lookChanged();
  void colour();
  void later(); // lay out at the next turn of the event loop
  void prepare();
  Place shown() const; // the place, or the step before it
  struct OpenScopes;
  struct Built;
  void accept(Built& built);
  void layOut();
  void showStart();
  void take(std::shared_ptr<const GraphScene> scene);
  QPointF keptShift() const;
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
  double zoomForAll() const;
  void buildStrip();
  void drawOverlay(QPainter& painter) const;
  void drawLegend(Sheet& s) const;
  QRectF seen() const { return {toScene({0, 0}), toScene(QPointF(width(), height()))}; }
  const GraphClasses* classes() const { return m_classes ? &*m_classes : nullptr; }
  QRectF minimapBox() const { return QRectF(width() - 148, height() - 108, 132, 92); }
  // The scene on the minimap: whole pixels by colour, and how it is placed there. Made once a scene and size.
  struct Minimap {
    QPointF origin;
    double scale = 1;
    QList<QRect> plain;
    std::array<QList<QRect>, 12> groups;
  };
  const Minimap& minimap() const;

  Navigator& m_navigator;
  Look& m_look;
  LayoutRunner m_runner;
  uint64_t m_asked = 0; // number of the newest request
  QTimer m_soon, m_frames;
  std::shared_ptr<const GraphScene> m_scene, m_before;
  StepMarks m_marks;
  std::shared_ptr<const Difference> m_difference;
  QString m_letter;
  std::unique_ptr<GraphLayout> m_layout; // of the next scene, until all its levels are placed
  mutable QStringList m_crumbs;
  mutable bool m_crumbsKnown = false;
  QSet<QString> m_open, m_openedByHand, m_closedByHand;
  std::optional<GraphHeat> m_heat; // of the scene
  std::optional<GraphClasses> m_classes; // of the scene, where colours tell them
  QWidget* m_strip = nullptr;      // says that the layout is plain, and offers another try
  QLabel* m_stripWords = nullptr;
  bool m_constants = false, m_drift = false, m_pending = false, m_fresh = true, m_jumped = false, m_moves = false, m_keyFocus = false, m_showsBefore = false;
  QPointF m_centre, m_fromCentre;
  double m_zoom = 1, m_fromZoom = 1;
  std::optional<Entity> m_target; // to be brought to the middle once it is laid out
  QElapsedTimer m_clock;          // of the running motion
  std::optional<Motion> m_motion;
  std::vector<Camera> m_past;
  QPointF m_press, m_last;
  enum { Idle, Pressed, Panning, OnMinimap } m_drag = Idle;
  mutable std::optional<Minimap> m_minimap;
  QThreadPool m_builder; // last: what it still does ends before the rest is gone
};

} // namespace cutaway::views
