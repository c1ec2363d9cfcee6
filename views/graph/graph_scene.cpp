#include "graph/graph_scene.h"

#include "graph/routing.h"
#include "graph/series.h"
#include "kit/marks.h"
#include "kit/numbers.h"
#include "kit/probe_sheet.h"

#include <cmath>

namespace cutaway::views {
namespace {

constexpr double header = 26, padding = 16, rowHeight = 24;

double up(double v) { return std::ceil(v / 4) * 4; } // onto the 4 px grid

// A level laid out: places of its children within its interior, and where values cross its frame.
struct Interior {
  enum { Waiting, Asked, Placed } state = Waiting;
  QSizeF size; // interior
  DotInput input;
  Series series;
  DotResult placed;
  std::vector<int> nodes;             // item of each dot node; -1: a port
  QHash<uint32_t, int> entering, leaving; // the dot node of the port, by value
  QHash<uint32_t, double> in, out;        // its x
};

} // namespace

class GraphLayout::Work {
 public:
  Work(const trace::GraphDoc& g, GraphModel&& model, const Theme& theme) : meter_(theme), scene_(std::make_shared<GraphScene>()) {
    scene_->graph = g;
    scene_->model = std::move(model);
    const auto& items = scene_->model.items;
    sizes_.resize(items.size()), levels_.resize(items.size());
    for (size_t i = 0; i < items.size(); ++i) sizes_[i] = leafSize(items[i]);
    // Children come after their scope, so inner levels are met first from behind.
    for (int i = int(items.size()) - 1; i >= 0; --i)
      if (isFrame(i)) open_.push_back(i);
  }

  std::shared_ptr<const GraphScene> advance(const Known& known, std::vector<DotQuestion>& missing) {
    for (const int i : open_) {
      Interior& l = levels_[size_t(i)];
      if (l.state == Interior::Waiting && inside(i)) ask(i);
      if (l.state != Interior::Asked) continue;
      bool all = true;
      for (const DotQuestion* q : l.series.questions())
        if (!known(q->text)) all = false, missing.push_back(*q);
      if (all) settle(i, l.series.join(known));
    }
    if (levels_[0].state != Interior::Placed) return nullptr;
    scene_->box.resize(scene_->model.items.size());
    scene_->size = levels_[0].size + QSizeF(48, 48);
    place(0, {24, 24});
    for (size_t i = 0; i < scene_->box.size(); ++i)
      if (!scene_->box[i].isEmpty()) findPlaces(i);
    return scene_;
  }

 private:
  bool isFrame(int i) const {
    const GraphItem& item = scene_->model.items[size_t(i)];
    return item.kind == GraphItem::Scope && item.open && (i == 0 || item.parent >= 0);
  }
  QSizeF leafSize(const GraphItem& item) const {
    const Type name{.weight = 500}, strong{.weight = 600}, note{.px = 11}, mono{.px = 11, .mono = true};
    const auto row = [&](const QString& a, const Type& ta, const QString& b, const Type& tb) { return meter_.width(a, ta) + meter_.width(b, tb); };
    switch (item.kind) {
      case GraphItem::Node: return {std::clamp(up(row(item.name, name, item.note, note) + 36), 120., 320.), 28};
      case GraphItem::Value: return {std::clamp(up(row(item.name, strong, item.note, mono) + 36), 64., 420.), 26};
      case GraphItem::Scope: return {std::max(140., up(row(item.name, strong, countText(item), note) + 44)), 36};
      case GraphItem::Group: break;
    }
    double width = std::max(160., row(item.name, strong, item.note, note) + 48);
    for (const NodeId id : item.members)
      if (const trace::GraphNode* n = scene_->graph.nodes.find(id)) width = std::max(width, row(qt(n->name), name, trace::op_class_name(n->op_class), note) + 44);
    return {std::min(up(width), 340.), header + rowHeight * double(item.members.size()) + 4};
  }
  static QString countText(const GraphItem& item) { return item.count == 1 ? QString("1 node") : QString("%1 nodes").arg(item.count); }

  bool inside(int level) const {
    for (const int child : scene_->model.items[size_t(level)].children)
      if (isFrame(child) && levels_[size_t(child)].state != Interior::Placed) return false;
    return true;
  }

  // All within it is placed, so its own boxes have sizes.
  void ask(int at) {
    const GraphItem& item = scene_->model.items[size_t(at)];
    Interior& l = levels_[size_t(at)];
    DotInput& input = l.input;
    QHash<int, int> node_of; // by item
    for (const int child : item.children) {
      node_of.insert(child, int(l.nodes.size()));
      l.nodes.push_back(child);
      input.nodes.push_back(sizes_[size_t(child)]);
    }
    const auto port = [&](QHash<uint32_t, int>& ports, uint32_t value, std::vector<int>& rank) {
      auto found = ports.constFind(value);
      if (found != ports.constEnd()) return *found;
      const int node = int(l.nodes.size());
      l.nodes.push_back(-1), input.nodes.push_back({8, 1}), rank.push_back(node), ports.insert(value, node);
      return node;
    };
    for (const int id : scene_->model.links_of[size_t(at)]) {
      const GraphLink& link = scene_->model.links[size_t(id)];
      const uint32_t value = link.values[0].v;
      DotEdge e;
      e.from = link.from < 0 ? port(l.entering, value, input.sources) : node_of.value(link.from);
      e.to = link.to < 0 ? port(l.leaving, value, input.sinks) : node_of.value(link.to);
      if (link.to >= 0 && !isFrame(link.to)) e.label = labelSize(link); // else it stands within the frame
      input.edges.push_back(e);
    }
    l.series = Series(input);
    l.state = Interior::Asked;
  }
  void settle(int at, DotResult&& placed) {
    const GraphItem& item = scene_->model.items[size_t(at)];
    Interior& l = levels_[size_t(at)];
    l.placed = std::move(placed), l.size = l.placed.size + QSizeF(backChannel(l.input, l.placed), 0);
    l.state = Interior::Placed;
    scene_->exact = scene_->exact && l.placed.exact;
    for (auto it = l.entering.begin(); it != l.entering.end(); ++it) l.in.insert(it.key(), l.placed.nodes[size_t(it.value())].x());
    for (auto it = l.leaving.begin(); it != l.leaving.end(); ++it) l.out.insert(it.key(), l.placed.nodes[size_t(it.value())].x());
    if (at == 0) return;
    const double title = meter_.width(item.name, {.weight = 600}) + meter_.width(countText(item), {.px = 11}) + 60;
    sizes_[size_t(at)] = {std::max(l.size.width() + 2 * padding, title), l.size.height() + header + 2 * padding};
  }

  QString typeOf(const GraphLink& link) const {
    if (link.values.size() > 1) return QString("%1 values").arg(link.values.size());
    const trace::GraphValue* v = scene_->graph.values.find(link.values[0]);
    return v ? typeText(*v) : QString();
  }
  static QString bytesOf(const GraphLink& link) { return link.bytes < 0 ? QString("size open") : byteText(link.bytes); }
  QSizeF labelSize(const GraphLink& link) const {
    return {std::ceil(std::max(meter_.width(typeOf(link), {.px = 11, .mono = true}), meter_.width(bytesOf(link), {.px = 11}))) + 16, 30};
  }

  // Where the interior of a frame starts, from the frame's corner.
  QPointF interior(int at) const {
    if (at == 0) return {};
    return {(sizes_[size_t(at)].width() - levels_[size_t(at)].size.width()) / 2, header + padding};
  }

  void place(int at, QPointF corner) {
    const Interior& l = levels_[size_t(at)];
    scene_->box[size_t(at)] = {corner, at == 0 ? l.size : sizes_[size_t(at)]};
    const QPointF origin = corner + interior(at);
    std::vector<LinkEnds> ends;
    const auto& ids = scene_->model.links_of[size_t(at)];
    for (const int id : ids) {
      const GraphLink& link = scene_->model.links[size_t(id)];
      const uint32_t value = link.values[0].v;
      ends.push_back({portX(l, link.from, value, false), portX(l, link.to, value, true), value});
    }
    const std::vector<QPolygonF> routes = routeLinks(l.input, l.placed, ends);
    for (size_t i = 0; i < routes.size(); ++i) addLink(at, ids[i], l, i, routes[i], origin);
    for (size_t i = 0; i < l.nodes.size(); ++i) {
      if (l.nodes[i] < 0) continue;
      const QSizeF size = sizes_[size_t(l.nodes[i])];
      const QPointF top = origin + l.placed.nodes[i] - QPointF(size.width() / 2, size.height() / 2);
      if (isFrame(l.nodes[i])) place(l.nodes[i], top);
      else scene_->box[size_t(l.nodes[i])] = {top, size};
    }
  }
  // x within the level, where the item is a frame with a port for the value or the level's own border.
  std::optional<double> portX(const Interior& l, int item, uint32_t value, bool entering) const {
    if (item < 0) {
      const auto& ports = entering ? l.out : l.in;
      if (const auto found = ports.constFind(value); found != ports.constEnd()) return *found;
      return {};
    }
    if (!isFrame(item)) return {};
    const Interior& inner = levels_[size_t(item)];
    const auto& ports = entering ? inner.in : inner.out;
    const auto found = ports.constFind(value);
    if (found == ports.constEnd()) return {};
    for (size_t i = 0; i < l.nodes.size(); ++i)
      if (l.nodes[i] == item) return l.placed.nodes[i].x() - sizes_[size_t(item)].width() / 2 + interior(item).x() + *found;
    return {};
  }
  void addLink(int at, int id, const Interior& l, size_t i, const QPolygonF& route, QPointF origin) {
    const GraphLink& link = scene_->model.links[size_t(id)];
    SceneLink out;
    out.link = id, out.value = link.values[0];
    out.points = route.translated(origin);
    if (at > 0) { // a line that crosses the frame starts or ends on it
      if (link.from < 0) out.points.first().setY(origin.y() - header - padding);
      if (link.to < 0) out.points.last().setY(origin.y() + l.size.height() + padding);
    }
    const QSizeF size = l.input.edges[i].label;
    if (!size.isEmpty()) {
      out.type = typeOf(link), out.bytes = bytesOf(link);
      const double y = origin.y() + l.placed.labels[i].y();
      out.label = {QPointF(lineX(out.points, y, origin.x() + l.placed.labels[i].x() - size.width() / 2), y - size.height() / 2), size};
    }
    scene_->links.push_back(std::move(out));
  }

  // Where an orthogonal line passes y, straight down.
  static double lineX(const QPolygonF& line, double y, double otherwise) {
    for (qsizetype i = 0; i + 1 < line.size(); ++i)
      if (line[i].x() == line[i + 1].x() && std::min(line[i].y(), line[i + 1].y()) <= y && y <= std::max(line[i].y(), line[i + 1].y())) return line[i].x();
    return otherwise;
  }

  void findPlaces(size_t at) {
    const GraphItem& item = scene_->model.items[at];
    scene_->places.insert(item.key, scene_->box[at]);
    for (size_t row = 0; item.kind == GraphItem::Group && row < item.members.size(); ++row)
      scene_->places.insert(keyOf(entity(item.members[row])), memberBox(scene_->box[at], int(row)));
  }

  ProbeSheet meter_;
  std::shared_ptr<GraphScene> scene_;
  std::vector<QSizeF> sizes_; // by item
  std::vector<Interior> levels_; // by item; of frames
  std::vector<int> open_;     // frames, inner ones first
};

GraphLayout::GraphLayout(const trace::GraphDoc& graph, GraphModel model, const Theme& theme) : work_(std::make_unique<Work>(graph, std::move(model), theme)) {}
GraphLayout::~GraphLayout() = default;

std::shared_ptr<const GraphScene> GraphLayout::advance(const Known& known, std::vector<DotQuestion>& missing) { return work_->advance(known, missing); }

QRectF memberBox(const QRectF& group, int row) { return {group.left() + 6, group.top() + header + rowHeight * row, group.width() - 12, rowHeight - 2}; }

QRectF GraphScene::boxOf(Entity e) const {
  const int at = model.itemOf(e);
  if (at < 0) return {};
  const GraphItem& item = model.items[size_t(at)];
  if (item.kind == GraphItem::Group && e.kind == Entity::Kind::op)
    for (size_t row = 0; row < item.members.size(); ++row)
      if (item.members[row].v == e.id) return memberBox(box[size_t(at)], int(row));
  return box[size_t(at)];
}

std::shared_ptr<const GraphScene> layoutGraphNow(const trace::GraphDoc& graph, GraphModel model, const Theme& theme, DotAnswers* kept) {
  DotAnswers own;
  DotAnswers& answers = kept ? *kept : own;
  GraphLayout layout(graph, std::move(model), theme);
  for (;;) {
    std::vector<DotQuestion> missing;
    if (auto scene = layout.advance([&](const QByteArray& text) { return answers.value(text).get(); }, missing)) return scene;
    QHash<QByteArray, DotQuestion> asked;
    for (DotQuestion& q : missing) asked.insert(q.text, std::move(q));
    const std::vector<DotQuestion> questions(asked.begin(), asked.end());
    std::vector<DotResult> placed = runDot(questions);
    for (size_t i = 0; i < questions.size(); ++i) answers.insert(questions[i].text, std::make_shared<const DotResult>(std::move(placed[i])));
  }
}

} // namespace cutaway::views
