#pragma once
#include "drift/chart.h"
#include "kit/sheet.h"

namespace cutaway::views {

// The words on the place that matters most: the culprit, else the farthest one.
struct Card {
  size_t place = 0;
  bool culprit = false;
  QString title, numbers, scope, origin;
  QRectF box;
};
// What the card says of its place beside the numbers: where it stands in the model, and what made its op.
struct CardWords {
  QString scope, origin;
};
// The culprit, else the farthest place; nothing where nothing drifts.
std::optional<size_t> placeOfCard(const Chart& chart);
// Placed near its point over as little of the curves as can be. `place`: placeOfCard().
Card cardOf(const Sheet& s, const Chart& chart, size_t place, const CardWords& about);
void drawCard(Sheet& s, const Chart& chart, const Card& card);
// The limit of each place as a dotted line, and what it is in words, clear of the curves and of `taken`.
void drawLimit(Sheet& s, const Chart& chart, const QRectF& taken);

} // namespace cutaway::views
