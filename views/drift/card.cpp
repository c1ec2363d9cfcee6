#include "drift/card.h"

#include "kit/marks.h"
#include "kit/numbers.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

bool crossesLimit(const Chart& c, const QRectF& box) {
  const auto [first, last] = c.within(box.left(), box.right());
  for (size_t i = first; i < last; ++i)
    if (c.y(c.limit(i)) >= box.top() && c.y(c.limit(i)) - 20 <= box.bottom()) return true;
  return false;
}

// Points of the curves that the line from the box to its point runs over.
size_t crossings(const Chart& c, const QRectF& box, QPointF at) {
  const QPointF from(std::clamp(at.x(), box.left(), box.right()), std::clamp(at.y(), box.top(), box.bottom()));
  size_t n = 0;
  for (int i = 0; i < 8; ++i) {
    const QPointF p = from + (at - from) * i / 8;
    n += c.covered({p.x() - 1, p.y() - 1, 2, 2}) > 0;
  }
  return n;
}

// Near the point, inside the plot, over the least of the curves.
QRectF freeBox(const Chart& c, QPointF at, QSizeF size) {
  QRectF best;
  double least = 1e300;
  for (const double dx : {-size.width() - 20, 20., -size.width() / 2, -1.5 * size.width() - 20, -2 * size.width() - 20})
    for (double top = c.plot.top() + 2; top + size.height() < c.plot.bottom() - 4; top += 12) {
      const QRectF box({std::clamp(at.x() + dx, c.plot.left() + 4, c.plot.right() - size.width() - 4), top}, size);
      if (box.adjusted(-8, -8, 8, 8).contains(at)) continue;
      const double cost = 70. * double(c.covered(box) + crossings(c, box, at)) + std::hypot(box.center().x() - at.x(), box.center().y() - at.y()) + (crossesLimit(c, box) ? 150 : 0);
      if (cost < least) least = cost, best = box;
    }
  return best.isNull() ? QRectF({c.plot.left() + 4, c.plot.top() + 2}, size) : best;
}

// Above the limit of every place under a text.
double lineAbove(const Chart& c, double left, double width) {
  const auto [first, last] = c.within(left, left + width);
  double top = c.plot.bottom();
  for (size_t i = first; i < last; ++i) top = std::min(top, c.y(c.limit(i)));
  return std::max(c.plot.top() + 8, top - 12);
}

} // namespace

std::optional<size_t> placeOfCard(const Chart& chart) {
  if (chart.size() == 0) return std::nullopt;
  const size_t i = chart.culprit().value_or(chart.worst()[0]);
  return chart.compiled[i] > 0 ? std::optional(i) : std::nullopt;
}

Card cardOf(const Sheet& s, const Chart& chart, size_t i, const CardWords& about) {
  Card c;
  c.place = i, c.culprit = chart.culprit().has_value();
  const QString arrow = ' ' + QString(QChar(0x2192)) + ' ', name = qt(chart.panel.places[i]);
  c.title = (name.size() > 36 ? name.left(18) + QChar(0x2026) + name.right(16) : name) + (c.culprit ? ": first over the limit" : ": farthest, within the limit");
  c.numbers = (c.culprit && i > 0 ? ulpText(chart.compiled[i - 1]) + arrow : QString()) + ulpText(chart.compiled[i]) + " ulp; eager " + ulpText(chart.eager[i]);
  if (!about.scope.isEmpty()) c.scope = "in " + about.scope;
  c.origin = about.origin;
  const Type bold{.weight = 600}, small{.px = 11};
  const double words = std::max({s.width(c.title, bold) + (c.culprit ? 20 : 0), s.width(c.numbers, small), std::min(220., s.width(c.scope, small)), s.width(c.origin, small)});
  c.box = freeBox(chart, {chart.x(i), chart.y(chart.compiled[i])}, {std::min({chart.plot.width() - 16, 380., words + 24}), 46. + (c.scope.isEmpty() ? 0 : 16) + (c.origin.isEmpty() ? 0 : 16)});
  return c;
}

void drawCard(Sheet& s, const Chart& chart, const Card& c) {
  const QPointF at(chart.x(c.place), chart.y(chart.compiled[c.place]));
  const QRectF& box = c.box;
  const double lead = c.culprit ? 20 : 0;
  const char* role = c.culprit ? "refused" : "lineStrong";
  const QColor ink = s.t.c(role);
  if (c.culprit) {
    QPainterPath down(at);
    down.lineTo(at.x(), chart.plot.bottom());
    s.path(down, {}, {ink, 1.5, {2, 3}});
  }
  s.line({std::clamp(at.x(), box.left(), box.right()), std::clamp(at.y(), box.top(), box.bottom())}, at, {ink, 1.2});
  s.rect(box, 4, {c.culprit ? mix(ink, s.t.c("canvas"), .06) : s.t.c("raised")}, {ink, c.culprit ? 1.5 : 1.});
  if (c.culprit) {
    glyph(s, Glyph::Diamond, at, role, 7);
    glyph(s, Glyph::Diamond, {box.left() + 18, box.top() + 15}, role, 6);
  } else {
    QPainterPath ring;
    ring.addEllipse(QPointF(0, 0), 5, 5);
    s.mark(at, ring, {}, {s.t.c("text"), 1.5});
  }
  const Type line{.px = 11, .role = "textSecondary", .room = box.width() - 20};
  s.text({box.left() + 12 + lead, box.top() + 15}, c.title, {.weight = 600, .room = box.width() - 20 - lead});
  s.text({box.left() + 12, box.top() + 33}, c.numbers, line);
  double y = box.top() + 49;
  for (const QString& words : {c.scope, c.origin})
    if (!words.isEmpty()) s.text({box.left() + 12, y}, words, line), y += 16;
}

void drawLimit(Sheet& s, const Chart& c, const QRectF& taken) {
  if (c.size() == 0) return;
  QPainterPath p(QPointF(c.plot.left(), c.y(c.limit(0))));
  for (size_t i = 0; i < c.size(); ++i) p.lineTo(c.x(i) - c.slot() / 2, c.y(c.limit(i))), p.lineTo(c.x(i) + c.slot() / 2, c.y(c.limit(i)));
  s.path(p, {}, {s.t.c("textMuted"), 1.2, {1.5, 3}});
  const QString words = "limit: 1.5 " + QString(QChar(0xd7)) + " eager or " + number(c.leastLimit) + " ulp";
  Type type{.px = 11, .role = "textSecondary"};
  const double width = s.width(words, type);
  // Where it covers the least of the curves; above the plot where the card leaves no room.
  QPointF best(c.plot.right() - width, c.plot.top() - 10);
  size_t fewest = SIZE_MAX;
  for (double left = c.plot.left() + 6; left + width < c.plot.right(); left += 20) {
    const QPointF at(left, lineAbove(c, left, width));
    const QRectF box(left, at.y() - 8, width, 16);
    if (box.adjusted(-6, -4, 6, 4).intersects(taken)) continue;
    if (const size_t n = c.covered(box); n < fewest) best = at, fewest = n;
  }
  if (fewest > 0 && fewest < SIZE_MAX) type.plate = s.t.c("canvas");
  s.text(best, words, type);
}

} // namespace cutaway::views
