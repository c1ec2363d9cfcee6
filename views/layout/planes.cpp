#include "layout/planes.h"

#include "kit/marks.h"
#include "kit/numbers.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

constexpr double headRoom = 34, labelRoom = 20, planeGap = 24, air = 2, stripHeight = 22;
constexpr int walked = 10, lineBytes = 64;

double luminance(const QColor& c) {
  const auto part = [](double v) { return v <= .04045 ? v / 12.92 : std::pow((v + .055) / 1.055, 2.4); };
  return .2126 * part(c.redF()) + .7152 * part(c.greenF()) + .0722 * part(c.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a) + .05, y = luminance(b) + .05;
  return std::max(x, y) / std::min(x, y);
}

} // namespace

Planes::Planes(Walk walk, QString title, QString note, bool chosen, int64_t elementBytes, std::optional<Window> window, QPointF at, double width)
    : walk_(std::move(walk)), title_(std::move(title)), note_(std::move(note)), window_(std::move(window)), words_(walk_.steps(elementBytes)), chosen_(chosen), elementBytes_(elementBytes) {
  if (window_)
    if (const QString runs = window_->inMemory(walk_, elementBytes); !runs.isEmpty()) words_.prepend("window: " + runs);
  across_ = walk_.planes > 1 ? 2 : 1;
  const int down = (walk_.planes + across_ - 1) / across_;
  const double room = (width - planeGap * (across_ - 1)) / across_;
  cellWidth_ = std::min(40., std::floor(room / walk_.columns));
  cellHeight_ = std::min(34., cellWidth_);
  stripTop_ = at.y() + headRoom + down * (labelRoom + walk_.rows * cellHeight_) + (down - 1) * 8 + 28;
  const double end = stripTop_ + stripHeight + 26 + 18 * double(words_.size());
  box_ = {at.x(), at.y(), width, end - at.y()};
}

QColor Planes::shade(const Theme& theme, int address) const { return theme.ramp(walk_.cells() > 1 ? .85 * double(address) / double(walk_.cells() - 1) : 0); }

const char* Planes::ink(const Theme& theme, const QColor& cell) const { return contrast(theme.c("text"), cell) >= contrast(theme.c("canvas"), cell) ? "text" : "canvas"; }

QRectF Planes::cell(int plane, int row, int column) const {
  const double left = box_.left() + (plane % across_) * (cellWidth_ * walk_.columns + planeGap);
  const double top = box_.top() + headRoom + labelRoom + (plane / across_) * (labelRoom + walk_.rows * cellHeight_ + 8);
  return {left + cellWidth_ * column, top + cellHeight_ * row, cellWidth_ - air, cellHeight_ - air};
}

void Planes::draw(Sheet& s) const {
  const Type title{.px = 15, .weight = 600};
  s.text({box_.left(), box_.top() + 10}, title_, title);
  if (!note_.isEmpty()) tag(s, {box_.right(), box_.top() + 10}, note_, 1, chosen_, chosen_ ? "accent" : "textMuted");
  for (int p = 0; p < walk_.planes; ++p) drawPlane(s, p);
  drawWalk(s);
  // Labels and numbers lie above the walk, on plates.
  for (int p = 0; p < walk_.planes; ++p)
    s.text({cell(p, 0, 0).left(), cell(p, 0, 0).top() - 10}, walk_.planeLabel(p), {.px = 11, .role = "textSecondary", .mono = true, .plate = s.t.c("canvas")});
  for (int p = 0; p < walk_.planes; ++p)
    for (int r = 0; r < walk_.rows; ++r)
      for (int c = 0; c < walk_.columns; ++c) {
        const QRectF box = cell(p, r, c);
        const int address = walk_.address(p, r, c);
        const QColor colour = shade(s.t, address);
        if (std::min(box.width(), box.height()) >= 16)
          s.text({box.right() - 5, box.bottom() - 8}, QString::number(address), {.px = 10, .role = ink(s.t, colour), .anchor = 1, .plate = box.width() >= 26 ? colour : QColor()});
      }
  drawStrip(s);
  double y = stripTop_ + stripHeight + 26;
  for (const QString& words : words_) s.text({box_.left(), y}, words, {.role = "textSecondary", .room = box_.width()}), y += 18;
}

void Planes::drawPlane(Sheet& s, int plane) const {
  for (int r = 0; r < walk_.rows; ++r)
    for (int c = 0; c < walk_.columns; ++c) s.rect(cell(plane, r, c), 0, {shade(s.t, walk_.address(plane, r, c))});
  QRectF frame;
  for (int r = 0; window_ && r < walk_.rows; ++r)
    for (int c = 0; c < walk_.columns; ++c)
      if (window_->holds(walk_, plane, r, c)) frame = frame.united(cell(plane, r, c));
  if (!frame.isEmpty()) s.rect(frame.adjusted(-1, -1, 1, 1), 2, {}, {s.t.c("accent"), 2});
}

void Planes::drawWalk(Sheet& s) const {
  const auto stops = walk_.first(walked);
  const auto at = [&](const Walk::Cell& c) {
    const QRectF box = cell(c.plane, c.row, c.column);
    return QPointF(box.left() + box.width() * .32, box.top() + std::min(9., box.height() / 2));
  };
  QPainterPath line;
  for (qsizetype i = 0; i < stops.size(); ++i) i ? line.lineTo(at(stops[i])) : line.moveTo(at(stops[i]));
  s.path(line, {}, {s.t.c("text"), 1.5, {}, true});
  for (qsizetype i = 0; i < stops.size(); ++i) {
    QPainterPath dot;
    dot.addEllipse(QPointF(0, 0), i ? 2.5 : 4.5, i ? 2.5 : 4.5);
    s.mark(at(stops[i]), dot, {s.t.c("text")}, {s.t.c("canvas"), .8});
  }
}

void Planes::drawStrip(Sheet& s) const {
  const auto order = walk_.first(walk_.cells());
  const double step = std::min(14., std::floor(box_.width() / double(std::max<qsizetype>(1, order.size())) * 4) / 4);
  const int line = int(std::max<int64_t>(1, lineBytes / std::max<int64_t>(1, elementBytes_)));
  s.text({box_.left(), stripTop_ - 14}, QString("Memory: the drawn elements in order; a tick every %1 bytes").arg(lineBytes), {.px = 11, .role = "textMuted", .room = box_.width()});
  for (qsizetype i = 0; i < order.size(); ++i) {
    const auto& c = order[i];
    const double x = box_.left() + step * double(i);
    s.rect({x, stripTop_, std::max(1., step - 1), stripHeight - 8}, 0, {shade(s.t, int(i))});
    if (window_ && window_->holds(walk_, c.plane, c.row, c.column)) s.rect({x, stripTop_ + stripHeight - 6, std::max(1., step - 1), 4}, 0, {s.t.c("accent")});
    if (i % line == 0) s.line({x, stripTop_ - 4}, {x, stripTop_ + stripHeight}, {s.t.c("lineStrong")});
  }
}

} // namespace cutaway::views
