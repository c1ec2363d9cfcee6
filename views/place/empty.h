#pragma once
#include "kit/figure.h"
#include "place/place.h"

namespace cutaway::views {

// What a view without anything to show says: why, and what to do. Where nothing is compiled, that is why.
// `subject`: what the view shows, "tiles".
Figure emptyFigure(const Place& place, QSizeF size, const QString& subject, QString why, QString what);
// The same where a run is missing; `does`: what one gives, "measures each launch".
Figure notRunFigure(const Place& place, QSizeF size, const QString& subject, const QString& does);

} // namespace cutaway::views
