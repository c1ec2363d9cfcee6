#pragma once
#include "kit/figure.h"
#include "place/place.h"

#include <span>

namespace cutaway::views {

// A view of the window: a folder, and a row here. The figure is drawn for a room of that size and may be larger; where a
// place has nothing to show, it says why and what to do.
struct ViewRow {
  const char* id;    // the word after --view
  const char* title; // its tab
  Figure (*figure)(const Place&, const Theme&, QSizeF room);
  // The steps from the place's to `last` as one animation; null: each by itself.
  QList<Figure> (*figures)(const Place&, uint32_t last, const Theme&, QSizeF room) = nullptr;
};
std::span<const ViewRow> allViews();
const ViewRow* viewNamed(const QString& id);

} // namespace cutaway::views
