#include "timeline/lanes.h"

#include "kit/marks.h"
#include "kit/numbers.h"
#include "kit/paper.h"
#include "place/place.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

using trace::LaneKind;
using trace::RunForm;

constexpr double laneHeight = 32, belowHost = 40, belowWaits = 20, belowOther = 8;
constexpr size_t mostHits = 40000, mostEvents = 400;

} // namespace

Lanes::Lanes(const ShownRun& run, const LaneStyle& style, double top) : run_(run), style_(style), paper_(onPaper(style.theme)) {
  double y = top;
  for (size_t i = 0; i < run.lanes.size(); ++i) {
    tops_.push_back(y);
    const bool waits = run.kind(i) == LaneKind::work && run.run->form != RunForm::plain;
    y += laneHeight + (run.host(i) && run.run->form != RunForm::plain ? belowHost : waits ? belowWaits : belowOther);
  }
  height_ = y - top;
  for (uint32_t i = 0; i < run.run->flows.size(); ++i) {
    const auto& f = run.run->flows[i];
    if (f.from < 0 || f.to < 0 || std::max(size_t(f.from), size_t(f.to)) >= run.run->spans.size()) continue;
    const Span &a = run.run->spans[size_t(f.from)], &b = run.run->spans[size_t(f.to)];
    if (run.sound(a) && run.sound(b) && a.lane != b.lane && a.start_us + a.duration_us <= style.axis.to && b.start_us >= style.axis.from && b.start_us <= style.axis.to) flows_.push_back(i);
  }
}

QRectF Lanes::box(const Span& s) const {
  const TimeAxis& a = style_.axis;
  const double left = std::clamp(a.x(s.start_us), a.left, a.right() - 1), right = std::clamp(a.x(s.start_us + s.duration_us), a.left, a.right());
  return {left, tops_[size_t(s.lane)], std::max(1., right - left - (right - left > 4 ? 1 : 0)), laneHeight};
}

QString Lanes::wordFor(const Span& s) const {
  switch (run_.kind(size_t(s.lane))) {
    case LaneKind::host: return "call";
    case LaneKind::copy: return "copy of";
    case LaneKind::work: break;
  }
  return "kernel";
}

bool Lanes::copies(const trace::TimelineRun::Flow& f) const {
  const auto copy = [&](int64_t span) { return run_.kind(size_t(run_.span(uint32_t(span)).lane)) == LaneKind::copy; };
  return copy(f.from) || copy(f.to);
}

size_t Lanes::flowsInView() const {
  return size_t(std::count_if(flows_.begin(), flows_.end(), [&](uint32_t i) { return !copies(run_.run->flows[i]); }));
}

void Lanes::draw(Sheet& s, bool all) const {
  for (size_t i = 0; i < tops_.size(); ++i) lane(s, i), waits(s, i, false);
  QPainterPath plot;
  plot.addRect(style_.axis.left, tops_.empty() ? 0 : tops_[0] - 4, style_.axis.width, height_ + 8);
  s.push({}, &plot, 1);
  for (const uint32_t i : flows_) {
    const auto& f = run_.run->flows[i];
    const Span &from = run_.span(uint32_t(f.from)), &to = run_.span(uint32_t(f.to));
    if ((all && !copies(f)) || isSelected(from) || isSelected(to)) flow(s, f);
  }
  s.pop();
  for (size_t i = 0; i < tops_.size(); ++i) spans(s, i), waits(s, i, true);
  size_t events = 0;
  for (const uint32_t i : flows_)
    if (const auto& f = run_.run->flows[i]; !run_.host(size_t(run_.span(uint32_t(f.from)).lane)) && ++events <= mostEvents) event(s, f);
  for (size_t i = 0; i < tops_.size(); ++i)
    for (const uint32_t at : run_.lanes[i])
      if (const Span& span = run_.span(at); isSelected(span) && inView(span)) selectionRing(s, box(span), 3);
}

void Lanes::lane(Sheet& s, size_t i) const {
  const TimeAxis& a = style_.axis;
  const double y = tops_[i], middle = y + laneHeight / 2;
  if (!paper_) s.rect({a.left, y, a.width, laneHeight}, 0, {style_.theme.c("sunken")});
  else s.line({a.left, y + laneHeight}, {a.right(), y + laneHeight}, {style_.theme.c("line")});
  const double room = a.left - style_.edge - 8;
  s.text({style_.edge, middle - 7}, laneName(run_, i), {.weight = 500, .room = room});
  s.text({style_.edge, middle + 8}, laneNote(run_, i), {.px = 11, .role = "textSecondary", .room = room});
}

// Where a lane that is no host's has nothing to do, to the end of the run, as hatch or in words; a host that has made its
// calls is free.
void Lanes::waits(Sheet& s, size_t i, bool words) const {
  const TimeAxis& a = style_.axis;
  const QColor ground = style_.theme.c(paper_ ? "canvas" : "sunken"), line = style_.theme.c("line");
  // Waiting must not outweigh work: themes whose lines are as dark as their text draw it paler.
  const QColor quiet = paper_ || line == style_.theme.c("text") ? mix(line, ground, .5) : line;
  if (words && (run_.run->form == RunForm::plain || run_.kind(i) == LaneKind::copy)) return;
  const auto wait = [&](double from, double to) {
    const double left = std::max(a.x(from), a.left), right = std::min(a.x(to), a.right());
    if (right - left < 6) return;
    if (!words) return s.rect(QRectF(left + 1, tops_[i] + 1, right - left - 2, laneHeight - 2), 0, {ground, Hatch::Slash, quiet, paper_ ? 22. : 14.});
    if (to >= run_.end) return;
    const double us = to - from;
    const QString text = "waits " + (us >= style_.unitUs * .095 ? tickText(us / style_.unitUs, .1) : timeText(us));
    const Type type{.px = 11, .role = "textSecondary", .anchor = 0, .plate = style_.theme.c("canvas")};
    const double half = s.width(text, type) / 2, middle = (left + right) / 2;
    if (2 * half + 6 <= right - left && middle - half >= a.left && middle + half <= a.right()) s.text({middle, tops_[i] + laneHeight + 9}, text, type);
  };
  if (run_.host(i)) {
    if (!words) return;
    const double from = run_.lanes[i].empty() ? 0 : run_.span(run_.lanes[i].back()).start_us + run_.span(run_.lanes[i].back()).duration_us;
    const QString text = "host is free from here";
    if (const double left = std::max(a.x(from), a.left) + 10; run_.run->form == RunForm::replayed && left + s.width(text, {.px = 11}) + 8 <= a.right())
      s.text({left, tops_[i] + laneHeight / 2}, text, {.px = 11, .role = "textSecondary"});
    return;
  }
  double from = 0;
  for (const uint32_t at : run_.lanes[i]) {
    const Span& span = run_.span(at);
    if (span.start_us > from) wait(from, span.start_us);
    from = std::max(from, span.start_us + span.duration_us);
  }
  if (run_.end > from) wait(from, run_.end);
}

// Boxes where there is room for them, else marks of a pixel or more, a colour at a time.
void Lanes::spans(Sheet& s, size_t i) const {
  QMap<int, QList<QRect>> marks;
  int last = -1;
  for (const uint32_t at : run_.lanes[i]) {
    const Span& span = run_.span(at);
    if (!inView(span)) continue;
    const QRectF b = box(span);
    if (b.width() >= 4) {
      drawBox(s, span, b);
    } else if (const QRect mark = s.pixels(b); mark.right() > last) {
      marks[run_.kind(i) == LaneKind::work ? span.category : -1].append(mark);
      last = mark.right();
    }
  }
  for (auto it = marks.begin(); it != marks.end(); ++it)
    s.rects(it.value(), {it.key() < 0 || paper_ ? style_.theme.c("lineStrong") : style_.theme.category(it.key()).stroke});
}

void Lanes::drawBox(Sheet& s, const Span& span, const QRectF& b) const {
  const Theme& theme = style_.theme;
  const QColor canvas = theme.c("canvas");
  if (run_.kind(size_t(span.lane)) != LaneKind::work) {
    s.rect(b, paper_ ? 0 : 2, {theme.c("raised")}, {theme.c("lineStrong")});
    name(s, span, b, theme.c("raised"));
  } else if (run_.run->form == RunForm::planned) { // outline against fill
    s.rect(b, paper_ ? 0 : 3, {canvas}, {paper_ ? theme.c("text") : theme.category(span.category).stroke, paper_ ? .8 : 1.5, {6, 2}});
    name(s, span, b, canvas);
  } else if (paper_) {
    const Fill fill = paperFill(theme, span.category);
    s.rect(b, 0, fill, {theme.c("text"), .8});
    name(s, span, b, fill.color);
  } else {
    entity(s, b, span.category, 3);
    name(s, span, b, theme.category(span.category).fill);
  }
}

void Lanes::name(Sheet& s, const Span& span, const QRectF& b, const QColor& plate) const {
  const Type type{.px = 11, .anchor = 0, .plate = plate};
  const QString whole = qt(span.name), brief = withoutNumber(whole);
  const bool launch = run_.run->form == RunForm::one_by_one && run_.host(size_t(span.lane));
  for (const QString& shown : {launch ? "launch " + brief : whole, brief})
    if (!shown.isEmpty() && b.width() >= 24 && s.width(shown, type) + 10 <= b.width()) {
      s.text(b.center(), shown, type);
      return;
    }
}

void Lanes::flow(Sheet& s, const trace::TimelineRun::Flow& f) const {
  const Span &from = run_.span(uint32_t(f.from)), &to = run_.span(uint32_t(f.to));
  const bool down = from.lane < to.lane;
  const TimeAxis& a = style_.axis;
  const auto edgeOf = [&](int64_t lane, bool bottom) { return tops_[size_t(lane)] + (bottom ? laneHeight : 0); };
  const QPointF start(a.x(from.start_us + from.duration_us), edgeOf(from.lane, down)), stop(a.x(to.start_us) + 1, edgeOf(to.lane, !down));
  const double bend = (stop.y() - start.y()) / 2;
  QPainterPath p(start);
  p.cubicTo(start + QPointF(0, bend), stop - QPointF(0, bend), stop);
  s.path(p, {}, {style_.theme.c("edge"), 1.2});
  arrowHead(s, stop, {0, bend}, "edge", 4);
}

// A small triangle on both lanes: recorded here, waited for there.
void Lanes::event(Sheet& s, const trace::TimelineRun::Flow& f) const {
  const Span &from = run_.span(uint32_t(f.from)), &to = run_.span(uint32_t(f.to));
  const bool down = from.lane < to.lane;
  const auto triangle = [&](double us, int64_t lane, bool bottom, double tip) {
    const double x = style_.axis.x(us), y = tops_[size_t(lane)] + (bottom ? laneHeight : 0);
    if (x < style_.axis.left || x > style_.axis.right()) return;
    QPainterPath p;
    p.addPolygon(QPolygonF{{-4, 0}, {4, 0}, {0, tip}, {-4, 0}});
    s.mark({x, y}, p, {style_.theme.c("text")});
  };
  triangle(from.start_us + from.duration_us, from.lane, down, down ? -6 : 6);
  triangle(to.start_us, to.lane, !down, down ? 6 : -6);
}

void Lanes::addHits(QList<Hit>& hits) const {
  size_t seen = 0;
  for (const auto& lane : run_.lanes) seen += size_t(std::count_if(lane.begin(), lane.end(), [&](uint32_t i) { return inView(run_.span(i)); }));
  for (const auto& lane : run_.lanes)
    for (const uint32_t i : lane) {
      const Span& span = run_.span(i);
      if (!inView(span) || (seen > mostHits && box(span).width() < 4)) continue;
      hits.append({box(span), span.entity,
                   QString("%1 %2 on %3, %4, starts at %5%6%7").arg(wordFor(span), qt(span.name), qt(run_.run->lanes[size_t(span.lane)].name), timeText(span.duration_us),
                   span.start_us > 0 ? timeText(span.start_us) : QString("0"), run_.run->form == RunForm::plain ? QString() : ", " + formName(run_, false).toLower(), run_.run->modelled ? ", modelled" : "")});
    }
}

} // namespace cutaway::views
