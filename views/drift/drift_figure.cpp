#include "drift/drift_figure.h"

#include "drift/bands.h"
#include "kit/marks.h"
#include "kit/numbers.h"
#include "kit/paper.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cutaway::views {
namespace {

constexpr double edge = 16, leftMargin = 60, rightMargin = 84, topMargin = 44, axisHeight = 30, floorHeight = 26;
constexpr double tableHead = 52, rowHeight = 24, lowest = 200;
constexpr size_t worstShown = 5;
constexpr int mostPlaceLabels = 24;

const trace::SeriesPanel::Curve* curveOf(const trace::SeriesPanel& panel, const char* name) {
  for (const auto& c : panel.curves)
    if (c.name.str() == name && c.y.size() == panel.places.size()) return &c;
  return nullptr;
}

// "36.53", "1,204", "2.7e12".
QString ulp(double v) {
  if (!std::isfinite(v)) return "not finite";
  if (v > 0 && v < .005) return "<0.01";
  if (v < 1000) return tickText(v, .01);
  return v < 1e6 ? number(std::round(v)) : QString::number(v, 'e', 1).remove("+").replace("e0", "e");
}

class Drawing {
 public:
  Drawing(const trace::SeriesPanel& panel, const trace::Trace& trace, const Theme& theme, const std::optional<Entity>& selected, QSizeF room)
      : panel_(panel), theme_(theme), scopes_(trace), selected_(selected), paper_(onPaper(theme)), eager_(curveOf(panel, "eager")->y), compiled_(curveOf(panel, "compiled")->y),
        floorLimit_(panel.limit > 0 ? panel.limit : 2) {
    worst_.resize(panel.places.size());
    std::iota(worst_.begin(), worst_.end(), size_t{0});
    std::stable_sort(worst_.begin(), worst_.end(), [&](size_t a, size_t b) { return compiled_[a] > compiled_[b]; });
    for (size_t i = 0; i < compiled_.size() && !culprit_; ++i)
      if (compiled_[i] > limit(i)) culprit_ = i;
    const double below = axisHeight + tableHead + double(std::min(worstShown, worst_.size())) * rowHeight + edge;
    const QSizeF page = paper_ ? QSizeF(paperWidth, 470) : room;
    size_ = QSizeF(page.width(), std::max(page.height(), topMargin + lowest + below));
    plot_ = QRectF(leftMargin, topMargin, size_.width() - leftMargin - rightMargin, size_.height() - topMargin - below);
    bands_ = scopeBands(scopes_, panel.entities, std::max(2, int(plot_.width() / 42)));
    range();
  }

  QSizeF size() const { return size_; }

  void draw(Sheet& s) const {
    s.rect(QRectF({0, 0}, size_), 0, {theme_.c("canvas")});
    axes(s);
    if (bands_.isEmpty()) placeLabels(s);
    const std::optional<Card> card = marked(s);
    limitLine(s, card ? card->box : QRectF());
    selection(s);
    curve(s, eager_, "eager", {5, 3});
    curve(s, compiled_, "compiled", {});
    names(s);
    if (card) draw(s, *card);
    table(s);
  }

  QList<Hit> hits() const {
    QList<Hit> out;
    const double half = std::max(2., slot() / 2);
    for (size_t i = 0; i < panel_.places.size(); ++i) out.append({{x(i) - half, plot_.top(), 2 * half, plot_.height()}, panel_.entities[i], spoken(i)});
    for (size_t r = 0; r < std::min(worstShown, worst_.size()); ++r) out.append({row(r), panel_.entities[worst_[r]], spoken(worst_[r])});
    return out;
  }

 private:
  double limit(size_t i) const { return std::max(1.5 * eager_[i], floorLimit_); }
  double slot() const { return plot_.width() / double(std::max<size_t>(1, panel_.places.size())); }
  double x(size_t i) const { return plot_.left() + slot() * (double(i) + .5); }
  // Zero lies on the floor; what has no number, at the top.
  double y(double v) const {
    if (v <= 0) return plot_.bottom();
    if (!std::isfinite(v)) return plot_.top();
    const double part = (std::log2(v) - low_) / (high_ - low_);
    return plot_.bottom() - floorHeight - (plot_.height() - floorHeight) * std::clamp(part, 0., 1.);
  }
  QRectF row(size_t r) const { return {edge, plot_.bottom() + axisHeight + tableHead - 8 + double(r) * rowHeight, size_.width() - 2 * edge, rowHeight}; }
  QString spoken(size_t i) const {
    return QString("value of %1: eager %2 ulp, compiled %3 ulp, %4 of %5").arg(qt(panel_.places[i]), ulp(eager_[i]), ulp(compiled_[i]),
           compiled_[i] > limit(i) ? "over the limit" : "within the limit", ulp(limit(i)));
  }

  void range() {
    double least = floorLimit_, most = floorLimit_;
    for (const auto* curve : {&eager_, &compiled_})
      for (const double v : *curve)
        if (std::isfinite(v) && v > 0) least = std::min(least, v), most = std::max(most, v);
    high_ = std::ceil(std::log2(most) + .25);
    low_ = std::max(std::floor(std::log2(least)), high_ - 24);
    if (high_ - low_ < 4) low_ = high_ - 4;
    every_ = std::max(1., std::ceil((high_ - low_) / std::min(8., (plot_.height() - floorHeight) / 28)));
  }

  void axes(Sheet& s) const {
    const Type numbers{.px = 11, .role = "textSecondary", .anchor = 1};
    const Stroke axis{theme_.c("lineStrong")};
    for (qsizetype i = 0; i < bands_.size(); ++i) {
      const double left = plot_.left() + slot() * double(bands_[i].first), right = plot_.left() + slot() * double(bands_[i].last);
      if (i % 2 && !paper_) s.rect({left, plot_.top(), right - left, plot_.height()}, 0, {theme_.c("chrome")});
      if (paper_ || theme_.c("chrome") == theme_.c("canvas")) s.line({left, plot_.bottom()}, {left, plot_.bottom() + 6}, axis);
      if (!bands_[i].name.isEmpty()) s.text({(left + right) / 2, plot_.bottom() + 16}, bands_[i].name, {.px = 11, .role = "textSecondary", .anchor = 0, .room = right - left - 6});
    }
    s.text({edge, 20}, "distance from float64, ulp of the largest element (log)", {.px = 11, .role = "textSecondary", .room = size_.width() - 2 * edge});
    for (double power = high_; power >= low_; power -= every_) {
      const double at = y(std::exp2(power));
      if (!paper_) s.line({plot_.left(), at}, {plot_.right(), at}, {theme_.c("grid")});
      s.text({plot_.left() - 8, at}, power >= 20 ? ulp(std::exp2(power)) : power >= 0 ? number(std::exp2(power)) : tickText(std::exp2(power), std::exp2(power) >= .1 ? .01 : .0001), numbers);
    }
    s.line({plot_.left(), plot_.bottom()}, {plot_.right(), plot_.bottom()}, axis);
    if (paper_) s.line({plot_.left(), plot_.top()}, {plot_.left(), plot_.bottom()}, axis);
    s.text({plot_.left() - 8, plot_.bottom()}, "0 ulp", numbers);
  }

  void placeLabels(Sheet& s) const {
    const size_t count = panel_.places.size();
    const int most = std::clamp(int(plot_.width() / 84), 1, mostPlaceLabels);
    const size_t every = std::max<size_t>(1, (count + size_t(most) - 1) / size_t(most));
    for (size_t i = 0; i < count; i += every) {
      s.line({x(i), plot_.bottom()}, {x(i), plot_.bottom() + 5}, {theme_.c("lineStrong")});
      s.text({x(i), plot_.bottom() + 16}, qt(panel_.places[i]), {.px = 11, .role = "textSecondary", .anchor = 0, .room = std::min(110., slot() * double(every) - 8)});
    }
  }

  void limitLine(Sheet& s, const QRectF& taken) const {
    if (panel_.places.empty()) return;
    QPainterPath p(QPointF(plot_.left(), y(limit(0))));
    for (size_t i = 0; i < panel_.places.size(); ++i) p.lineTo(x(i) - slot() / 2, y(limit(i))), p.lineTo(x(i) + slot() / 2, y(limit(i)));
    s.path(p, {}, {theme_.c("textMuted"), 1.2, {1.5, 3}});
    const QString words = "limit: 1.5 " + QString(QChar(0xd7)) + " eager or " + number(floorLimit_) + " ulp";
    Type type{.px = 11, .role = "textSecondary"};
    const double width = s.width(words, type);
    // Where it covers the least of the curves; above the plot where the card leaves no room.
    QPointF best(plot_.right() - width, plot_.top() - 10);
    size_t fewest = SIZE_MAX;
    for (double left = plot_.left() + 6; left + width < plot_.right(); left += 20) {
      const QPointF at(left, labelLine(left, width));
      const QRectF box(left, at.y() - 8, width, 16);
      if (box.adjusted(-6, -4, 6, 4).intersects(taken)) continue;
      if (const size_t n = covered(box); n < fewest) best = at, fewest = n;
    }
    if (fewest > 0 && fewest < SIZE_MAX) type.plate = theme_.c("canvas");
    s.text(best, words, type);
  }
  // Above the limit everywhere under a text.
  double labelLine(double left, double width) const {
    double top = plot_.bottom();
    for (size_t i = 0; i < panel_.places.size(); ++i)
      if (x(i) + slot() / 2 >= left && x(i) - slot() / 2 <= left + width) top = std::min(top, y(limit(i)));
    return std::max(plot_.top() + 8, top - 12);
  }
  size_t covered(const QRectF& box) const {
    constexpr int parts = 6; // of the line to the next point
    const QRectF near = box.adjusted(-6, -6, 6, 6);
    size_t n = 0;
    for (const auto* curve : {&eager_, &compiled_})
      for (size_t i = 0; i < curve->size(); ++i) {
        const QPointF a(x(i), y((*curve)[i])), b = i + 1 < curve->size() ? QPointF(x(i + 1), y((*curve)[i + 1])) : a;
        for (int p = 0; p < parts; ++p) n += near.contains(a + (b - a) * p / parts);
      }
    return n;
  }

  void selection(Sheet& s) const {
    for (size_t i = 0; selected_ && i < panel_.entities.size(); ++i) {
      if (panel_.entities[i] != *selected_) continue;
      s.line({x(i), plot_.top()}, {x(i), plot_.bottom()}, {theme_.c("accent"), 1});
      selectionRing(s, QRectF(x(i) - 5, y(compiled_[i]) - 5, 10, 10), 5);
    }
  }

  void curve(Sheet& s, const std::vector<double>& values, const char* role, const QList<double>& dash) const {
    QPainterPath line, points, over;
    bool open = false;
    const bool eager = !dash.isEmpty(), marked = slot() >= 6;
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) { open = false; continue; }
      const QPointF at(x(i), y(values[i]));
      if (open) line.lineTo(at);
      else line.moveTo(at);
      open = true;
      if (eager) points.addRect(at.x() - 2.5, at.y() - 2.5, 5, 5);
      else (values[i] > limit(i) ? over : points).addEllipse(at, 2.6, 2.6);
    }
    s.path(line, {}, {theme_.c(role), eager ? 1.5 : 1.8, dash});
    if (!marked) return;
    if (eager) s.path(points, {theme_.c("canvas")}, {theme_.c(role), 1.4});
    else s.path(points, {theme_.c(role)}), s.path(over, {theme_.c("refused")});
  }

  // Each curve's name at its right end, kept apart.
  void names(Sheet& s) const {
    if (panel_.places.empty()) return;
    double e = y(eager_.back()), c = y(compiled_.back());
    const double apart = std::max(0., 15 - std::abs(e - c)) / 2;
    const double up = e < c ? 1 : -1;
    e = std::clamp(e - up * apart, plot_.top(), plot_.bottom()), c = std::clamp(c + up * apart, plot_.top(), plot_.bottom());
    if (std::abs(e - c) < 14) (c > e ? e : c) -= 14;
    s.text({plot_.right() + 8, e}, "eager", {.role = "eager", .weight = 600});
    s.text({plot_.right() + 8, c}, "compiled", {.role = "compiled", .weight = 600});
  }

  // The words on the place that matters most: the culprit, else the farthest.
  struct Card {
    size_t place = 0;
    QString title, numbers, scope;
    QRectF box;
  };
  std::optional<Card> marked(const Sheet& s) const {
    if (worst_.empty()) return std::nullopt;
    Card c;
    c.place = culprit_.value_or(worst_[0]);
    const size_t i = c.place;
    const QString arrow = ' ' + QString(QChar(0x2192)) + ' ';
    const QString name = qt(panel_.places[i]);
    c.title = (name.size() > 36 ? name.left(18) + QChar(0x2026) + name.right(16) : name) + (culprit_ ? ": first over the limit" : ": farthest, within the limit");
    c.numbers = (culprit_ && i > 0 ? ulp(compiled_[i - 1]) + arrow : QString()) + ulp(compiled_[i]) + " ulp; eager " + ulp(eager_[i]);
    if (const QString scope = scopes_.of(panel_.entities[i]); !scope.isEmpty()) c.scope = "in " + scope;
    const Type bold{.weight = 600}, small{.px = 11};
    const double words = std::max({s.width(c.title, bold) + (culprit_ ? 20 : 0), s.width(c.numbers, small), std::min(220., s.width(c.scope, small))});
    c.box = freeBox({x(i), y(compiled_[i])}, {std::min({plot_.width() - 16, 380., words + 24}), c.scope.isEmpty() ? 46. : 62.});
    return c;
  }
  void draw(Sheet& s, const Card& c) const {
    const QPointF at(x(c.place), y(compiled_[c.place]));
    const QRectF& box = c.box;
    const double lead = culprit_ ? 20 : 0;
    const char* role = culprit_ ? "refused" : "lineStrong";
    if (culprit_) s.path(vertical(at), {}, {theme_.c(role), 1.5, {2, 3}});
    s.line({std::clamp(at.x(), box.left(), box.right()), std::clamp(at.y(), box.top(), box.bottom())}, at, {theme_.c(role), 1.2});
    s.rect(box, 4, {culprit_ ? mix(theme_.c(role), theme_.c("canvas"), .06) : theme_.c("raised")}, {theme_.c(role), culprit_ ? 1.5 : 1.});
    if (culprit_) glyph(s, Glyph::Diamond, at, role, 7), glyph(s, Glyph::Diamond, {box.left() + 18, box.top() + 15}, role, 6);
    else s.mark(at, ring(), {}, {theme_.c("text"), 1.5});
    const Type line{.px = 11, .role = "textSecondary", .room = box.width() - 20};
    s.text({box.left() + 12 + lead, box.top() + 15}, c.title, {.weight = 600, .room = box.width() - 20 - lead});
    s.text({box.left() + 12, box.top() + 33}, c.numbers, line);
    if (!c.scope.isEmpty()) s.text({box.left() + 12, box.top() + 49}, c.scope, line);
  }
  QPainterPath vertical(QPointF at) const {
    QPainterPath p(at);
    p.lineTo(at.x(), plot_.bottom());
    return p;
  }
  static QPainterPath ring() {
    QPainterPath p;
    p.addEllipse(QPointF(0, 0), 5, 5);
    return p;
  }
  // Near the point, inside the plot, over the fewest points of the curves.
  QRectF freeBox(QPointF at, QSizeF size) const {
    QRectF best;
    double least = 1e300;
    for (const double dx : {-size.width() - 20, 20., -size.width() / 2})
      for (double top = plot_.top() + 2; top + size.height() < plot_.bottom() - 4; top += 12) {
        const QRectF box({std::clamp(at.x() + dx, plot_.left() + 4, plot_.right() - size.width() - 4), top}, size);
        if (box.adjusted(-8, -8, 8, 8).contains(at)) continue;
        const double cost = 70. * double(covered(box)) + std::hypot(box.center().x() - at.x(), box.center().y() - at.y()) + (crossesLimit(box) ? 150 : 0);
        if (cost < least) least = cost, best = box;
      }
    return best.isNull() ? QRectF({plot_.left() + 4, plot_.top() + 2}, size) : best;
  }
  bool crossesLimit(const QRectF& box) const {
    for (size_t i = 0; i < panel_.places.size(); ++i)
      if (x(i) >= box.left() && x(i) <= box.right() && y(limit(i)) >= box.top() && y(limit(i)) - 20 <= box.bottom()) return true;
    return false;
  }

  void table(Sheet& s) const {
    const double top = plot_.bottom() + axisHeight;
    s.line({edge, top}, {size_.width() - edge, top}, {theme_.c("line")});
    if (worst_.empty()) return;
    const double factor = std::min(edge + 760, size_.width() - edge), compiled = factor - 96, eager = compiled - 96;
    const Type head{.px = 11, .role = "textSecondary", .anchor = 1}, right{.anchor = 1};
    s.text({edge, top + 22}, QString("Farthest %1 of %2 values").arg(std::min(worstShown, worst_.size())).arg(worst_.size()), {.weight = 600, .room = eager - 72 - edge});
    s.text({eager, top + 22}, "eager, ulp", head);
    s.text({compiled, top + 22}, "compiled, ulp", head);
    s.text({factor, top + 22}, "factor", head);
    for (size_t r = 0; r < std::min(worstShown, worst_.size()); ++r) {
      const size_t i = worst_[r];
      const double middle = row(r).center().y();
      if (r) s.line({edge, row(r).top()}, {factor, row(r).top()}, {theme_.c("line")});
      const bool over = compiled_[i] > limit(i);
      if (over) glyph(s, culprit_ == i ? Glyph::Diamond : Glyph::Cross, {edge + 6, middle}, "refused", 5);
      nameIn(s, {edge + 18, middle}, eager - 72 - edge - 18, qt(panel_.places[i]), scopes_.of(panel_.entities[i]), culprit_ == i ? 600 : 400);
      s.text({eager, middle}, ulp(eager_[i]), right);
      s.text({compiled, middle}, ulp(compiled_[i]), {.role = over ? "refused" : "text", .weight = over ? 600 : 400, .anchor = 1});
      s.text({factor, middle}, eager_[i] > 0 ? ulp(compiled_[i] / eager_[i]) + QChar(0xd7) : QString(QChar(0x2013)), right);
    }
  }

  const trace::SeriesPanel& panel_;
  const Theme& theme_;
  Scopes scopes_;
  std::optional<Entity> selected_;
  bool paper_;
  const std::vector<double>&eager_, &compiled_;
  double floorLimit_;
  std::vector<size_t> worst_; // by compiled, the farthest first
  std::optional<size_t> culprit_;
  QSizeF size_;
  QRectF plot_;
  QList<Band> bands_;
  double low_ = 0, high_ = 1, every_ = 1;
};

} // namespace

Figure driftFigure(const Place& place, const Theme& theme, QSizeF room) {
  room = room.expandedTo({480, 320});
  const trace::SeriesPanel* panel = place.trace() ? place.trace()->panel<trace::SeriesPanel>(place.step) : nullptr;
  if (!panel || !curveOf(*panel, "eager") || !curveOf(*panel, "compiled") || panel->entities.size() != panel->places.size()) {
    const QSizeF size = onPaper(theme) ? QSizeF(paperWidth, 240) : room;
    return {size, [size](Sheet& s) {
              s.rect(QRectF({0, 0}, size), 0, {s.t.c("canvas")});
              emptyNote(s, size, "No drift yet: nothing has been compared", "Run (R) in three modes compares eager and compiled with float64.");
            }, {}};
  }
  const auto drawing = std::make_shared<Drawing>(*panel, *place.trace(), theme, place.selected, room);
  return {drawing->size(), [drawing, keep = place.document](Sheet& s) { drawing->draw(s); }, drawing->hits()};
}

} // namespace cutaway::views
