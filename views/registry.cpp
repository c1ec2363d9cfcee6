#include "registry.h"

#include "arena/arena_figure.h"
#include "drift/drift_figure.h"
#include "timeline/timeline_figure.h"

namespace cutaway::views {

std::span<const ViewRow> allViews() {
  static const ViewRow rows[] = {
      {"arena", "Arena", arenaFigure},
      {"timeline", "Timeline", timelineFigure},
      {"drift", "Drift", driftFigure},
  };
  return rows;
}

const ViewRow* viewNamed(const QString& id) {
  for (const ViewRow& row : allViews())
    if (id == row.id) return &row;
  return nullptr;
}

} // namespace cutaway::views
