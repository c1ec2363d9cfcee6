#pragma once
#include "place/place.h"

#include <QList>

namespace cutaway::views {

// Neighbouring places of one name scope: [first, last).
struct Band {
  QString name;
  size_t first = 0, last = 0;
};
// The places of a series cut by the model's scopes, as deep as gives at most `most` bands; none where places have no scope.
QList<Band> scopeBands(const trace::Trace& trace, const std::vector<Entity>& places, int most);

} // namespace cutaway::views
