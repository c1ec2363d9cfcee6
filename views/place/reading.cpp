#include "place/reading.h"

#include <QRegularExpression>

#include <algorithm>

namespace cutaway::views {

size_t mainSegment(const trace::Document& d) {
  size_t best = 0;
  int64_t most = -1;
  for (size_t i = 0; i < d.traces.size(); ++i) {
    const auto* arena = d.traces[i]->panel<trace::ArenaPanel>(0);
    if (arena && arena->peak > most) best = i, most = arena->peak;
  }
  return best;
}

const trace::TablePanel* table(const Place& place, const char* name) {
  if (!place.trace()) return nullptr;
  for (const trace::Panel& p : place.trace()->panels())
    if (const auto* t = std::get_if<trace::TablePanel>(&p); t && t->name.view() == name) return t;
  return nullptr;
}

QString cell(const trace::TablePanel& table, const trace::TablePanel::Row& row, const char* column) {
  for (size_t i = 0; i < table.columns.size() && i < row.cells.size(); ++i)
    if (table.columns[i].title.view() == column) return qt(row.cells[i]);
  return {};
}

QStringList scopePaths(const trace::Text& scope) {
  QStringList out;
  QString path;
  for (const QString& part : qt(scope).split('/', Qt::SkipEmptyParts)) out << (path += (path.isEmpty() ? "" : "/") + part);
  return out;
}

bool leads(const trace::GraphNode& a, const trace::GraphNode& b) {
  const bool ca = a.op_class == trace::OpClass::contraction, cb = b.op_class == trace::OpClass::contraction;
  if (ca != cb) return ca;
  return a.order != b.order ? a.order < b.order : a.id < b.id;
}

const trace::GraphNode* producerOf(const trace::GraphDoc& graph, ValueId value) {
  for (const trace::GraphNode& n : graph.nodes)
    if (std::find(n.outputs.begin(), n.outputs.end(), value) != n.outputs.end()) return &n;
  return nullptr;
}

const trace::ArenaBuffer* bufferOf(const Place& place, Entity e) {
  const auto* arena = e.kind == Entity::Kind::buffer && place.trace() ? place.trace()->panel<trace::ArenaPanel>(place.step) : nullptr;
  if (!arena) return nullptr;
  for (const trace::ArenaBuffer& b : arena->buffers)
    if (entity(b.id) == e) return &b;
  return nullptr;
}

const trace::GraphNode* opBehind(const Place& place, const trace::GraphDoc& graph, Entity e) {
  switch (e.kind) {
  case Entity::Kind::op: return graph.nodes.find(NodeId(e.id));
  case Entity::Kind::value: return producerOf(graph, ValueId(e.id));
  case Entity::Kind::buffer:
    if (const trace::ArenaBuffer* b = bufferOf(place, e); b && !b->values.empty()) return producerOf(graph, b->values.front());
    return nullptr;
  default: return nullptr;
  }
}

std::optional<Entity> kernelOf(const Place& place, Entity e) {
  if (e.kind == Entity::Kind::kernel) return e;
  if (!place.trace() || place.trace()->steps().empty()) return {};
  const auto last = static_cast<uint32_t>(place.trace()->steps().size() - 1);
  std::optional<Entity> alone;
  for (const uint32_t step : {place.step, last}) {
    const trace::GraphDoc graph = place.trace()->at(std::min(step, last));
    const trace::GraphNode* op = opBehind(place, graph, e);
    if (!op) continue;
    if (op->group) return entity(op->group);
    alone = entity(op->id);
  }
  return alone;
}

std::vector<Entity> kernelsToShow(const Place& place) {
  std::vector<Entity> out;
  const auto add = [&](std::optional<Entity> kernel) {
    if (kernel) out.push_back(*kernel);
  };
  if (place.selected) add(kernelOf(place, *place.selected));
  if (const trace::Step* step = place.at(); step && step->id + 1 < place.trace()->steps().size())
    for (const Entity e : step->entities) add(kernelOf(place, e));
  const trace::TablePanel* tiles = table(place, "tiles");
  const trace::TablePanel::Row* most = nullptr;
  for (size_t i = 0; tiles && i < tiles->rows.size(); ++i) {
    const auto& row = tiles->rows[i];
    if (!row.entities.empty() && (!most || cell(*tiles, row, "work").toDouble() > cell(*tiles, *most, "work").toDouble())) most = &row;
  }
  if (most) out.push_back(most->entities.front());
  return out;
}

std::optional<int> categoryOf(const trace::GraphDoc& graph, Entity e) {
  if (e.kind == Entity::Kind::kernel) {
    const trace::GraphGroup* group = graph.groups.find(GroupId(e.id));
    return group ? std::optional<int>(group->category) : std::nullopt;
  }
  const trace::GraphNode* op = e.kind == Entity::Kind::op ? graph.nodes.find(NodeId(e.id)) : e.kind == Entity::Kind::value ? producerOf(graph, ValueId(e.id)) : nullptr;
  return op ? std::optional<int>(op->category) : std::nullopt;
}

std::optional<Named> namedIn(const trace::Document& document, const QString& words) {
  static const QRegularExpression label("node \"([^\"]+)\" \\((?:[^)]*::)?(\\w+)\\)");
  const auto found = label.match(words);
  if (!found.hasMatch()) return {};
  const std::string origin = (found.captured(2) + ' ' + found.captured(1)).toStdString();
  for (const bool end : {true, false})
    for (size_t i = 0; i < document.traces.size(); ++i) {
      const trace::Trace& t = *document.traces[i];
      if (t.steps().empty()) continue;
      const uint32_t step = end ? uint32_t(t.steps().size() - 1) : 0;
      for (const trace::GraphNode& n : t.at(step).nodes)
        for (const trace::Text& o : n.origins)
          if (o.str() == origin) return Named{i, step, entity(n.id)};
    }
  return {};
}

} // namespace cutaway::views
