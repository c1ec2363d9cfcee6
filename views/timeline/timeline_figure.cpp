#include "timeline/timeline_figure.h"

#include "kit/marks.h"
#include "kit/numbers.h"
#include "kit/paper.h"
#include "place/empty.h"
#include "place/scopes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cutaway::views {
namespace {

constexpr double edge = 16, labels = 96, busyColumn = 56, laneHeight = 32, laneGap = 8, rowHeight = 24;
constexpr double rulerAt = 36, stripAt = 48, stripHeight = 24, firstLane = 112;
constexpr size_t fewestRows = 5, mostRows = 40, manyFlows = 40;

using Span = trace::TimelinePanel::Span;

// "conv3" of "K4 conv3", where the whole does not fit.
QString withoutNumber(const QString& name) { return name.startsWith('K') ? name.section(' ', 1) : name; }

// All the time that one kernel took, over the lanes that are no host's.
struct Total {
  QString name, scope;
  Entity entity;
  int category = 0;
  double us = 0;
};

class Drawing {
 public:
  Drawing(const trace::TimelinePanel& panel, const trace::Trace& trace, const Theme& theme, const std::optional<Entity>& selected, QSizeF room)
      : panel_(panel), theme_(theme), paper_(onPaper(theme)) {
    const Scopes scopes(trace);
    if (selected) selected_ = scopes.kernelOf(*selected);
    for (const Span& s : panel.spans)
      if (drawn(s)) spans_.push_back(s), end_ = std::max(end_, s.start_us + s.duration_us);
    unit_ = timeUnit(end_);
    count(scopes);
    const double lanesEnd = firstLane + double(panel.lanes.size()) * (laneHeight + laneGap);
    const double table = lanesEnd - laneGap + 60, fit = ((paper_ ? 0 : room.height()) - table - 8) / rowHeight;
    rows_ = std::min(totals_.size(), std::clamp(size_t(std::max(0., fit)), fewestRows, mostRows));
    const double wanted = table + double(rows_) * rowHeight + 8;
    size_ = paper_ ? QSizeF(paperWidth, wanted) : QSizeF(room.width(), std::max(room.height(), wanted));
    plot_ = QRectF(edge + labels, firstLane, size_.width() - 2 * edge - labels - busyColumn, lanesEnd - laneGap - firstLane);
  }

  QSizeF size() const { return size_; }

  void draw(Sheet& s) const {
    s.rect(QRectF({0, 0}, size_), 0, {theme_.c("canvas")});
    ruler(s);
    overview(s);
    for (size_t i = 0; i < panel_.lanes.size(); ++i) lane(s, i);
    waits(s);
    spans(s);
    flows(s);
    if (selected_)
      for (const Span& span : spans_)
        if (span.entity == *selected_) selectionRing(s, box(span), 3);
    table(s);
  }

  QList<Hit> hits() const {
    QList<Hit> out;
    for (const Span& s : spans_) {
      const QString lane = qt(panel_.lanes[size_t(s.lane)]);
      out.append({box(s), s.entity, QString("%1 %2 on %3, %4, starts at %5%6").arg(host(s.lane) ? "call for" : "kernel", qt(s.name), lane, timeText(s.duration_us),
                  s.start_us > 0 ? timeText(s.start_us) : QString("0"), panel_.modelled ? ", modelled" : "")});
    }
    for (size_t i = 0; i < rows_; ++i)
      out.append({row(i), totals_[i].entity, QString("kernel %1, %2 in all").arg(totals_[i].name, timeText(totals_[i].us))});
    return out;
  }

 private:
  // Of a lane that is there, at a time on the clock.
  bool drawn(const Span& s) const { return size_t(s.lane) < panel_.lanes.size() && s.start_us >= 0 && s.duration_us >= 0 && std::isfinite(s.start_us + s.duration_us); }
  bool host(int64_t lane) const { return panel_.lanes[size_t(lane)].str().starts_with("host"); }
  double x(double us) const { return plot_.left() + plot_.width() * us / end_; }
  double top(int64_t lane) const { return plot_.top() + double(lane) * (laneHeight + laneGap); }
  QRectF box(const Span& s) const {
    const double left = x(s.start_us), right = x(s.start_us + s.duration_us);
    return {left, top(s.lane), std::max(1., right - left - (right - left > 4 ? 1 : 0)), laneHeight};
  }
  QRectF row(size_t i) const { return {edge, plot_.bottom() + 60 + double(i) * rowHeight, size_.width() - 2 * edge, rowHeight}; }

  void count(const Scopes& scopes) {
    busy_.resize(panel_.lanes.size());
    calls_.resize(panel_.lanes.size());
    std::map<Entity, Total> sums;
    for (const Span& s : spans_) {
      busy_[size_t(s.lane)] += s.duration_us, ++calls_[size_t(s.lane)];
      if (host(s.lane)) continue;
      Total& t = sums[s.entity];
      t.name = qt(s.name), t.entity = s.entity, t.category = s.category, t.us += s.duration_us;
      work_ += s.duration_us;
    }
    for (const auto& [entity, total] : sums) totals_.push_back(total), totals_.back().scope = scopes.of(entity);
    std::stable_sort(totals_.begin(), totals_.end(), [](const Total& a, const Total& b) { return a.us > b.us; });
  }

  void ruler(Sheet& s) const {
    const Stroke axis{theme_.c("lineStrong")};
    s.text({edge, rulerAt - 14}, "whole run, " + unit_.name, {.px = 11, .role = "textSecondary"});
    const double range = end_ / unit_.us, step = tickStep(range, std::max(2, int(plot_.width() / 72)));
    s.line({plot_.left(), rulerAt}, {plot_.right(), rulerAt}, axis);
    for (int i = 0; i * step <= range * (1 + 1e-9); ++i) {
      const double at = x(i * step * unit_.us);
      if (!paper_) s.line({at, rulerAt}, {at, plot_.bottom()}, {theme_.c("grid")});
      s.line({at, rulerAt - 5}, {at, rulerAt}, axis);
      s.text({at, rulerAt - 14}, tickText(i * step, step), {.px = 11, .role = "textSecondary", .anchor = 0});
    }
    if (panel_.modelled) tag(s, {edge, rulerAt + 24}, "modelled", -1, false, "modelled");
    s.text({size_.width() - edge, firstLane - 14}, "busy", {.px = 11, .role = "textSecondary", .anchor = 1});
  }

  // Every lane as a row of the strip, and where the run ends.
  void overview(Sheet& s) const {
    s.rect({plot_.left(), stripAt, plot_.width(), stripHeight}, 0, {theme_.c("sunken")});
    const double each = std::max(1., (stripHeight - 4) / double(std::max<size_t>(1, panel_.lanes.size())));
    QMap<int, QList<QRect>> marks;
    for (const Span& span : spans_) {
      const double y = stripAt + 2 + std::min(double(span.lane) * each, stripHeight - 5);
      marks[host(span.lane) ? -1 : span.category].append(s.pixels({x(span.start_us), y, std::max(1., x(span.duration_us) - plot_.left()), std::max(1., each - 1)}));
    }
    for (auto it = marks.begin(); it != marks.end(); ++it)
      s.rects(it.value(), {it.key() < 0 || paper_ ? theme_.c("lineStrong") : theme_.category(it.key()).stroke});
    s.line({plot_.right(), stripAt - 4}, {plot_.right(), stripAt + stripHeight + 4}, {theme_.c("text"), 1.5});
    s.text({size_.width() - edge, stripAt + stripHeight / 2}, timeText(end_), {.weight = 600, .anchor = 1});
    if (!panel_.modelled) s.text({edge, stripAt + stripHeight / 2}, "measured", {.px = 11, .role = "textMuted"});
    s.line({edge, stripAt + stripHeight + 12}, {size_.width() - edge, stripAt + stripHeight + 12}, {theme_.c("line")});
  }

  void lane(Sheet& s, size_t i) const {
    const double y = top(int64_t(i)), middle = y + laneHeight / 2;
    if (!paper_) s.rect({plot_.left(), y, plot_.width(), laneHeight}, 0, {theme_.c("sunken")});
    else s.line({plot_.left(), y + laneHeight}, {plot_.right(), y + laneHeight}, {theme_.c("line")});
    s.text({edge, middle - 7}, qt(panel_.lanes[i]), {.weight = 600, .room = labels - 8});
    s.text({edge, middle + 8}, host(int64_t(i)) ? QString("%1 calls").arg(calls_[i]) : calls_[i] ? timeText(busy_[i]) : "idle", {.px = 11, .role = "textSecondary", .room = labels - 8});
    s.text({size_.width() - edge, middle}, QString::number(std::lround(100 * busy_[i] / end_)) + " %", {.anchor = 1});
  }

  // Where a lane that is no host's has nothing to do, to the end of the run.
  void waits(Sheet& s) const {
    std::vector<std::vector<std::pair<double, double>>> busy(panel_.lanes.size());
    for (const Span& span : spans_) busy[size_t(span.lane)].push_back({span.start_us, span.start_us + span.duration_us});
    for (size_t i = 0; i < busy.size(); ++i) {
      if (host(int64_t(i))) continue;
      std::sort(busy[i].begin(), busy[i].end());
      busy[i].push_back({end_, end_});
      double from = 0;
      for (const auto& [start, stop] : busy[i]) {
        if (x(start) - x(from) >= 12) wait(s, int64_t(i), from, start);
        from = std::max(from, stop);
      }
    }
  }
  void wait(Sheet& s, int64_t lane, double from, double to) const {
    const QRectF box(x(from) + 1, top(lane) + 1, x(to) - x(from) - 2, laneHeight - 2);
    const QColor ground = theme_.c(paper_ ? "canvas" : "sunken");
    s.rect(box, 0, {ground, Hatch::Slash, theme_.c("line"), 14});
    const QString words = "waits " + timeText(to - from);
    const Type type{.px = 11, .role = "textSecondary", .anchor = 0, .plate = ground};
    if (s.width(words, type) + 14 <= box.width()) s.text(box.center(), words, type);
  }

  // Boxes where there is room for them, else marks of a pixel or more, a colour at a time.
  void spans(Sheet& s) const {
    QMap<int, QList<QRect>> marks;
    for (const Span& span : spans_) {
      const QRectF b = box(span);
      if (b.width() < 4) marks[host(span.lane) ? -1 : span.category].append(s.pixels(b));
      else drawBox(s, span, b);
    }
    for (auto it = marks.begin(); it != marks.end(); ++it)
      s.rects(it.value(), {it.key() < 0 || paper_ ? theme_.c("lineStrong") : theme_.category(it.key()).stroke});
  }
  void drawBox(Sheet& s, const Span& span, const QRectF& b) const {
    QColor plate = theme_.c("raised");
    if (host(span.lane)) {
      s.rect(b, paper_ ? 0 : 2, {plate}, {theme_.c("lineStrong")});
    } else if (paper_) {
      const Fill fill = paperFill(theme_, span.category);
      s.rect(b, 0, fill, {theme_.c("text"), .8});
      plate = fill.color;
    } else {
      entity(s, b, span.category, 3);
      plate = theme_.category(span.category).fill;
    }
    const Type type{.px = 11, .anchor = 0, .plate = plate};
    const QString name = qt(span.name);
    for (const QString& shown : {name, withoutNumber(name)})
      if (!shown.isEmpty() && b.width() >= 24 && s.width(shown, type) + 14 <= b.width()) {
        s.text(b.center(), shown, type);
        return;
      }
  }

  void flows(Sheet& s) const {
    for (const trace::TimelinePanel::Flow& f : panel_.flows) {
      if (std::max(size_t(f.from), size_t(f.to)) >= panel_.spans.size()) continue;
      const Span &from = panel_.spans[size_t(f.from)], &to = panel_.spans[size_t(f.to)];
      if (!drawn(from) || !drawn(to)) continue;
      if (panel_.flows.size() > manyFlows && !(selected_ && (from.entity == *selected_ || to.entity == *selected_))) continue;
      const QRectF a = box(from), b = box(to);
      const QPointF start = from.lane < to.lane ? a.bottomRight() : a.topRight(), stop = from.lane < to.lane ? b.topLeft() : b.bottomLeft();
      const double bend = (stop.y() - start.y()) / 2;
      QPainterPath p(start);
      p.cubicTo(start + QPointF(0, bend), stop - QPointF(0, bend), stop);
      s.path(p, {}, {theme_.c("edge"), 1.2});
      arrowHead(s, stop, {0, bend}, "edge", 4);
    }
  }

  // Where the time went: bars right of the numbers.
  void table(Sheet& s) const {
    const double y = plot_.bottom() + 24;
    s.line({edge, y}, {size_.width() - edge, y}, {theme_.c("line")});
    if (totals_.empty()) return;
    const double numbers = std::min(edge + 420, size_.width() - 190), share = numbers + 64, bars = share + 16;
    const double room = std::min(640., size_.width() - edge - bars);
    const Type right{.px = 11, .role = "textSecondary", .anchor = 1};
    s.text({edge, y + 18}, rows_ < totals_.size() ? QString("Longest %1 of %2 kernels").arg(rows_).arg(totals_.size()) : QString("Kernels, the longest first"), {.weight = 600, .room = numbers - 80 - edge});
    s.text({numbers, y + 18}, "time", right);
    s.text({share, y + 18}, "share", right);
    for (size_t i = 0; i < rows_; ++i) {
      const Total& t = totals_[i];
      const double middle = row(i).center().y(), part = t.us / std::max(work_, 1e-9);
      if (paper_) s.rect({edge, middle - 5, 10, 10}, 0, paperFill(theme_, t.category), {theme_.c("text"), .8});
      else s.rect({edge, middle - 5, 10, 10}, 0, {theme_.category(t.category).stroke});
      nameIn(s, {edge + 18, middle}, numbers - 64 - edge - 18, t.name, t.scope);
      s.text({numbers, middle}, timeText(t.us), {.anchor = 1});
      s.text({share, middle}, (part > 0 && part < .0005 ? "<0.1" : tickText(100 * part, .1)) + " %", {.anchor = 1});
      if (room >= 40) s.rect({bars, middle - 5, std::max(1., room * t.us / totals_[0].us), 10}, 0, {paper_ ? theme_.c("lineStrong") : theme_.category(t.category).stroke});
    }
  }

  const trace::TimelinePanel& panel_;
  const Theme& theme_;
  std::optional<Entity> selected_; // the kernel of a selected op
  bool paper_;
  double end_ = 1e-3, work_ = 0;
  TimeUnit unit_;
  std::vector<Span> spans_; // those that can be drawn
  size_t rows_ = 0;
  std::vector<double> busy_;
  std::vector<int> calls_;
  std::vector<Total> totals_;
  QSizeF size_;
  QRectF plot_;
};

} // namespace

Figure timelineFigure(const Place& place, const Theme& theme, QSizeF room) {
  room = room.expandedTo({480, 320});
  const trace::TimelinePanel* panel = place.trace() ? place.trace()->panel<trace::TimelinePanel>(place.step) : nullptr;
  if (!panel || panel->lanes.empty()) {
    return notRunFigure(place, onPaper(theme) ? QSizeF(paperWidth, 240) : room, "timeline", "measures each launch");
  }
  const auto drawing = std::make_shared<Drawing>(*panel, *place.trace(), theme, place.selected, room);
  return {drawing->size(), [drawing, keep = place.document](Sheet& s) { drawing->draw(s); }, drawing->hits()};
}

} // namespace cutaway::views
