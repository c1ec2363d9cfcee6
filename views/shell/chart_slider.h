#pragma once
#include "kit/look.h"
#include "kit/sheet.h"
#include "place/navigator.h"

#include <QAbstractSlider>
#include <QPainterPath>
#include <QPixmap>

#include <algorithm>

namespace cutaway::views {

// The slider over all steps that is itself four charts: nodes, peak bytes, launches, traffic (predicted time where the
// document has it). Click or drag seeks, the wheel steps; Shift+drag marks a range.
class ChartSlider : public QAbstractSlider {
  Q_OBJECT
 public:
  ChartSlider(Navigator& navigator, Look& look, QWidget* parent = nullptr);
  // Steps marked for export; first > last: none.
  std::pair<uint32_t, uint32_t> range() const { return m_range; }
  void setCompact(bool compact);
  QSize sizeHint() const override { return {640, m_compact ? 56 : 96}; }

 signals:
  void rangeChanged();

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void resizeEvent(QResizeEvent*) override { forgetCurves(); }
  bool event(QEvent* event) override;

 private:
  struct Curve {
    QString name;
    QPainterPath line; // in 0..1 across and down
    bool known = false;
  };
  struct Column {
    double least = 1e300, most = -1, last = -1; // negative: no value known
    void add(double v) { least = std::min(least, v), most = std::max(most, v), last = v; }
  };
  double left() const { return 104; }
  double right() const { return width() - 96; }
  double xOf(double step) const;
  uint32_t stepAt(double x) const;
  void reload();
  void makeCurves();
  static Curve curveOf(const std::vector<Column>& columns, const QString& name);
  void forgetCurves() { m_curves.clear(), m_picture = {}; }
  void drawCurves(int rows, double top, double high);
  QString valueText(int curve) const;
  void drawBands(Sheet& s, double bottom) const;

  Navigator& m_navigator;
  Look& m_look;
  std::vector<Curve> m_curves;
  QPixmap m_picture; // of the curves; null: to be drawn
  std::vector<uint32_t> m_refused;
  std::pair<uint32_t, uint32_t> m_range{1, 0};
  bool m_compact = false, m_marking = false;
};

} // namespace cutaway::views
