#pragma once
#include "kit/sheet.h"

namespace cutaway::views {

/// Shows nothing: measures text, and keeps where ink would fall.
class ProbeSheet : public Sheet {
 public:
  explicit ProbeSheet(const Theme& t) : Sheet(t, 1) {}
  QRectF ink;
  void push(QPointF shift, const QPainterPath*, double) override { m_shifts.append(shift), m_shift += shift; }
  void pop() override { m_shift -= m_shifts.takeLast(); }

 protected:
  void rawPath(const QPainterPath& p, const Fill&, const Stroke& s) override {
    if (!p.isEmpty()) ink |= p.boundingRect().adjusted(-s.width, -s.width, s.width, s.width).translated(m_shift);
  }
  void rawText(QPointF at, const QString&, const Type& type, const Prepared& p) override {
    ink |= QRectF(at.x(), at.y() - px(type.px), p.width, px(type.px) * 1.3).translated(m_shift);
  }

 private:
  QList<QPointF> m_shifts;
  QPointF m_shift;
};

} // namespace cutaway::views
