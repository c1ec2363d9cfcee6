#include "timeline/overview.h"

#include "kit/numbers.h"
#include "kit/paper.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

constexpr double rowGap = 12, endRoom = 76, fewLanes = 2, mostStrips = 8;

// Of the strip of one lane; many lanes share their room.
double stripHeight(const ShownRun& run) { return double(run.lanes.size()) <= fewLanes ? 14 : double(run.lanes.size()) <= 4 ? 9 : 5; }
size_t strips(const ShownRun& run) { return std::min(run.lanes.size(), size_t(mostStrips)); }

} // namespace

void timeRuler(Sheet& s, const LaneStyle& style, const TimeAxis& axis, double y, const QString& title, double until) {
  const Stroke line{style.theme.c("lineStrong")};
  s.text({style.edge, y - 12}, title, {.px = 11, .role = "textSecondary", .room = axis.left - style.edge - 12});
  s.line({axis.left, y}, {axis.x(until), y}, line);
  const double from = axis.from / style.unitUs, to = until / style.unitUs, step = tickStep((axis.to - axis.from) / style.unitUs, std::max(2, int(axis.width / 72)));
  for (double i = std::ceil(from / step - 1e-9); i * step <= to * (1 + 1e-9); ++i) {
    const double at = axis.x(i * step * style.unitUs);
    s.line({at, y - 5}, {at, y}, line);
    const QString text = tickText(i * step, step);
    const double half = s.width(text, {.px = 11}) / 2;
    s.text({std::clamp(at, axis.left + half - 4, axis.right() - half + 4), y - 13}, text, {.px = 11, .role = "textSecondary", .anchor = 0});
  }
}

Overview::Overview(const std::vector<ShownRun>& runs, const LaneStyle& style, double top, double right) : runs_(runs), style_(style), top_(top) {
  for (const ShownRun& r : runs) end_ = std::max(end_, r.end), height_ += rowHeight(r) + rowGap;
  axis_ = {style.axis.left, right - style.axis.left, 0, 0};
  axis_.to = end_ * axis_.width / std::max(20., axis_.width - endRoom);
}

double Overview::rowHeight(const ShownRun& run) const { return std::max(24., double(strips(run)) * (stripHeight(run) + 2)); }

void Overview::draw(Sheet& s) const {
  const TimeAxis& shown = style_.axis;
  const bool part = shown.from > 0 || shown.to < end_ * (1 - 1e-9);
  const QRectF brush(QPointF(axis_.x(shown.from), top_), QPointF(axis_.x(std::min(shown.to, axis_.to)), top_ + height_));
  if (part) s.rect(brush, 4, {style_.theme.c("selection")});
  double y = top_ + rowGap / 2;
  for (const ShownRun& r : runs_) row(s, r, y), y += rowHeight(r) + rowGap;
  if (part) s.rect(brush, 4, {}, {style_.theme.c("accent"), 1.5});
}

void Overview::row(Sheet& s, const ShownRun& run, double y) const {
  const double each = stripHeight(run), height = rowHeight(run);
  s.text({style_.edge, y + height / 2}, formName(run, true), {.weight = 500, .room = axis_.left - style_.edge - 8});
  QMap<int, QList<QRect>> marks;
  for (size_t lane = 0; lane < strips(run); ++lane) {
    int last = -1;
    for (const uint32_t i : run.lanes[lane]) {
      const auto& span = run.span(i);
      const double left = axis_.x(span.start_us), right = axis_.x(span.start_us + span.duration_us);
      const QRect mark = s.pixels({left, y + double(lane) * (each + 2), std::max(1., right - left - (right - left > 3 ? 1 : 0)), each});
      if (mark.right() <= last) continue; // under the one before
      last = mark.right();
      marks[run.kind(lane) == trace::LaneKind::work ? span.category : -1].append(mark);
    }
  }
  for (auto it = marks.begin(); it != marks.end(); ++it)
    s.rects(it.value(), {it.key() < 0 || onPaper(style_.theme) ? style_.theme.c("lineStrong") : style_.theme.category(it.key()).stroke});
  const double end = axis_.x(run.end);
  s.line({end, y - 3}, {end, y + height + 1}, {style_.theme.c("text"), 1.5});
  s.text({end + 8, y + height / 2}, timeText(run.end), {.weight = 600});
}

} // namespace cutaway::views
