#include "registry.h"

#include "arena/arena_figure.h"

namespace cutaway::views {

std::span<const ViewRow> allViews() {
  static const ViewRow rows[] = {
      {"arena", "Arena", arenaFigure},
  };
  return rows;
}

const ViewRow* viewNamed(const QString& id) {
  for (const ViewRow& row : allViews())
    if (id == row.id) return &row;
  return nullptr;
}

} // namespace cutaway::views
