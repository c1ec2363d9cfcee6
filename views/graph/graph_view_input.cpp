#include "graph/graph_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <cmath>

// Pointer and keys of the graph view.
namespace cutaway::views {

int GraphView::itemAt(QPointF p) const {
  int best = -1;
  for (size_t i = 1; m_scene && i < m_scene->box.size(); ++i)
    if (m_scene->box[i].contains(p)) best = int(i); // inner ones come later
  return best;
}

std::optional<Entity> GraphView::entityAt(QPointF p) const {
  const int at = itemAt(p);
  if (at >= 0) {
    const GraphItem& item = m_scene->model.items[size_t(at)];
    if (item.kind == GraphItem::Group)
      for (size_t row = 0; row < item.members.size(); ++row)
        if (memberBox(m_scene->box[size_t(at)], int(row)).contains(p)) return entity(item.members[row]);
    if (item.kind != GraphItem::Scope) return item.entity;
  }
  for (const SceneLink& l : m_scene->links) { // a line, within 4 px
    for (qsizetype i = 0; i + 1 < l.points.size(); ++i)
      if (QRectF(l.points[i], l.points[i + 1]).normalized().adjusted(-4, -4, 4, 4).contains(p)) return entity(l.value);
    if (l.label.contains(p)) return entity(l.value);
  }
  return {};
}

bool GraphView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && m_scene) {
    auto* help = static_cast<QHelpEvent*>(event);
    const QString words = wordsAt(toScene(help->pos()));
    if (words.isEmpty()) QToolTip::hideText();
    else QToolTip::showText(help->globalPos(), words.toHtmlEscaped().replace('\n', "<br>"), this);
    return true;
  }
  const bool done = QWidget::event(event);
  if (event->type() == QEvent::Show || event->type() == QEvent::Hide || event->type() == QEvent::Resize) spotsChanged();
  return done;
}

QString GraphView::wordsAt(QPointF p) const {
  for (const trace::GraphNote& note : m_marks.notes)
    for (const Entity e : note.entities)
      if (const QRectF b = m_scene->boxOf(e); !b.isEmpty() && QRectF(b.left() - 24, b.top(), 24, 24).contains(p)) return qt(note.title) + "\n" + qt(note.reason);
  const int at = itemAt(p);
  return at >= 0 ? spokenItem(*m_scene, at) : QString();
}

void GraphView::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ControlModifier) {
    zoomBy(std::pow(1.2, event->angleDelta().y() / 120.), event->position());
  } else {
    const QPointF d = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2 : QPointF(event->pixelDelta());
    const bool aside = event->modifiers() & Qt::ShiftModifier;
    panTo(m_centre - (aside ? QPointF(d.y(), d.x()) : d) / m_zoom);
  }
  event->accept();
}

void GraphView::mousePressEvent(QMouseEvent* event) {
  m_press = m_last = event->position();
  m_keyFocus = false;
  m_drag = width() >= 640 && minimapBox().contains(event->position()) ? OnMinimap : Pressed;
  if (m_drag == OnMinimap) mouseMoveEvent(event);
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
  const QPointF p = event->position();
  if (m_drag == OnMinimap && m_scene) return panTo((p - minimap().origin) / minimap().scale);
  if (m_drag == Pressed && (p - m_press).manhattanLength() > 4) m_drag = Panning, setCursor(Qt::ClosedHandCursor);
  if (m_drag == Panning) panTo(m_centre - (p - m_last) / m_zoom);
  m_last = p;
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  const auto was = m_drag;
  m_drag = Idle;
  unsetCursor();
  if (was == Pressed && event->button() == Qt::LeftButton && m_scene) m_navigator.select(entityAt(toScene(event->position())));
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  m_drag = Idle;
  if (!m_scene) return;
  const int at = itemAt(toScene(event->position()));
  if (at > 0 && m_scene->model.items[size_t(at)].kind == GraphItem::Scope) toggleScope(m_scene->model.items[size_t(at)].path, event->modifiers() & Qt::AltModifier);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  m_keyFocus = true;
  if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) return event->ignore();
  switch (event->key()) {
    case Qt::Key_B: return setBefore(true);
    case Qt::Key_F: return focusSelection();
    case Qt::Key_Backspace: return back();
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomBy(1.25, QPointF(width(), height()) / 2);
    case Qt::Key_Minus: return zoomBy(.8, QPointF(width(), height()) / 2);
    case Qt::Key_A: return panTo(m_centre - QPointF(80 / m_zoom, 0));
    case Qt::Key_D: return panTo(m_centre + QPointF(80 / m_zoom, 0));
    case Qt::Key_W: return panTo(m_centre - QPointF(0, 80 / m_zoom));
    case Qt::Key_S: return panTo(m_centre + QPointF(0, 80 / m_zoom));
    case Qt::Key_BracketLeft: return follow(false);
    case Qt::Key_BracketRight: return follow(true);
    case Qt::Key_Return: return openSelected();
    default: event->ignore();
  }
}

void GraphView::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_B && !event->isAutoRepeat()) setBefore(false);
  else QWidget::keyReleaseEvent(event);
}

void GraphView::focusOutEvent(QFocusEvent* event) {
  setBefore(false);
  QWidget::focusOutEvent(event);
}

void GraphView::focusInEvent(QFocusEvent* event) {
  m_keyFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  QWidget::focusInEvent(event);
}

void GraphView::resizeEvent(QResizeEvent* event) {
  m_minimap.reset();
  m_strip->setGeometry(0, 0, width(), 36);
  if (m_scene && !event->oldSize().isValid()) fit();
}

} // namespace cutaway::views
