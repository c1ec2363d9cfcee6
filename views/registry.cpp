#include "registry.h"

#include "arena/arena_figure.h"
#include "graph/graph_figure.h"

namespace cutaway::views {

std::span<const ViewRow> allViews() {
  static const ViewRow rows[] = {
      {"graph", "Graph", graphFigure},
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
