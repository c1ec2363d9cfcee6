// What the graph tells assistive technology: its boxes in sight, with their words.
#include "graph/graph_painter.h"
#include "graph/graph_view.h"

namespace cutaway::views {

const QList<Hit>& GraphView::things() {
  if (m_spoken == m_scene) return m_things;
  m_spoken = m_scene;
  m_things.clear();
  for (size_t i = 1; m_scene && i < m_scene->box.size(); ++i)
    if (!m_scene->box[i].isEmpty()) m_things.append({m_scene->box[i], m_scene->model.items[i].entity, spokenItem(*m_scene, int(i))});
  return m_things;
}

QRectF GraphView::inWidget(const QRectF& box) const { return {toScreen(box.topLeft()), toScreen(box.bottomRight())}; }

int GraphView::focusedThing() const {
  for (qsizetype i = 0; m_navigator.place().selected && i < m_things.size(); ++i)
    if (m_things[i].entity == *m_navigator.place().selected) return int(i);
  return -1;
}

} // namespace cutaway::views
