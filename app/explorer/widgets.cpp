#include "explorer/widgets.h"

#include <QBoxLayout>
#include <QPainter>
#include <QWidget>

namespace cutaway::explorer {

void fill(QWidget* widget, std::initializer_list<QWidget*> parts, QWidget* grows) {
  auto* box = new QVBoxLayout(widget);
  box->setContentsMargins(0, 0, 0, 0), box->setSpacing(0);
  for (QWidget* part : parts) box->addWidget(part, part == grows);
}

QWidget* column(std::initializer_list<QWidget*> parts, QWidget* grows) {
  auto* widget = new QWidget;
  fill(widget, parts, grows);
  return widget;
}

QWidget* bar(int height, QMargins margins, std::initializer_list<QWidget*> left, std::initializer_list<QWidget*> right, const char* name) {
  auto* widget = new QWidget;
  widget->setObjectName(name);
  widget->setAttribute(Qt::WA_StyledBackground);
  widget->setFixedHeight(height);
  auto* box = new QHBoxLayout(widget);
  box->setContentsMargins(margins), box->setSpacing(8), box->addStrut(height); // a dock asks for the hint
  for (QWidget* w : left) box->addWidget(w);
  box->addStretch();
  for (QWidget* w : right) box->addWidget(w);
  return widget;
}

void Choice::paintEvent(QPaintEvent* event) {
  QComboBox::paintEvent(event);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(palette().color(QPalette::WindowText), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QPointF tip(width() - 15.5, height() / 2. + 2);
  painter.drawPolyline(QPolygonF{tip - QPointF(4, 4), tip, tip + QPointF(4, -4)});
}

} // namespace cutaway::explorer
