#include "shell/inspector_figure.h"

#include "graph/graph_model.h"
#include "kit/marks.h"
#include "kit/numbers.h"
#include "kit/probe_sheet.h"
#include "place/reading.h"

#include <memory>

namespace cutaway::views {
namespace {

struct Row {
  QString name, before, after;
  int better = 0; // 1: better, -1: worse
};

std::vector<Row> metricRows(const trace::Metrics& a, const trace::Metrics& b) {
  std::vector<Row> rows;
  const auto add = [&](const char* name, int64_t x, int64_t y, bool bytes) {
    if (y < 0) return;
    const auto text = [bytes](int64_t v) { return v < 0 ? QString(QChar(0x2013)) : bytes ? byteText(v) : number(double(v)); };
    const int better = x < 0 || x == y ? 0 : y < x ? 1 : -1;
    // Where both round to the same digits, the difference.
    const bool same = better != 0 && text(x) == text(y);
    rows.push_back({name, text(x), same ? (y < x ? QChar(0x2212) : QChar('+')) + text(std::abs(y - x)) : text(y), better});
  };
  add("Nodes", a.nodes, b.nodes, false);
  add("Launches", a.launches, b.launches, false);
  add("Traffic", a.traffic_bytes, b.traffic_bytes, true);
  add("Peak bytes", a.peak_bytes, b.peak_bytes, true);
  return rows;
}

// Draws downward and knows how far it came; drawn once on a meter for the height, then on the sheet.
class Column {
 public:
  Column(Sheet& s, double width) : s_(s), right_(width - 16) {}
  double y = 24;
  void title(const QString& text) { y = s_.para({16, y}, right_ - 16, 20, text, {.px = 15, .weight = 600}) + 4; }
  void words(const QString& text, const char* role = "textSecondary", double indent = 0) { y = s_.para({16 + indent, y}, right_ - 16 - indent, 17, text, {.role = role}); }
  void strong(const QString& text, double indent = 0) { y = s_.para({16 + indent, y}, right_ - 16 - indent, 17, text, {.weight = 600}); }
  void line() { s_.line({16, y}, {right_, y}, {s_.t.c("line")}); }
  void pair(const QString& name, const QString& value, bool mono = false) {
    if (value.isEmpty()) return;
    line();
    s_.text({16, y + 14}, name, {.px = 11, .role = "textMuted"});
    s_.text({right_, y + 14}, value, {.px = mono ? 11. : 12., .mono = mono, .anchor = 1, .room = right_ - 16 - 92});
    y += 28;
  }
  void metric(const Row& r) {
    line();
    s_.text({16, y + 14}, r.name, {.role = "textSecondary"});
    s_.text({right_ - 92, y + 14}, r.before, {.role = "textSecondary", .anchor = 1});
    s_.text({right_, y + 14}, r.after, {.role = r.better > 0 ? "created" : r.better < 0 ? "refused" : "text", .weight = 600, .anchor = 1});
    y += 28;
  }
  void head() {
    const Type type{.px = 11, .role = "textMuted", .anchor = 1};
    s_.text({right_ - 92, y}, "before", type), s_.text({right_, y}, "after", type);
    y += 12;
  }
  Sheet& s_;
  double right_;
};

Figure columnFigure(const Theme& theme, QSizeF room, QString spoken, std::function<void(Column&)> fill) {
  ProbeSheet meter(theme);
  Column measured(meter, room.width());
  fill(measured);
  const QSizeF size(room.width(), std::max(room.height(), measured.y + 24));
  return {size, [fill = std::move(fill), width = room.width()](Sheet& s) {
            Column c(s, width);
            fill(c);
          }, {{QRectF(0, 0, size.width(), 24), nothing, spoken}}};
}

std::vector<const trace::Step*> refusedNear(const trace::Trace& t, const trace::Step& step) {
  std::vector<const trace::Step*> out;
  const trace::Pass& p = t.passes()[step.pass];
  for (uint32_t i = std::min(step.id + 8, p.last); i-- > p.first && out.size() < 3;)
    if (t.steps()[i].refused && i != step.id) out.push_back(&t.steps()[i]);
  return out;
}

} // namespace

Figure stepFigure(const Place& place, const Theme& theme, QSizeF room) {
  const trace::Step* step = place.at();
  if (!step)
    return columnFigure(theme, room, "Nothing chosen yet", [](Column& c) {
      c.title("Nothing chosen yet");
      c.words("Open a model; its passes and their steps stand at the left.");
    });
  const trace::Trace& t = *place.trace();
  return columnFigure(theme, room, qt(step->title) + ". " + qt(step->explanation), [keep = place.document, step, &t](Column& c) {
    tag(c.s_, {16, c.y}, qt(t.passes()[step->pass].name) + ": " + qt(step->code), -1, false, step->refused ? "refused" : "accent");
    c.y += 29;
    c.title(qt(step->title));
    c.words(qt(step->explanation));
    c.y += 12;
    c.head();
    for (const Row& r : metricRows(t.before(step->id), step->after)) c.metric(r);
    c.line();
    const auto refused = refusedNear(t, *step);
    if (refused.empty()) return;
    c.y += 24;
    c.strong("Refused here");
    c.y += 6;
    for (const trace::Step* r : refused) {
      glyph(c.s_, Glyph::Refused, {23, c.y}, "refused", 6);
      c.words(qt(r->title), "text", 24);
      c.words(qt(r->explanation), "textSecondary", 24);
      c.y += 6;
    }
  });
}

namespace {

void fillOp(Column& c, const trace::GraphNode& n, const trace::GraphDoc& g) {
  c.title(qt(n.name));
  c.words(QString("%1, %2%3").arg(qt(n.op), trace::op_class_name(n.op_class), n.eager ? ", runs eagerly" : ""));
  c.y += 8;
  c.pair("Scope", qt(n.scope));
  if (const trace::GraphGroup* group = n.group.valid() ? g.groups.find(n.group) : nullptr) c.pair("Kernel", qt(group->name));
  for (const ValueId v : n.inputs)
    if (const trace::GraphValue* value = v.valid() ? g.values.find(v) : nullptr) c.pair("Reads", typeText(*value), true);
  for (const ValueId v : n.outputs)
    if (const trace::GraphValue* value = g.values.find(v)) c.pair("Writes", typeText(*value), true);
  for (const trace::Attribute& a : n.attributes) c.pair(qt(a.name), qt(a.value), true);
  if (n.bytes >= 0) c.pair("Traffic", byteText(n.bytes));
  if (n.flops >= 0) c.pair("Work", number(double(n.flops)) + " FLOP");
  c.line();
  c.y += 20;
  if (!n.facts.empty()) c.strong("Proven");
  for (const trace::Text& f : n.facts) c.words(qt(f));
}

void fillValue(Column& c, const trace::GraphValue& v) {
  c.title(v.name.empty() ? QString("value %1").arg(v.id.v) : qt(v.name));
  c.words(typeText(v));
  c.y += 8;
  c.pair("Bytes", v.bytes >= 0 ? byteText(v.bytes) : "depends on a symbol");
  c.pair("Layout", qt(v.layout));
  c.pair("Strides", qt(v.strides), true);
  if (v.buffer.valid()) c.pair("Buffer", QString::number(v.buffer.v));
  c.line();
}

} // namespace

namespace {

void fillBuffer(Column& c, const trace::ArenaBuffer& b) {
  c.title("Buffer of " + qt(b.name));
  c.pair("Bytes", byteText(b.bytes)), c.pair("Offset", number(double(b.offset)));
  c.pair("Lives in", QString("[%1, %2)").arg(b.start).arg(b.end));
  c.pair("Written by", qt(b.producer)), c.pair("Last reader", qt(b.last_reader));
  for (const trace::Text& next : b.chain) c.pair("In place", qt(next));
  for (const trace::ArenaView& view : b.views) c.pair("View", qt(view.name));
  c.line();
}

} // namespace

Figure entityFigure(const Place& place, const Theme& theme, QSizeF room) {
  if (!place.selected || !place.trace())
    return columnFigure(theme, room, "Nothing selected", [](Column& c) {
      c.title("Nothing selected");
      c.words("Click an op, a line, a buffer or a kernel: it lights up in every view, and this panel says what it is.");
    });
  const auto graph = std::make_shared<trace::GraphDoc>(place.trace()->at(place.step));
  const Entity e = *place.selected;
  return columnFigure(theme, room, QString::fromStdString(entity_key(e)), [graph, e, place](Column& c) {
    if (const trace::GraphNode* n = e.kind == Entity::Kind::op ? graph->nodes.find(NodeId(e.id)) : nullptr) return fillOp(c, *n, *graph);
    if (const trace::GraphValue* v = e.kind == Entity::Kind::value ? graph->values.find(ValueId(e.id)) : nullptr) return fillValue(c, *v);
    if (const trace::GraphGroup* g = e.kind == Entity::Kind::kernel ? graph->groups.find(GroupId(e.id)) : nullptr) {
      c.title(qt(g->name));
      c.pair("Saved traffic", byteText(g->saved_bytes));
      const trace::Wiring wiring(*graph);
      for (const NodeId id : wiring.members(g->id))
        if (const trace::GraphNode* n = graph->nodes.find(id)) c.pair(trace::op_class_name(n->op_class), qt(n->name));
      return c.line();
    }
    if (const trace::ArenaBuffer* b = bufferOf(place, e)) return fillBuffer(c, *b);
    c.title(QString::fromStdString(entity_key(e)));
    c.words("It does not exist at this step.");
  });
}

namespace {

// Ops of the graph behind an entity.
std::vector<const trace::GraphNode*> opsOf(const trace::GraphDoc& graph, const Entity& e) {
  std::vector<const trace::GraphNode*> out;
  if (e.kind == Entity::Kind::kernel) {
    for (const trace::GraphNode& n : graph.nodes)
      if (n.group.v == e.id) out.push_back(&n);
  } else if (const trace::GraphNode* n = e.kind == Entity::Kind::op ? graph.nodes.find(NodeId(e.id)) : e.kind == Entity::Kind::value ? producerOf(graph, ValueId(e.id)) : nullptr) {
    out.push_back(n);
  }
  return out;
}

bool comesFrom(const trace::GraphNode& n, const trace::Text& origin) { return std::find(n.origins.begin(), n.origins.end(), origin) != n.origins.end(); }

// A node of the model: the ops that it became at import, and what of them is in the graph at hand.
struct SourceNode {
  trace::Text origin; // "Conv layer1.0/Conv"
  std::vector<const trace::GraphNode*> imported, now;
};

void fillSource(Column& c, const SourceNode& node, const trace::GraphDoc& first, const trace::GraphDoc& graph) {
  const QString words = qt(node.origin);
  const qsizetype space = words.indexOf(' ');
  c.strong(space < 0 ? words : words.mid(space + 1));
  c.words(space < 0 ? QString("node of the model") : words.left(space) + " of the model");
  c.y += 6;
  QSet<uint32_t> made, read;
  for (const trace::GraphNode* n : node.imported) {
    for (const ValueId v : n->outputs) made.insert(v.v);
    for (const ValueId v : n->inputs) read.insert(v.v);
  }
  const auto side = [&](const char* name, bool inputs) {
    QSet<uint32_t> seen;
    for (const trace::GraphNode* n : node.imported)
      for (const ValueId v : inputs ? n->inputs : n->outputs)
        if (const trace::GraphValue* value = v.valid() ? first.values.find(v) : nullptr; value && !(inputs ? made : read).contains(v.v) && !seen.contains(v.v)) seen.insert(v.v), c.pair(name, typeText(*value), true);
  };
  side("Reads", true), side("Writes", false);
  for (const trace::GraphNode* n : node.imported)
    for (const trace::Attribute& a : n->attributes) c.pair(qt(a.name), qt(a.value), true);
  QStringList ops;
  for (const trace::GraphNode* n : node.imported) ops << qt(n->op);
  c.line();
  c.y += 16;
  if (!ops.isEmpty()) c.words((ops.size() == 1 ? QString("Imported as ") : QString("Imported as %1 ops: ").arg(ops.size())) + ops.join(", ") + '.');
  QStringList kernels;
  size_t alone = 0;
  for (const trace::GraphNode* n : node.now)
    if (const trace::GraphGroup* g = n->group.valid() ? graph.groups.find(n->group) : nullptr; !g) ++alone;
    else if (!kernels.contains(qt(g->name))) kernels << qt(g->name);
  QStringList where;
  if (!kernels.isEmpty()) where << "in " + kernels.join(", ");
  if (alone) where << (alone == node.now.size() ? QString("in no kernel") : QString("%1 in no kernel").arg(alone));
  c.words(node.now.empty() ? QString("Nothing of it is left at this step.") : QString("At this step: %1 %2, %3.").arg(node.now.size()).arg(node.now.size() == 1 ? "op" : "ops", where.join(", ")));
  c.y += 16;
}

} // namespace

Figure sourceNodesFigure(const Place& place, const Theme& theme, QSizeF room) {
  struct Found {
    trace::GraphDoc first, graph;
    std::vector<SourceNode> nodes;
  };
  const auto found = std::make_shared<Found>();
  if (place.at()) {
    found->first = place.trace()->at(0), found->graph = place.trace()->at(place.step);
    for (const Entity e : place.selected ? std::vector<Entity>{*place.selected} : place.at()->entities)
      for (const trace::GraphNode* n : opsOf(found->graph, e))
        for (const trace::Text& origin : n->origins)
          if (std::none_of(found->nodes.begin(), found->nodes.end(), [&](const SourceNode& s) { return s.origin == origin; })) found->nodes.push_back({origin, {}, {}});
    for (SourceNode& s : found->nodes) {
      for (const trace::GraphNode& n : found->first.nodes)
        if (comesFrom(n, s.origin)) s.imported.push_back(&n);
      for (const trace::GraphNode& n : found->graph.nodes)
        if (comesFrom(n, s.origin)) s.now.push_back(&n);
    }
  }
  const QString about = found->nodes.empty() ? "No node of the model" : qt(found->nodes.front().origin);
  return columnFigure(theme, room, about, [found, place](Column& c) {
    if (found->nodes.empty()) {
      c.title("No node of the model");
      return c.words(place.selected ? "What is selected comes from no single node of the model." : "Select an op, a value or a kernel: this panel shows the nodes of the model that it comes from.");
    }
    constexpr size_t most = 12;
    for (size_t i = 0; i < std::min(most, found->nodes.size()); ++i) fillSource(c, found->nodes[i], found->first, found->graph);
    if (found->nodes.size() > most) c.words(QString("and %1 more").arg(found->nodes.size() - most));
  });
}

} // namespace cutaway::views
