#include "timeline/timeline_figure.h"

#include "kit/marks.h"
#include "kit/numbers.h"
#include "kit/paper.h"
#include "place/empty.h"
#include "place/scopes.h"
#include "timeline/kernel_table.h"
#include "timeline/overview.h"
#include "timeline/reasons.h"
#include "timeline/sums.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

using trace::RunForm;

constexpr double edge = 16, labels = 96, overviewTop = 36, sectionHead = 28, headLead = 16, sectionGap = 12, rulerRoom = 60;
constexpr size_t manyFlows = 40;
const Type headType{.px = 13, .weight = 600}, reasonType{.role = "textSecondary"};

double endOf(const std::vector<ShownRun>& runs) {
  double end = 1e-3;
  for (const ShownRun& r : runs) end = std::max(end, r.end);
  return end;
}

// Where runs are compared, so many of the first calls that their names can be read; else all of it.
TimeRange usualRange(const std::vector<ShownRun>& runs, double width, double end) {
  const ShownRun* one = withForm(runs, RunForm::one_by_one);
  if (!one || !one->host(0)) return {0, end};
  const auto& calls = one->lanes[0];
  double letters = 0;
  for (size_t i = 0; i < std::min<size_t>(12, calls.size()); ++i) letters = std::max(letters, double(std::min<qsizetype>(16, withoutNumber(qt(one->span(calls[i]).name)).size())));
  const auto shown = size_t(std::clamp(width / (20 + 6.5 * letters), 4., 16.));
  if (calls.size() <= shown + shown / 2) return {0, end};
  const double first = one->span(calls[0]).start_us, last = one->span(calls[shown]).start_us;
  const double step = tickStep(last - first, 10), from = first > last - first ? std::floor(first / step) * step : 0;
  return {from, std::min(end, std::ceil(last / step) * step)};
}

TimeRange within(TimeRange r, double end) {
  if (!std::isfinite(r.from) || !std::isfinite(r.to)) return {0, end};
  r.from = std::clamp(r.from, 0., end * (1 - 1e-6)), r.to = std::clamp(r.to, r.from + end * 1e-6, end);
  return r;
}

class Drawing {
 public:
  Drawing(std::vector<ShownRun> runs, const Place& place, const Theme& theme, QSizeF room)
      : runs_(std::move(runs)), theme_(theme), scopes_(*place.trace()), width_(onPaper(theme) ? paperWidth : room.width()), end_(endOf(runs_)),
        style_(styleFor(place, theme)), overview_(runs_, style_, overviewTop, width_ - edge) {
    double lanes = 0;
    for (const ShownRun& r : runs_) lanes += heads_.emplace_back(headOf(r)).height + Lanes(r, style_, 0).height() + sectionGap;
    sums_.emplace(runs_, theme_, QRectF(edge, 0, width_ - 2 * edge, 0));
    const double sumsRoom = 16 + sums_->height() + 32;
    double y = overviewTop + overview_.height() + 24;
    // The answer comes last, unless one had to scroll to it.
    const bool first = y + rulerRoom + lanes + sumsRoom > room.height() && !onPaper(theme);
    const auto placeSums = [&] { sumsAt_ = y, sums_->moveTo(y + 16), legendAt_ = y + 16 + sums_->height() + 8, y += sumsRoom; };
    if (first) placeSums();
    rulerAt_ = y + rulerRoom - 24;
    y += rulerRoom - 12;
    for (size_t i = 0; i < runs_.size(); ++i) {
      heads_[i].top = y;
      lanes_.emplace_back(runs_[i], style_, y + heads_[i].height);
      y += heads_[i].height + lanes_.back().height() + sectionGap;
    }
    for (const Lanes& l : lanes_) flows_ += l.flowsInView();
    if (!first) placeSums();
    const double left = onPaper(theme) ? 0 : std::max(0., room.height() - y - 8);
    const QRectF rest(edge, y, width_ - 2 * edge, left);
    if (runs_.front().run->form == RunForm::plain) table_.emplace(runs_.front(), scopes_, theme_, rest), y += table_->height();
    else reasons_.emplace(*place.trace(), scopes_, style_.selected, theme_, rest), y += reasons_->height();
    size_ = {width_, onPaper(theme) ? y + 8 : std::max(room.height(), y + 8)};
  }

  QSizeF size() const { return size_; }
  Brush brush() const { return {overview_.brushRoom(), overview_.axis().from, overview_.axis().to, {style_.axis.from, style_.axis.to}, end_}; }

  void draw(Sheet& s) const {
    s.rect(QRectF({0, 0}, size_), 0, {theme_.c("canvas")});
    timeRuler(s, style_, overview_.axis(), overviewTop - 6, "Whole run, " + style_.unit, end_);
    overview_.draw(s);
    const Stroke line{theme_.c("line")};
    s.line({edge, rulerAt_ - 36}, {width_ - edge, rulerAt_ - 36}, line);
    timeRuler(s, style_, style_.axis, rulerAt_, rangeText(), style_.axis.to);
    for (size_t i = 0; i < runs_.size(); ++i) head(s, i), lanes_[i].draw(s, flows_ <= manyFlows);
    s.line({edge, sumsAt_}, {width_ - edge, sumsAt_}, line);
    sums_->draw(s);
    s.text({edge, legendAt_}, legend(), {.px = 11, .role = "textSecondary", .room = width_ - 2 * edge});
    if (table_) table_->draw(s);
    if (reasons_) reasons_->draw(s);
  }

  QList<Hit> hits() const {
    QList<Hit> out{{overview_.brushRoom(), nothing, QString("overview of the whole run, %1; below it %2. W and S zoom, A and D move, drag chooses").arg(timeText(end_), rangeText())}};
    for (const Lanes& l : lanes_) l.addHits(out);
    if (table_) table_->addHits(out);
    if (reasons_) reasons_->addHits(out);
    return out;
  }

 private:
  LaneStyle styleFor(const Place& place, const Theme& theme) const {
    const TimeUnit unit = timeUnit(end_);
    TimeAxis axis{edge + labels, width_ - 2 * edge - labels, 0, 1};
    const TimeRange range = within(place.range ? *place.range : usualRange(runs_, axis.width, end_), end_);
    axis.from = range.from, axis.to = range.to;
    return {theme, axis, unit.name, unit.us, edge, place.selected ? std::optional(scopes_.kernelOf(*place.selected)) : std::nullopt};
  }

  QString rangeText() const {
    const auto text = [&](double us) { return number(us / style_.unitUs); };
    return QString("%1 to %2 %3").arg(text(style_.axis.from), text(style_.axis.to), style_.unit);
  }

  // What a run is, whether its times are modelled, and why it takes so long: beside the name where that has room, else below.
  struct Head {
    double top = 0, height = sectionHead, tagAt = 0, reasonAt = 0; // x
    bool below = false;
    QStringList reason;
  };
  Head headOf(const ShownRun& r) const {
    Head h;
    h.tagAt = h.reasonAt = edge + textWidth(theme_, formName(r, false), headType) + 12;
    if (r.run->modelled) h.reasonAt += textWidth(theme_, "modelled", {.px = 11, .weight = 600}) + 24;
    const QString reason = formReason(r, runs_);
    h.below = textWidth(theme_, reason, reasonType) > width_ - edge - h.reasonAt;
    h.reason = h.below ? textLines(theme_, reason, width_ - 2 * edge, reasonType) : QStringList{reason};
    if (h.below) h.reasonAt = edge, h.height += headLead * double(h.reason.size());
    return h;
  }
  void head(Sheet& s, size_t i) const {
    const Head& h = heads_[i];
    double y = h.top + sectionHead / 2;
    s.text({edge, y}, formName(runs_[i], false), headType);
    if (runs_[i].run->modelled) tag(s, {h.tagAt, y}, "modelled", -1, false, "modelled");
    if (h.below) y += headLead + 2;
    for (const QString& line : h.reason) s.text({h.reasonAt, y}, line, reasonType), y += headLead;
  }

  QString legend() const {
    QStringList out;
    if (runs_.front().run->form != RunForm::plain || runs_.front().calls > 0) out += "Grey: host calls and copies.";
    out += runs_.front().run->form == RunForm::plain ? (runs_.front().calls > 0 ? "Colour: kernels, as in the graph. Hatched: nothing to do." : "Colour: by name. Hatched: nothing to do.") : "Colour: kernels, as in the graph. Hatched: the device waits.";
    if (withForm(runs_, RunForm::planned)) out += "Dashed: planned.";
    if (flows_ > manyFlows) out += QString("%1 arrows in view: select a kernel for its own.").arg(flows_);
    return out.join(' ');
  }

  const std::vector<ShownRun> runs_;
  const Theme& theme_;
  const Scopes scopes_;
  double width_, end_;
  const LaneStyle style_;
  const Overview overview_;
  std::vector<Lanes> lanes_;
  std::vector<Head> heads_;
  double rulerAt_ = 0, sumsAt_ = 0, legendAt_ = 0;
  size_t flows_ = 0; // in view
  std::optional<Sums> sums_;
  std::optional<KernelTable> table_;
  std::optional<StreamReasons> reasons_;
  QSizeF size_;
};

} // namespace

Figure timelineFigure(const Place& place, const Theme& theme, QSizeF room) {
  room = room.expandedTo({480, 320});
  const trace::TimelinePanel* panel = timelineAt(place);
  std::vector<ShownRun> runs = panel ? shownRuns(*panel) : std::vector<ShownRun>();
  if (runs.empty()) return notRunFigure(place, onPaper(theme) ? QSizeF(paperWidth, 240) : room, "timeline", "measures each launch");
  const auto drawing = std::make_shared<Drawing>(std::move(runs), place, theme, room);
  Figure out{drawing->size(), [drawing, keep = place.document](Sheet& s) { drawing->draw(s); }, drawing->hits()};
  out.brush = drawing->brush();
  return out;
}

} // namespace cutaway::views
