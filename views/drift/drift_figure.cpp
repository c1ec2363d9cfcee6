#include "drift/drift_figure.h"

#include "drift/bands.h"
#include "drift/card.h"
#include "kit/marks.h"
#include "kit/numbers.h"
#include "kit/paper.h"
#include "place/empty.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

constexpr double edge = 16, leftMargin = 60, rightMargin = 84, topMargin = 44, axisHeight = 30;
constexpr double tableHead = 52, rowHeight = 24, lowestPlot = 200;
constexpr size_t worstShown = 5;
constexpr int mostPlaceLabels = 24;

// The page under the plot: the axis' labels, and the table.
double belowPlot(size_t rows) { return axisHeight + tableHead + double(rows) * rowHeight + edge; }

class Drawing {
 public:
  Drawing(const trace::SeriesPanel& panel, const trace::Trace& trace, const Theme& theme, const std::optional<Entity>& selected, QSizeF size)
      : size_(size), rows_(std::min(worstShown, panel.places.size())),
        chart_(panel, {leftMargin, topMargin, size.width() - leftMargin - rightMargin, size.height() - topMargin - belowPlot(rows_)}), theme_(theme), scopes_(trace),
        selected_(selected), paper_(onPaper(theme)), plot_(chart_.plot), place_(placeOfCard(chart_)), bands_(scopeBands(scopes_, panel.entities, std::max(2, int(plot_.width() / 42)))) {
    if (place_) about_ = {scopes_.of(panel.entities[*place_]), origin(panel.entities[*place_], trace)};
  }

  void draw(Sheet& s) const {
    s.rect(QRectF({0, 0}, size_), 0, {theme_.c("canvas")});
    bands(s);
    axes(s);
    if (bands_.isEmpty()) placeLabels(s);
    const std::optional<Card> card = place_ ? std::optional(cardOf(s, chart_, *place_, about_)) : std::nullopt;
    drawLimit(s, chart_, card ? card->box : QRectF());
    selection(s);
    curve(s, chart_.eager, true);
    curve(s, chart_.compiled, false);
    names(s);
    if (card) drawCard(s, chart_, *card);
    else if (chart_.size()) s.text({plot_.center().x(), plot_.bottom() - 14}, "no compiled value drifts", {.role = "textSecondary", .anchor = 0});
    table(s);
  }

  QList<Hit> hits() const {
    QList<Hit> out;
    const double half = std::max(2., chart_.slot() / 2);
    for (size_t i = 0; i < chart_.size(); ++i) out.append({{chart_.x(i) - half, plot_.top(), 2 * half, plot_.height()}, chart_.panel.entities[i], spoken(i)});
    for (size_t r = 0; r < rows_; ++r) out.append({row(r), chart_.panel.entities[chart_.worst()[r]], spoken(chart_.worst()[r])});
    return out;
  }

 private:
  QRectF row(size_t r) const { return {edge, plot_.bottom() + axisHeight + tableHead - 8 + double(r) * rowHeight, size_.width() - 2 * edge, rowHeight}; }
  QString name(size_t i) const { return qt(chart_.panel.places[i]); }
  QString spoken(size_t i) const {
    return QString("value of %1: eager %2 ulp, compiled %3 ulp, %4 of %5").arg(name(i), ulpText(chart_.eager[i]), ulpText(chart_.compiled[i]),
           chart_.over(i) ? "over the limit" : "within the limit", ulpText(chart_.limit(i)));
  }

  // The pass and the rule that made an op: the first step after which it is there.
  static QString origin(const Entity& op, const trace::Trace& trace) {
    const auto& steps = trace.steps();
    if (op.kind != Entity::Kind::op || steps.empty()) return {};
    const auto there = [&](const trace::Step& step) { return trace.at(step.id).nodes.contains(NodeId(op.id)); };
    const auto made = std::partition_point(steps.begin(), steps.end(), [&](const trace::Step& step) { return !there(step); });
    if (made == steps.end()) return {};
    if (made == steps.begin()) return "as imported, no pass rewrote it";
    return QString("made by pass %1, rule %2").arg(qt(trace.passes()[made->pass].name), qt(made->code));
  }

  // The scopes of the model, every other one shaded; ticks where a theme has no shade.
  void bands(Sheet& s) const {
    const bool shaded = !paper_ && theme_.c("chrome") != theme_.c("canvas");
    for (qsizetype i = 0; i < bands_.size(); ++i) {
      const double left = plot_.left() + chart_.slot() * double(bands_[i].first), right = plot_.left() + chart_.slot() * double(bands_[i].last);
      if (!shaded) s.line({left, plot_.bottom()}, {left, plot_.bottom() + 6}, {theme_.c("lineStrong")});
      else if (i % 2) s.rect({left, plot_.top(), right - left, plot_.height()}, 0, {theme_.c("chrome")});
      const Type type{.px = 11, .role = "textSecondary", .anchor = 0, .room = right - left - 6};
      const bool whole = s.width(bands_[i].name, type) <= type.room; // "part 1..." would be another part's name
      if (whole || !bands_[i].name.contains(' ')) s.text({(left + right) / 2, plot_.bottom() + 16}, bands_[i].name, type);
    }
  }

  void axes(Sheet& s) const {
    const Type numbers{.px = 11, .role = "textSecondary", .anchor = 1};
    const Stroke axis{theme_.c("lineStrong")};
    s.text({edge, 20}, "distance from float64, ulp of the largest element (log)", {.px = 11, .role = "textSecondary", .room = size_.width() - 2 * edge});
    for (const int power : chart_.ticks()) {
      const double ulp = std::exp2(power), at = chart_.y(ulp);
      if (!paper_) s.line({plot_.left(), at}, {plot_.right(), at}, {theme_.c("grid")});
      s.text({plot_.left() - 8, at}, power >= 20 ? ulpText(ulp) : power >= 0 ? number(ulp) : tickText(ulp, ulp >= .1 ? .01 : .0001), numbers);
    }
    s.line({plot_.left(), plot_.bottom()}, {plot_.right(), plot_.bottom()}, axis);
    if (paper_) s.line({plot_.left(), plot_.top()}, {plot_.left(), plot_.bottom()}, axis);
    s.text({plot_.left() - 8, plot_.bottom()}, "0 ulp", numbers);
  }

  void placeLabels(Sheet& s) const {
    const int most = std::clamp(int(plot_.width() / 84), 1, mostPlaceLabels);
    const size_t every = std::max<size_t>(1, (chart_.size() + size_t(most) - 1) / size_t(most));
    for (size_t i = 0; i < chart_.size(); i += every) {
      s.line({chart_.x(i), plot_.bottom()}, {chart_.x(i), plot_.bottom() + 5}, {theme_.c("lineStrong")});
      s.text({chart_.x(i), plot_.bottom() + 16}, name(i), {.px = 11, .role = "textSecondary", .anchor = 0, .room = std::min(110., chart_.slot() * double(every) - 8)});
    }
  }

  // The selected op, or all that the selected kernel writes.
  void selection(Sheet& s) const {
    for (size_t i = 0; selected_ && i < chart_.size(); ++i) {
      const Entity& here = chart_.panel.entities[i];
      if (here != *selected_ && scopes_.kernelOf(here) != *selected_) continue;
      s.line({chart_.x(i), plot_.top()}, {chart_.x(i), plot_.bottom()}, {theme_.c("accent"), 1});
      selectionRing(s, QRectF(chart_.x(i) - 5, chart_.y(chart_.compiled[i]) - 5, 10, 10), 5);
    }
  }

  // Eager dashed with squares, compiled solid with dots, red where over the limit; no marks where they would touch.
  void curve(Sheet& s, const std::vector<double>& values, bool eager) const {
    QPainterPath line, points, over;
    bool open = false;
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        open = false;
        continue;
      }
      const QPointF at(chart_.x(i), chart_.y(values[i]));
      if (open) line.lineTo(at);
      else line.moveTo(at);
      open = true;
      if (eager) points.addRect(at.x() - 2.5, at.y() - 2.5, 5, 5);
      else (chart_.over(i) ? over : points).addEllipse(at, 2.6, 2.6);
    }
    const QColor ink = theme_.c(eager ? "eager" : "compiled");
    s.path(line, {}, {ink, eager ? 1.5 : 1.8, eager ? QList<double>{5, 3} : QList<double>{}});
    if (chart_.slot() < 6) return;
    if (eager) s.path(points, {theme_.c("canvas")}, {ink, 1.4});
    else s.path(points, {ink}), s.path(over, {theme_.c("refused")});
  }

  // Each curve's name at its right end, kept apart.
  void names(Sheet& s) const {
    if (chart_.size() == 0) return;
    double e = chart_.y(chart_.eager.back()), c = chart_.y(chart_.compiled.back());
    const double apart = std::max(0., 15 - std::abs(e - c)) / 2, up = e < c ? 1 : -1;
    e = std::clamp(e - up * apart, plot_.top(), plot_.bottom()), c = std::clamp(c + up * apart, plot_.top(), plot_.bottom());
    if (std::abs(e - c) < 14) (c > e ? e : c) -= 14;
    s.text({plot_.right() + 8, e}, "eager", {.role = "eager", .weight = 600});
    s.text({plot_.right() + 8, c}, "compiled", {.role = "compiled", .weight = 600});
  }

  void table(Sheet& s) const {
    const double top = plot_.bottom() + axisHeight;
    s.line({edge, top}, {size_.width() - edge, top}, {theme_.c("line")});
    if (rows_ == 0) return;
    const double factor = std::min(edge + 760, size_.width() - edge), compiled = factor - 96, eager = compiled - 96, room = eager - 72 - edge;
    const Type head{.px = 11, .role = "textSecondary", .anchor = 1}, right{.anchor = 1};
    const auto over = std::count_if(chart_.worst().begin(), chart_.worst().end(), [&](size_t i) { return chart_.over(i); });
    s.text({edge, top + 22}, over ? QString("%1 of %2 values over the limit, then the farthest").arg(over).arg(chart_.size()) : QString("Farthest %1 of %2 values, none over the limit").arg(rows_).arg(chart_.size()), {.weight = 600, .room = room});
    s.text({eager, top + 22}, "eager, ulp", head);
    s.text({compiled, top + 22}, "compiled, ulp", head);
    s.text({factor, top + 22}, "factor", head);
    for (size_t r = 0; r < rows_; ++r) {
      const size_t i = chart_.worst()[r];
      const double middle = row(r).center().y();
      const bool over = chart_.over(i), guilty = chart_.culprit() == i;
      if (r) s.line({edge, row(r).top()}, {factor, row(r).top()}, {theme_.c("line")});
      if (over) glyph(s, guilty ? Glyph::Diamond : Glyph::Cross, {edge + 6, middle}, "refused", 5);
      nameIn(s, {edge + 18, middle}, room - 18, name(i), scopes_.of(chart_.panel.entities[i]), guilty ? 600 : 400);
      s.text({eager, middle}, ulpText(chart_.eager[i]), right);
      s.text({compiled, middle}, ulpText(chart_.compiled[i]), {.role = over ? "refused" : "text", .weight = over ? 600 : 400, .anchor = 1});
      s.text({factor, middle}, chart_.eager[i] > 0 ? ulpText(chart_.compiled[i] / chart_.eager[i]) + QChar(0xd7) : QString(QChar(0x2013)), right);
    }
  }

  QSizeF size_;
  size_t rows_;
  Chart chart_;
  const Theme& theme_;
  Scopes scopes_;
  std::optional<Entity> selected_;
  bool paper_;
  QRectF plot_;
  std::optional<size_t> place_; // that the card speaks of
  CardWords about_;
  QList<Band> bands_;
};

} // namespace

Figure driftFigure(const Place& place, const Theme& theme, QSizeF room) {
  room = room.expandedTo({480, 320});
  const trace::SeriesPanel* panel = place.trace() ? place.trace()->panel<trace::SeriesPanel>(place.step) : nullptr;
  if (!panel || !Chart::curve(*panel, "eager") || !Chart::curve(*panel, "compiled") || panel->entities.size() != panel->places.size()) {
    return notRunFigure(place, onPaper(theme) ? QSizeF(paperWidth, 240) : room, "drift", "compares eager and compiled with float64");
  }
  const QSizeF page = onPaper(theme) ? QSizeF(paperWidth, 470) : room;
  const QSizeF size(page.width(), std::max(page.height(), topMargin + lowestPlot + belowPlot(std::min(worstShown, panel->places.size()))));
  const auto drawing = std::make_shared<Drawing>(*panel, *place.trace(), theme, place.selected, size);
  return {size, [drawing, keep = place.document](Sheet& s) { drawing->draw(s); }, drawing->hits()};
}

} // namespace cutaway::views
