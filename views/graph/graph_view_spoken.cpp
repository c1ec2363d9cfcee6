#include "graph/graph_painter.h"
#include "graph/graph_view.h"
#include "place/empty.h"

// The graph view for assistive technology.
namespace cutaway::views {

QList<Spot> GraphView::spots() {
  QList<Spot> out;
  if (!m_scene) {
    if (m_navigator.place().trace()) return out; // it is being laid out
    for (const Hit& hit : emptyFigure(m_navigator.place(), size(), "graph", {}, {}).hits) out.append({"empty", hit.name, hit.box.toRect() & rect(), false});
    return out;
  }
  const auto& chosen = m_navigator.place().selected;
  const auto add = [&](const QString& key, const QString& name, QRectF box, std::optional<Entity> entity) {
    const QRect seen = QRectF(toScreen(box.topLeft()), box.size() * m_zoom).toAlignedRect() & rect();
    if (seen.isEmpty()) return false;
    const bool selected = entity && chosen == entity; // the selection is where the keys go on from
    out.append({key, name, seen, true, selected, selected && hasFocus()});
    return true;
  };
  for (size_t i = 1; i < m_scene->box.size(); ++i) {
    const GraphItem& item = m_scene->model.items[i];
    const QRectF box = m_scene->box[i];
    const auto stands = item.kind == GraphItem::Scope ? std::nullopt : std::optional(item.entity);
    if (box.isEmpty() || !add(item.key, spokenItem(*m_scene, int(i)), box, stands) || item.kind != GraphItem::Group) continue;
    for (size_t row = 0; row < item.members.size(); ++row)
      if (const trace::GraphNode* n = m_scene->graph.nodes.find(item.members[row]))
        add(views::keyOf(entity(n->id)), QString("op %1, %2, in kernel %3").arg(qt(n->name), trace::op_class_name(n->op_class), item.name), memberBox(box, int(row)), entity(n->id));
  }
  return out;
}

void GraphView::press(const QString& key) {
  if (!m_scene) return;
  const int at = m_scene->model.by_key.value(key, -1);
  if (at > 0 && m_scene->model.items[size_t(at)].kind == GraphItem::Scope) return toggleScope(m_scene->model.items[size_t(at)].path, false);
  if (at > 0) return m_navigator.select(m_scene->model.items[size_t(at)].entity);
  m_navigator.select(Entity{Entity::Kind::op, key.mid(2).toUInt()}); // a row
}

} // namespace cutaway::views
