#include "shell/figure_view.h"

#include "shell/mode_switch.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <cmath>

namespace cutaway::views {

FigureView::FigureView(const QString& name, FigureMaker maker, Navigator& navigator, Look& look, bool zooms, QWidget* parent)
    : QAbstractScrollArea(parent), SpokenCanvas(static_cast<QWidget&>(*this)), m_maker(std::move(maker)), m_navigator(navigator), m_look(look), m_zooms(zooms) {
  setFrameShape(NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(name);
  viewport()->setMouseTracking(true);
  connect(&navigator, &Navigator::documentChanged, this, &FigureView::reveal);
  connect(&navigator, &Navigator::stepChanged, this, &FigureView::stepped);
  connect(&navigator, &Navigator::selectionChanged, this, [this] { reveal(), tellSelected(); });
  connect(&navigator, &Navigator::rangeChanged, this, &FigureView::refresh);
  connect(&look, &Look::changed, this, &FigureView::refresh);
  m_entry.setStartValue(0.), m_entry.setEndValue(1.);
  connect(&m_entry, &QVariantAnimation::valueChanged, viewport(), qOverload<>(&QWidget::update));
}

FigureView::FigureView(const ViewRow& row, Navigator& navigator, Look& look, QWidget* parent)
    : FigureView(row.title, row.modes.front().figure, navigator, look, true, parent) {
  if (row.modes.size() < 2) return;
  m_switch = new ModeSwitch(row, look, this);
  setViewportMargins(0, ModeSwitch::height, 0, 0);
  connect(m_switch, &ModeSwitch::chosen, this, [this, modes = row.modes](int mode) {
    m_maker = modes[size_t(mode)].figure;
    verticalScrollBar()->setValue(0);
    refresh();
  });
}

void FigureView::stepped(uint32_t before) {
  m_reveal = true;
  refresh();
  m_entry.stop();
  const int time = m_look.duration("maxPerStep");
  if (!isVisible() || time == 0 || m_navigator.place().step != before + 1 || !figure().entry) return;
  m_entry.setDuration(time);
  m_entry.start();
}

void FigureView::reveal() {
  m_reveal = true;
  refresh();
}

void FigureView::refresh() {
  m_stale = true;
  viewport()->update();
  spotsChanged();
}

const Figure& FigureView::figure() {
  if (m_stale) {
    const QSizeF room(std::floor(viewport()->width() * m_wide), viewport()->height());
    m_figure = m_maker(m_navigator.place(), m_look.theme(), room);
    m_stale = false;
    if (m_focused >= m_figure.hits.size()) m_focused = -1;
    m_hovered = -1;
    bars();
    if (m_reveal && !m_figure.reveal.isNull()) scrollTo(m_figure.reveal);
    m_reveal = false;
  }
  return m_figure;
}

void FigureView::bars() {
  const QSize over = m_figure.size.toSize() - viewport()->size();
  horizontalScrollBar()->setRange(0, std::max(0, over.width()));
  verticalScrollBar()->setRange(0, std::max(0, over.height()));
  horizontalScrollBar()->setPageStep(viewport()->width()), verticalScrollBar()->setPageStep(viewport()->height());
  horizontalScrollBar()->setSingleStep(40), verticalScrollBar()->setSingleStep(40);
}

void FigureView::scrollTo(const QRectF& box) {
  const QRectF seen(horizontalScrollBar()->value(), verticalScrollBar()->value(), viewport()->width(), viewport()->height());
  if (seen.contains(box)) return;
  const auto scroll = [](QScrollBar* bar, double from, double size, double room) { bar->setValue(int(size > room ? from - 48 : from + size / 2 - room / 2)); };
  scroll(horizontalScrollBar(), box.left(), box.width(), seen.width());
  scroll(verticalScrollBar(), box.top(), box.height(), seen.height());
}

void FigureView::hover(int hit) {
  if (hit == m_hovered) return;
  m_hovered = hit;
  viewport()->update();
}

void FigureView::paintEvent(QPaintEvent*) {
  const Figure& figure = this->figure();
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), m_look.theme().c(m_zooms ? "canvas" : "chrome"));
  painter.translate(-horizontalScrollBar()->value(), -verticalScrollBar()->value());
  PainterSheet sheet(painter, m_look.theme());
  if (figure.entry && m_entry.state() == QAbstractAnimation::Running) figure.entry(sheet, m_entry.currentValue().toDouble());
  else if (figure.draw) figure.draw(sheet);
  if (m_hovered >= 0 && figure.hits[m_hovered].entity != nothing)
    for (const Hit& hit : figure.hits)
      if (hit.entity == figure.hits[m_hovered].entity) sheet.rect(hit.box, 2, {}, {m_look.theme().c("accent"), 1});
  painter.resetTransform();
  const QRectF ring = m_focused >= 0 ? figure.hits[m_focused].box.translated(-horizontalScrollBar()->value(), -verticalScrollBar()->value()).adjusted(-3, -3, 3, 3) : QRectF(viewport()->rect());
  if (m_focused >= 0 || (hasFocus() && m_byKey)) sheet.rect(ring & QRectF(viewport()->rect()).adjusted(2, 2, -2, -2), 4, {}, {m_look.theme().c("accent"), 2});
}

void FigureView::resizeEvent(QResizeEvent*) {
  if (m_switch) m_switch->setGeometry(0, 0, width(), ModeSwitch::height);
  refresh();
}

void FigureView::showEvent(QShowEvent* event) {
  QAbstractScrollArea::showEvent(event);
  spotsChanged();
}

void FigureView::hideEvent(QHideEvent* event) {
  QAbstractScrollArea::hideEvent(event);
  spotsChanged();
}

void FigureView::scrollContentsBy(int dx, int dy) {
  QAbstractScrollArea::scrollContentsBy(dx, dy);
  spotsChanged();
}

QList<Spot> FigureView::spots() {
  const QPoint corner(horizontalScrollBar()->value(), verticalScrollBar()->value());
  QHash<QString, int> met;
  QList<Spot> out;
  for (qsizetype i = 0; i < figure().hits.size(); ++i) {
    const Hit& hit = m_figure.hits[i];
    const QString entity = QString::fromStdString(entity_key(hit.entity));
    const QString key = QString("%1#%2").arg(entity).arg(met[entity]++); // several may stand for one entity
    const QRect box = hit.box.toAlignedRect().translated(-corner) & viewport()->rect();
    if (box.isEmpty()) continue;
    const bool able = hit.entity != nothing;
    out.append({key, hit.name, box.translated(viewport()->pos()), able, able && m_navigator.place().selected == hit.entity, hasFocus() && i == m_focused});
  }
  return out;
}

void FigureView::press(const QString& key) {
  Entity entity;
  if (parse_entity_key(key.section('#', 0, 0).toStdString(), entity)) m_navigator.select(entity);
}

int FigureView::hitAt(QPoint at) {
  const QPointF p = at + QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value());
  const auto& hits = figure().hits;
  for (qsizetype i = hits.size(); i-- > 0;)
    if (hits[i].box.contains(p)) return int(i);
  return -1;
}

bool FigureView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const int hit = hitAt(help->pos());
    if (hit >= 0) QToolTip::showText(help->globalPos(), figure().hits[hit].name.toHtmlEscaped().replace('\n', "<br>"), this);
    else QToolTip::hideText();
    return true;
  }
  if (event->type() == QEvent::MouseMove) hover(hitAt(static_cast<QMouseEvent*>(event)->pos()));
  if (event->type() == QEvent::Leave) hover(-1);
  return QAbstractScrollArea::viewportEvent(event);
}

void FigureView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  m_byKey = false;
  focusHit(-1);
  const QPointF at = event->position() + QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value());
  if (const auto& brush = figure().brush; brush && brush->box.contains(at)) {
    m_dragged = brushTime(event->position().x());
    const bool part = brush->shown.from > 0 || brush->shown.to < brush->end;
    if (part && *m_dragged >= brush->shown.from && *m_dragged <= brush->shown.to) m_moved = brush->shown;
    return;
  }
  const int hit = hitAt(event->pos());
  if (hit < 0) m_navigator.select({});
  else if (figure().hits[hit].entity != nothing) m_navigator.select(figure().hits[hit].entity);
}

void FigureView::mouseMoveEvent(QMouseEvent* event) {
  if (m_dragged && event->buttons() & Qt::LeftButton) dragTo(brushTime(event->position().x()));
}

// A press without a drag shows what is there, as wide as before.
void FigureView::mouseReleaseEvent(QMouseEvent* event) {
  if (!m_dragged) return event->ignore();
  if (const auto& brush = figure().brush; brush && !m_moved && brush->shown.to - brush->shown.from < (brush->to - brush->from) * 3 / std::max(1., brush->box.width())) {
    const double half = brush->end / 20;
    m_navigator.setRange(TimeRange{std::max(0., *m_dragged - half), std::min(brush->end, *m_dragged + half)});
  }
  m_dragged.reset(), m_moved.reset();
}

double FigureView::brushTime(double x) const {
  const Brush& b = *m_figure.brush;
  return std::clamp(b.from + (b.to - b.from) * (x + horizontalScrollBar()->value() - b.box.left()) / std::max(1., b.box.width()), 0., b.end);
}

void FigureView::dragTo(double us) {
  const auto& brush = figure().brush;
  if (!brush) return;
  if (m_moved) {
    const double by = std::clamp(us - *m_dragged, -m_moved->from, brush->end - m_moved->to);
    return m_navigator.setRange(TimeRange{m_moved->from + by, m_moved->to + by});
  }
  m_navigator.setRange(TimeRange{std::min(us, *m_dragged), std::max(us, *m_dragged)});
}

void FigureView::widen(double by, double at) {
  if (!m_zooms) return;
  if (const auto& brush = figure().brush) {
    const TimeRange& r = brush->shown;
    const double wide = std::clamp((r.to - r.from) / by, brush->end * 1e-5, brush->end), part = std::clamp(at / std::max(1, viewport()->width()), 0., 1.);
    const double from = std::clamp(r.from + (r.to - r.from - wide) * part, 0., brush->end - wide);
    return m_navigator.setRange(TimeRange{from, from + wide});
  }
  const double old = m_wide, place = horizontalScrollBar()->value() + at;
  m_wide = std::clamp(m_wide * by, 1., 64.);
  if (m_wide == old) return;
  refresh();
  figure();
  horizontalScrollBar()->setValue(int(place * m_wide / old - at));
}

void FigureView::pan(int by) {
  if (const auto& brush = figure().brush) {
    const TimeRange& r = brush->shown;
    const double shift = std::clamp((r.to - r.from) * by / std::max(1, viewport()->width()), -r.from, brush->end - r.to);
    return m_navigator.setRange(TimeRange{r.from + shift, r.to + shift});
  }
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() + by);
}

void FigureView::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ControlModifier) {
    widen(std::pow(1.2, event->angleDelta().y() / 120.), event->position().x());
    return event->accept();
  }
  QAbstractScrollArea::wheelEvent(event);
}

void FigureView::keyPressEvent(QKeyEvent* event) {
  if (const bool on = event->key() == Qt::Key_Tab; (on || event->key() == Qt::Key_Backtab) && event->modifiers() & Qt::ControlModifier) {
    focusHit(-1);
    QAbstractScrollArea::focusNextPrevChild(on);
    return;
  }
  if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) return event->ignore();
  switch (event->key()) {
    case Qt::Key_W: return widen(1.25, viewport()->width() / 2.);
    case Qt::Key_S: return widen(.8, viewport()->width() / 2.);
    case Qt::Key_A: return pan(-80);
    case Qt::Key_D: return pan(80);
    case Qt::Key_PageDown: return verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepAdd);
    case Qt::Key_PageUp: return verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepSub);
    case Qt::Key_Return:
      if (m_focused >= 0) return m_navigator.select(figure().hits[m_focused].entity);
      break;
    default: break;
  }
  event->ignore();
}

void FigureView::focusHit(int hit) {
  m_focused = hit;
  viewport()->update();
  spotsChanged(), tellFocused();
}

void FigureView::focusInEvent(QFocusEvent* event) {
  m_byKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void FigureView::focusOutEvent(QFocusEvent* event) {
  focusHit(-1);
  QAbstractScrollArea::focusOutEvent(event);
}

bool FigureView::focusNextPrevChild(bool next) {
  const int count = int(figure().hits.size());
  const int to = m_focused < 0 ? (next ? 0 : -1) : m_focused + (next ? 1 : -1);
  if (!hasFocus() || to < 0 || to >= count) {
    focusHit(-1);
    return QAbstractScrollArea::focusNextPrevChild(next);
  }
  scrollTo(figure().hits[to].box);
  focusHit(to);
  return true;
}

} // namespace cutaway::views
