#pragma once
#include "kit/figure.h"
#include "place/place.h"

#include <span>
#include <vector>

namespace cutaway::views {

// One way in which a view shows its subject. The figure is drawn for a room of that size and may be larger; where a place
// has nothing to show, it says why and what to do.
struct ViewMode {
  const char* id;    // the word after --as
  const char* title; // its button
  Figure (*figure)(const Place&, const Theme&, QSizeF room);
};

// A view of the window: a folder, and a row here.
struct ViewRow {
  const char* id;              // the word after --view
  const char* title;           // its tab
  std::vector<ViewMode> modes; // the first is shown until another is chosen; where it is alone it needs no name
  // The steps from the place's to `last` as one animation of the first mode; null: each by itself.
  QList<Figure> (*figures)(const Place&, uint32_t last, const Theme&, QSizeF room) = nullptr;

  Figure figure(const Place& place, const Theme& theme, QSizeF room) const { return modes.front().figure(place, theme, room); }
  const ViewMode* modeNamed(const QString& id) const; // null: none of that name
};
std::span<const ViewRow> allViews();
const ViewRow* viewNamed(const QString& id);

} // namespace cutaway::views
