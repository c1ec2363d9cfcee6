#pragma once
#include "graph/graph_classes.h"

#include <QSet>

namespace cutaway::views {

// What a step did, as the graph shows it.
struct StepMarks {
  QSet<QString> firing, created, changed; // keys of items and of ops in rows
  struct Ghost {
    QRectF box;
    QString name;
  };
  std::vector<Ghost> ghosts;          // what the step removed, or moved into a group, at its old place
  std::vector<trace::GraphNote> notes; // refusals in force, the step's own first
  bool refused = false;               // the step itself is a refusal
  QString gain;                       // "not written, not read back: −6.12 MiB"
};
// `before`: where things stood in the step before, on this scene's canvas; empty where that is not in sight.
StepMarks marksOf(const Place& place, const GraphScene& scene, const QHash<QString, QRectF>& before);

// The part of the scene within `seen`. The sheet's zoom decides how much is said. `classes`: what colours tell; null: entities.
void drawGraph(Sheet& s, const GraphScene& scene, const StepMarks& marks, const std::optional<Entity>& selected, QRectF seen, const GraphClasses* classes = nullptr);
// What a person hears of an item: type, name, state.
QString spokenItem(const GraphScene& scene, int item);

} // namespace cutaway::views
