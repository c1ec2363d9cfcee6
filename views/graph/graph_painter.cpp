#include "graph/graph_painter.h"

#include "kit/marks.h"
#include "kit/numbers.h"

#include <algorithm>

namespace cutaway::views {

namespace {

class Painter {
 public:
  Painter(Sheet& s, const GraphScene& scene, const StepMarks& marks, const std::optional<Entity>& selected, QRectF seen, const GraphClasses* classes)
      : s_(s), scene_(scene), marks_(marks), selected_(selected), seen_(seen), classes_(classes) {}

  void draw() {
    const auto& items = scene_.model.items;
    for (size_t i = 1; i < items.size(); ++i)
      if (items[i].kind == GraphItem::Scope && items[i].open && visible(i)) frame(i);
    links();
    for (size_t i = 1; i < items.size(); ++i)
      if (visible(i) && !(items[i].kind == GraphItem::Scope && items[i].open)) leaf(i);
    for (size_t i = 1; i < items.size(); ++i) // over the lines that cross them
      if (items[i].kind == GraphItem::Scope && items[i].open && visible(i)) frameTitle(i);
    labels();
    for (const StepMarks::Ghost& g : marks_.ghosts) ghost(s_, g.box, g.name);
    refusals();
    ring();
  }

 private:
  bool visible(size_t i) const { return !scene_.box[i].isEmpty() && scene_.box[i].adjusted(-8, -8, 8, 8).intersects(seen_); }

  void frame(size_t i) {
    const QRectF& b = scene_.box[i];
    s_.rect(b, 4, {s_.t.c("canvas")}, {s_.t.c("line")});
    s_.rect({b.left(), b.top(), b.width(), 26}, 4, {s_.t.c("sunken")}, {s_.t.c("line")});
  }
  void frameTitle(size_t i) {
    const QRectF& b = scene_.box[i];
    const GraphItem& item = scene_.model.items[i];
    const double left = std::max(b.left(), seen_.left()), right = std::min(b.right(), seen_.right()); // in sight as long as the frame is
    if ((right - left) * s_.k < 60) return;
    s_.row({left + 12, b.top(), right - left - 24, 26}, item.name, {.weight = 600, .plate = s_.t.c("sunken")},
           item.count == 1 ? QString("1 node") : QString("%1 nodes").arg(item.count), {.px = 11, .role = "textMuted", .plate = s_.t.c("sunken")});
  }

  void leaf(size_t i) {
    const GraphItem& item = scene_.model.items[i];
    const QRectF& b = scene_.box[i];
    const bool firing = marks_.firing.contains(item.key);
    if (s_.level == Level::Dots && item.kind != GraphItem::Scope) {
      const bool group = item.kind == GraphItem::Group;
      const int category = firing && !group ? -1 : colour(i, group ? item.category : -1);
      s_.rects({s_.pixels(b)}, {category >= 0 ? s_.t.category(category).stroke : s_.t.c(firing ? "accent" : "lineStrong")});
      return;
    }
    switch (item.kind) {
      case GraphItem::Scope:
        stack(s_, b, item.name, item.count == 1 ? QString("1 node") : QString("%1 nodes").arg(item.count));
        if (classes_) drawClassShares(s_, b.height() * s_.k < 16 ? b : QRectF(b.left() + 4, b.bottom() - 7, b.width() - 8, 4), *classes_, classes_->within[i]);
        break;
      case GraphItem::Value: pill(s_, b, item.name, item.note); break;
      case GraphItem::Node: node(s_, b, item.name, item.note, item.eager, colour(i, -1)); break;
      case GraphItem::Group: hull(s_, hullOf(item, b, colour(i, item.category), firing)); break;
    }
    state(item, b, firing);
    if (item.kind == GraphItem::Group && firing && !marks_.refused) entering(item, b);
  }
  // By class where that is chosen.
  int colour(size_t item, int own) const { return classes_ ? classes_->of(item) : own; }
  // Who joins the group in this step, and what that saves.
  void entering(const GraphItem& item, const QRectF& b) {
    if (s_.level < Level::Types) return;
    for (size_t row = 0; row < item.members.size(); ++row) {
      if (!marks_.firing.contains(QString("n:%1").arg(item.members[row].v))) continue;
      const QPointF at(b.left() - 10, memberBox(b, int(row)).center().y());
      tag(s_, at, "entering " + item.name.section(' ', 0, 0), 1, true);
      if (!marks_.gain.isEmpty()) s_.text(at + QPointF(0, 20 / std::min(1., s_.k)), marks_.gain, {.px = 11, .role = "created", .weight = 600, .anchor = 1, .plate = s_.t.c("canvas")});
      return;
    }
  }
  Hull hullOf(const GraphItem& item, const QRectF& b, int category, bool firing) const {
    Hull h{b, category, item.name, item.note, {}, firing};
    for (const NodeId id : item.members) {
      const trace::GraphNode* n = scene_.graph.nodes.find(id);
      if (!n) continue;
      const bool chosen = selected_ && *selected_ == entity(id);
      h.members.append({qt(n->name), trace::op_class_name(n->op_class), marks_.firing.contains(QString("n:%1").arg(id.v)), chosen, classes_ ? classes_->of(n->op_class) : -1});
    }
    return h;
  }
  void state(const GraphItem& item, const QRectF& b, bool firing) {
    const char* role = marks_.refused && firing ? "refused" : firing ? "accent" : marks_.created.contains(item.key) ? "created" : marks_.changed.contains(item.key) ? "changed" : nullptr;
    if (!role || item.kind == GraphItem::Group) return;
    const QColor c = s_.t.c(role);
    s_.rect(b, item.kind == GraphItem::Value ? 13 : 4, {}, {c, firing ? 2.5 : 2., marks_.refused && firing ? QList<double>{2, 3} : QList<double>{}});
    if (s_.level >= Level::Types)
      glyph(s_, marks_.refused && firing ? Glyph::Refused : firing ? Glyph::Play : marks_.created.contains(item.key) ? Glyph::Plus : Glyph::Tilde, {b.left() - 12 / s_.k, b.center().y()}, role, 6);
  }

  void links() {
    const double least = s_.level == Level::Dots ? 3 : 0;
    for (const SceneLink& l : scene_.links) {
      const QRectF box = l.points.boundingRect().adjusted(-4, -4, 4, 4);
      if (!box.intersects(seen_) || std::max(box.width(), box.height()) * s_.k < least) continue;
      const bool chosen = selected_ && *selected_ == entity(l.value);
      const int to = scene_.model.links[size_t(l.link)].to;
      const bool goesOn = to < 0 || (scene_.model.items[size_t(to)].kind == GraphItem::Scope && scene_.model.items[size_t(to)].open);
      route(s_, l.points, chosen ? "accent" : "edge", chosen ? 2.5 : 1.5, {}, !goesOn);
    }
  }
  void labels() {
    if (s_.level < Level::Types) return;
    for (const SceneLink& l : scene_.links)
      if (!l.label.isEmpty() && l.label.adjusted(0, 0, 80, 30).intersects(seen_)) edgeLabel(s_, {l.label.left() + 10 / std::min(1., s_.k), l.label.center().y() - 7}, l.type, l.bytes);
  }

  // The outline of what a note speaks of.
  QRectF around(const trace::GraphNote& note) const {
    QRectF out;
    for (const Entity e : note.entities)
      if (const QRectF b = scene_.boxOf(e); !b.isEmpty()) out = out.isEmpty() ? b : out.united(b);
    return out;
  }
  void refusals() {
    int cards = 0;
    for (const trace::GraphNote& note : marks_.notes) {
      const QRectF b = around(note);
      if (b.isEmpty() || !b.adjusted(-300, -40, 40, 40).intersects(seen_)) continue;
      const QColor red = s_.t.c("refused");
      const bool own = marks_.refused && cards == 0;
      if (own) s_.rect(b.adjusted(-8, -8, 8, 8), 12, {}, {red, 1.5, {2, 3}});
      const QPointF at(b.left() - 12, b.top() + 12);
      if (!own || s_.k < .75) {
        QPainterPath ring;
        ring.addEllipse(QPointF(0, 0), 9, 9);
        if (s_.level >= Level::Types) s_.mark(at, ring, {s_.t.c("canvas")}, {red, 1}), glyph(s_, Glyph::Refused, at, "refused", 6);
      } else {
        card(note, b);
        ++cards;
      }
    }
  }
  void card(const trace::GraphNote& note, const QRectF& about) {
    static const char* const kinds[] = {"Illegal", "Unprofitable", "Over a limit"};
    const double width = 216, lead = 15 / s_.k;
    const QString reason = qt(note.reason);
    const int lines = int(s_.width(reason, {.px = 11}) / (width - 32)) + 2;
    QRectF b(about.left() - 8 - 32 - width, about.top() - 8, width, 62 + lines * lead);
    // On the side with room; the canvas leaves a margin for it at the left of the graph.
    const QRectF right = b.translated(about.width() + 2 * 40 + width, 0);
    bool crowded = false;
    for (size_t i = 1; i < scene_.box.size(); ++i) crowded = crowded || (scene_.model.items[i].kind != GraphItem::Scope && scene_.box[i].intersects(b));
    const bool left = !crowded;
    if (!left) b = right;
    const QColor red = s_.t.c("refused");
    s_.line({left ? b.right() : about.right() + 8, about.top() + 18}, {left ? about.left() - 8 : b.left(), about.top() + 18}, {red, 1.5, {2, 3}});
    s_.rect(b, 6, {s_.t.c("raised")}, {red, 1.5, {2, 3}});
    glyph(s_, Glyph::Refused, b.topLeft() + QPointF(18, 18), "refused");
    s_.text(b.topLeft() + QPointF(34, 18), qt(note.title), {.weight = 600, .room = width - 44});
    s_.para(b.topLeft() + QPointF(12, 38), width - 24, lead, reason, {.px = 11, .role = "textSecondary"});
    s_.text(b.bottomLeft() + QPointF(12, -14), kinds[size_t(note.kind)], {.px = 11, .role = "refused", .weight = 600});
  }

  void ring() {
    if (!selected_) return;
    const int at = scene_.model.itemOf(*selected_);
    if (at < 0 || scene_.box[size_t(at)].isEmpty()) return;
    const GraphItem& item = scene_.model.items[size_t(at)];
    if (selected_->kind == Entity::Kind::value && item.kind != GraphItem::Value) return; // its line is lit
    selectionRing(s_, scene_.boxOf(*selected_), item.kind == GraphItem::Group ? 10 : 4);
  }

  Sheet& s_;
  const GraphScene& scene_;
  const StepMarks& marks_;
  const std::optional<Entity>& selected_;
  const QRectF seen_;
  const GraphClasses* classes_;
};

void markEdits(const trace::Step& step, const GraphScene& scene, const QHash<QString, QRectF>& old, StepMarks& out) {
  const auto& now = scene.places;
  const auto free = [&](const QRectF& box) {
    for (size_t i = 1; i < scene.box.size(); ++i)
      if (!(scene.model.items[i].kind == GraphItem::Scope && scene.model.items[i].open) && scene.box[i].adjusted(-6, -6, 6, 6).intersects(box)) return false;
    for (const SceneLink& l : scene.links)
      if (l.label.intersects(box)) return false;
    return true;
  };
  for (const trace::Edit& edit : step.edits) {
    if (const auto* n = std::get_if<trace::Change<trace::GraphNode>>(&edit)) {
      const auto& any = n->after ? n->after : n->before;
      const QString key = QString("n:%1").arg(any->id.v);
      if (!n->before) out.created.insert(key);
      else if (n->after && now.contains(key) && (n->before->inputs != n->after->inputs || n->before->op != n->after->op)) out.changed.insert(key);
      const bool gone = !n->after, entered = n->before && n->after && !n->before->group.valid() && n->after->group.valid();
      if (entered) out.firing.insert(key);
      if ((gone || entered) && old.contains(key) && out.ghosts.size() < 8 && free(old[key])) out.ghosts.push_back({old[key], qt(any->name) + ", one step ago"});
    } else if (const auto* g = std::get_if<trace::Change<trace::GraphGroup>>(&edit)) {
      if (!g->before && g->after) out.created.insert(QString("k:%1").arg(g->after->id.v));
    }
  }
}

} // namespace

StepMarks marksOf(const Place& place, const GraphScene& scene, const QHash<QString, QRectF>& before) {
  StepMarks out;
  const trace::Step* step = place.at();
  if (!step) return out;
  out.refused = step->refused;
  for (const Entity e : step->entities) {
    out.firing.insert(keyOf(e));
    if (const int at = scene.model.itemOf(e); at >= 0) out.firing.insert(scene.model.items[size_t(at)].key);
  }
  const int64_t traffic = step->after.traffic_bytes - place.trace()->before(place.step).traffic_bytes;
  if (place.step > 0 && traffic < 0 && !step->refused) out.gain = "not written, not read back: " + QString(QChar(0x2212)) + byteText(-traffic);
  if (place.step > 0) markEdits(*step, scene, before, out);
  for (const trace::GraphNote& n : scene.graph.notes) out.notes.push_back(n);
  std::reverse(out.notes.begin(), out.notes.end()); // the newest first
  return out;
}

void drawGraph(Sheet& s, const GraphScene& scene, const StepMarks& marks, const std::optional<Entity>& selected, QRectF seen, const GraphClasses* classes) {
  Painter(s, scene, marks, selected, seen, classes).draw();
}

QString spokenItem(const GraphScene& scene, int at) {
  const GraphItem& item = scene.model.items[size_t(at)];
  switch (item.kind) {
    case GraphItem::Scope: return QString("scope %1, %2 nodes, %3").arg(item.path.isEmpty() ? item.name : item.path).arg(item.count).arg(item.open ? "open" : "closed");
    case GraphItem::Group: return QString("kernel %1, %2, %3 ops").arg(item.name, item.note).arg(item.members.size());
    case GraphItem::Node: return QString("op %1, %2").arg(item.name, item.note);
    case GraphItem::Value: return QString("value %1, %2").arg(item.name, item.note);
  }
  return {};
}

} // namespace cutaway::views
