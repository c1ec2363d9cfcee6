#include "registry.h"

#include "arena/arena_figure.h"
#include "drift/drift_figure.h"
#include "graph/graph_figure.h"
#include "guards/guards_figure.h"
#include "layout/layout_figure.h"
#include "source/source_figure.h"
#include "tiles/tiles_figure.h"
#include "timeline/timeline_figure.h"

namespace cutaway::views {

std::span<const ViewRow> allViews() {
  static const ViewRow rows[] = {
      {"graph", "Graph", {{"steps", "Steps", graphFigure}, {"drift", "Drift", graphHeatFigure}, {"class", "Op class", graphClassFigure}}, graphFigures},
      {"arena", "Arena", {{"offsets", "Offsets", arenaOffsets}, {"bytes", "Bytes", arenaBytes}, {"intervals", "Intervals", arenaIntervals}}},
      {"layout", "Layout", {{"", "", layoutFigure}}},
      {"guards", "Guards", {{"", "", guardsFigure}}},
      {"tiles", "Tiles", {{"", "", tilesFigure}}},
      {"timeline", "Timeline", {{"", "", timelineFigure}}},
      {"drift", "Drift", {{"", "", driftFigure}}},
      {"source", "Source", {{"", "", sourceFigure}}},
  };
  return rows;
}

const ViewMode* ViewRow::modeNamed(const QString& id) const {
  for (const ViewMode& mode : modes)
    if (id == mode.id) return &mode;
  return nullptr;
}

const ViewRow* viewNamed(const QString& id) {
  for (const ViewRow& row : allViews())
    if (id == row.id) return &row;
  return nullptr;
}

} // namespace cutaway::views
