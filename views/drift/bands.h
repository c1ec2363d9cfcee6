#pragma once
#include "place/scopes.h"

#include <QList>

namespace cutaway::views {

// Neighbouring places of one name scope: [first, last).
struct Band {
  QString name;
  size_t first = 0, last = 0;
};
// The places of a series cut by the model's scopes, as deep as gives at most `most` bands; none where places have no scope.
QList<Band> scopeBands(const Scopes& scopes, const std::vector<Entity>& places, int most);

} // namespace cutaway::views
