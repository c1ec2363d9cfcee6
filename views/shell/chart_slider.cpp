#include "shell/chart_slider.h"

#include "kit/marks.h"
#include "kit/numbers.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace cutaway::views {
namespace {

constexpr int curveCount = 4;
double valueOf(const trace::Metrics& m, int curve, bool timed) {
  switch (curve) {
    case 0: return double(m.nodes);
    case 1: return double(m.peak_bytes);
    case 2: return double(m.launches);
    default: return timed ? m.time_us : double(m.traffic_bytes);
  }
}

} // namespace

ChartSlider::ChartSlider(Navigator& navigator, Look& look, QWidget* parent) : QAbstractSlider(parent), m_navigator(navigator), m_look(look) {
  setOrientation(Qt::Horizontal);
  setAccessibleName("Step");
  setFocusPolicy(Qt::StrongFocus);
  connect(&navigator, &Navigator::documentChanged, this, &ChartSlider::reload);
  connect(&navigator, &Navigator::stepChanged, this, [this] { setValue(int(m_navigator.place().step)), update(); });
  connect(&look, &Look::changed, this, [this] { forgetCurves(), update(); });
  connect(this, &QAbstractSlider::valueChanged, this, [this](int value) { m_navigator.goTo(uint32_t(value)); });
  reload();
}

void ChartSlider::setCompact(bool compact) {
  m_compact = compact;
  setFixedHeight(compact ? 56 : 96);
  forgetCurves();
  update();
}

void ChartSlider::reload() {
  forgetCurves();
  m_refused.clear(), m_range = {1, 0};
  setRange(0, std::max(0, int(m_navigator.stepCount()) - 1));
  setPageStep(10);
  setValue(int(m_navigator.place().step));
  if (const trace::Trace* t = m_navigator.place().trace())
    for (const trace::Step& s : t->steps())
      if (s.refused) m_refused.push_back(s.id);
  update();
}

double ChartSlider::xOf(double step) const { return left() + (right() - left()) * step / std::max(1u, m_navigator.stepCount()); }

uint32_t ChartSlider::stepAt(double x) const {
  const double share = std::clamp((x - left()) / std::max(1., right() - left()), 0., 1.);
  return uint32_t(std::min<double>(share * m_navigator.stepCount(), std::max(0, maximum())));
}

// For each pixel its extremes and its last value, in one walk, so that 50,000 steps cost what 500 do from then on.
void ChartSlider::makeCurves() {
  const trace::Trace* t = m_navigator.place().trace();
  if (!t || !m_curves.empty()) return;
  const auto& steps = t->steps();
  const bool timed = !steps.empty() && steps.back().after.time_us >= 0;
  const size_t count = std::min(steps.size(), size_t(std::max(1., right() - left())));
  std::array<std::vector<Column>, curveCount> columns;
  for (auto& c : columns) c.resize(count);
  for (size_t i = 0; i < steps.size(); ++i)
    for (int c = 0; c < curveCount; ++c)
      if (const double v = valueOf(steps[i].after, c, timed); v >= 0) columns[size_t(c)][i * count / steps.size()].add(v);
  static const char* const names[] = {"nodes", "peak bytes", "launches", "traffic"};
  for (int c = 0; c < curveCount; ++c) m_curves.push_back(curveOf(columns[size_t(c)], c == 3 && timed ? "predicted time" : names[c]));
}

ChartSlider::Curve ChartSlider::curveOf(const std::vector<Column>& columns, const QString& name) {
  Curve curve{name, {}, false};
  double low = 1e300, high = -1e300;
  for (const Column& c : columns)
    if (c.last >= 0) low = std::min(low, c.least), high = std::max(high, c.most), curve.known = true;
  if (!curve.known) return curve;
  low -= std::max(1e-9, high - low) * .12;
  const auto y = [&](double v) { return high > low ? 1 - (v - low) / (high - low) : .5; };
  QPainterPath& line = curve.line;
  const auto to = [&line](double x, double at) {
    if (line.currentPosition() != QPointF(x, at)) line.lineTo(x, at);
  };
  for (size_t i = 0; i < columns.size(); ++i) {
    const Column& c = columns[i];
    if (c.last < 0) continue;
    const double x = double(i) / double(columns.size());
    if (line.elementCount() == 0) line.moveTo(x, y(c.last));
    to(x, line.currentPosition().y());
    if (c.least < c.last) to(x, y(c.least));
    if (c.most > c.last) to(x, y(c.most));
    to(x, y(c.last));
  }
  to(1, line.currentPosition().y());
  return curve;
}

QString ChartSlider::valueText(int curve) const {
  const trace::Step* step = m_navigator.place().at();
  if (!step) return {};
  const bool timed = m_navigator.place().trace()->steps().back().after.time_us >= 0;
  const double v = valueOf(step->after, curve, timed);
  if (v < 0) return "not yet";
  if (curve == 1 || (curve == 3 && !timed)) return byteText(int64_t(v));
  return curve == 3 ? timeText(v) : number(v);
}

void ChartSlider::drawBands(Sheet& s, double bottom) const {
  const trace::Trace* t = m_navigator.place().trace();
  const double now = xOf(double(m_navigator.place().step) + .5);
  bool dark = false;
  double taken = 0;
  for (const trace::Pass& p : t->passes()) {
    if (!changedSomething(*t, p)) continue;
    const double x = xOf(p.first), w = xOf(p.last) - x;
    const bool on = int(&p - t->passes().data()) == m_navigator.pass();
    if (dark = !dark; dark) s.rect({x, 6, w, bottom - 6}, 0, {s.t.c("sunken")});
    s.line({x, 6}, {x, bottom}, {s.t.c("line")});
    const Type type{.px = 10, .role = on ? "text" : "textMuted", .weight = on ? 600 : 400};
    const double wide = s.width(qt(p.name), type);
    double at = on && now + 10 + wide < std::min(x + w, right()) ? now + 10 : x + 4;
    if (on) {
      if (at < taken + 6) at = taken + 6;
      s.text({at, 12}, qt(p.name), type), taken = at + wide;
    } else if (wide + 8 < w && (at + wide < now - 8 || at > now + 8) && at > taken + 6) {
      s.text({at, 12}, qt(p.name), type), taken = at + wide;
    }
  }
}

// Thousands of points in each: drawn once a document, size and theme.
void ChartSlider::drawCurves(int rows, double top, double high) {
  const Theme& t = m_look.theme();
  m_picture = QPixmap(size() * devicePixelRatio());
  m_picture.setDevicePixelRatio(devicePixelRatio());
  m_picture.fill(Qt::transparent);
  QPainter painter(&m_picture);
  PainterSheet s(painter, t);
  for (int c = 0; c < rows && c < int(m_curves.size()); ++c) {
    if (!m_curves[size_t(c)].known) continue;
    const double y = top + c * high;
    const QPainterPath line = QTransform(right() - left(), 0, 0, 13, left(), y + 1).map(m_curves[size_t(c)].line);
    QPainterPath area = line;
    area.lineTo(line.currentPosition().x(), y + 15), area.lineTo(line.elementAt(0).x, y + 15);
    s.path(area, {mix(t.c("accent"), t.c("chrome"), .1)});
    s.path(line, {}, {mix(t.c("accent"), t.c("chrome"), .75), 1.2, {}, true});
  }
}

void ChartSlider::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = m_look.theme();
  painter.fillRect(rect(), t.c("chrome"));
  PainterSheet s(painter, t);
  if (!m_navigator.place().at()) {
    s.text({left(), height() / 2.}, "No steps yet", {.px = 11, .role = "textMuted"});
    return;
  }
  makeCurves();
  const int rows = m_compact ? 2 : curveCount;
  const double high = m_compact ? 14 : 17, top = 22, bottom = top + rows * high + 2;
  drawBands(s, bottom);
  if (m_range.first <= m_range.second) s.rect({xOf(m_range.first), 6, xOf(m_range.second + 1) - xOf(m_range.first), bottom - 6}, 0, {mix(t.c("accent"), t.c("chrome"), .2)}, {t.c("accent"), 1});
  for (int c = 0; c < rows && c < int(m_curves.size()); ++c) {
    const double y = top + c * high;
    s.text({left() - 12, y + 8}, m_curves[size_t(c)].name, {.px = 10, .role = "textSecondary", .anchor = 1});
    s.text({width() - 12., y + 8}, valueText(c), {.px = 11, .weight = 500, .anchor = 1});
  }
  if (m_picture.isNull()) drawCurves(rows, top, high);
  painter.drawPixmap(0, 0, m_picture);
  double lastMark = -100;
  for (const uint32_t r : m_refused) { // one for each 8 px
    const double x = xOf(r + .5);
    if (x - lastMark < 8) continue;
    glyph(s, Glyph::Refused, {x, bottom}, "refused", 3.5);
    lastMark = x;
  }
  QPainterPath handle;
  handle.addPolygon(QPolygonF({{-6, 0}, {6, 0}, {6, 5}, {.75, 10}, {.75, bottom - 2}, {-.75, bottom - 2}, {-.75, 10}, {-6, 5}}));
  s.mark({xOf(double(m_navigator.place().step) + .5), 2}, handle, {t.c("accent")});
  if (hasFocus()) s.rect({left() - 3, 3, right() - left() + 6, bottom}, 4, {}, {t.c("accent"), 2});
}

void ChartSlider::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_marking = event->modifiers() & Qt::ShiftModifier;
  const uint32_t at = stepAt(event->position().x());
  if (m_marking) m_range = {at, at}, emit rangeChanged(), update();
  else setValue(int(at));
}

void ChartSlider::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) return;
  const uint32_t at = stepAt(event->position().x());
  if (!m_marking) return setValue(int(at));
  const uint32_t other = m_range.first == m_range.second ? m_range.first : at < m_range.first ? m_range.second : m_range.first;
  m_range = {std::min(at, other), std::max(at, other)};
  emit rangeChanged();
  update();
}

void ChartSlider::wheelEvent(QWheelEvent* event) {
  m_navigator.stepBy(event->angleDelta().y() > 0 ? -1 : 1);
  event->accept();
}

// Up and Down go by passes here as everywhere; the rest is a slider's.
void ChartSlider::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) return event->ignore();
  QAbstractSlider::keyPressEvent(event);
}

bool ChartSlider::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && m_navigator.place().trace()) {
    auto* help = static_cast<QHelpEvent*>(event);
    const trace::Step& step = m_navigator.place().trace()->steps()[stepAt(help->pos().x())];
    QToolTip::showText(help->globalPos(), QString("Step %1: %2").arg(step.id + 1).arg(qt(step.title)).toHtmlEscaped(), this);
    return true;
  }
  return QAbstractSlider::event(event);
}

} // namespace cutaway::views
