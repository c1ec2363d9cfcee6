#pragma once
#include "drift/chart.h"
#include "kit/sheet.h"

#include <functional>

namespace cutaway::views {

// The words on the place that matters most: the culprit, else the farthest one.
struct Card {
  size_t place = 0;
  bool culprit = false;
  QString title, numbers, scope;
  QRectF box;
};
// Placed near its point over as little of the curves as can be; none where nothing drifts. `scope`: of that place.
std::optional<Card> cardOf(const Sheet& s, const Chart& chart, const std::function<QString(size_t place)>& scope);
void drawCard(Sheet& s, const Chart& chart, const Card& card);
// The limit of each place as a dotted line, and what it is in words, clear of the curves and of `taken`.
void drawLimit(Sheet& s, const Chart& chart, const QRectF& taken);

} // namespace cutaway::views
