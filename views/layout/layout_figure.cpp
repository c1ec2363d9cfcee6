#include "layout/layout_figure.h"

#include "kit/grid.h"
#include "kit/numbers.h"
#include "layout/planes.h"
#include "place/empty.h"
#include "place/reading.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cutaway::views {
namespace {

constexpr double edge = 24, wide = 720;
constexpr qsizetype mostRows = 200;

bool held(const trace::GraphValue& v) { return v.role != trace::ValueRole::parameter && v.role != trace::ValueRole::constant; }

// Whether the layout pass gave it an order that is not that of its type.
bool reordered(const trace::GraphValue& v) {
  if (v.layout.empty()) return false;
  const auto walk = Walk::of(qt(v.shape), qt(v.strides));
  return walk && !walk->isRowMajor();
}

const trace::GraphValue* valueOf(const Place& place, const trace::GraphDoc& graph, Entity e) {
  if (e.kind == Entity::Kind::value) return graph.values.find(ValueId(e.id));
  if (e.kind == Entity::Kind::op) {
    const trace::GraphNode* n = graph.nodes.find(NodeId(e.id));
    return n && !n->outputs.empty() ? graph.values.find(n->outputs.front()) : nullptr;
  }
  if (const trace::ArenaBuffer* b = bufferOf(place, e); b && !b->values.empty()) return graph.values.find(b->values.front());
  if (e.kind != Entity::Kind::kernel) return nullptr;
  const trace::GraphNode* last = nullptr;
  for (const trace::GraphNode& n : graph.nodes)
    if (n.group.v == e.id && (!last || n.order > last->order)) last = &n;
  return last && !last->outputs.empty() ? graph.values.find(last->outputs.front()) : nullptr;
}

const trace::GraphValue* chosen(const Place& place, const trace::GraphDoc& graph) {
  if (place.selected)
    if (const auto* v = valueOf(place, graph, *place.selected)) return v;
  const trace::Step* step = place.at();
  if (step && place.trace()->passes()[step->pass].name.view() == "layout")
    for (const Entity e : step->entities)
      if (const auto* v = valueOf(place, graph, e)) return v;
  std::set<uint32_t> views, windowed; // other readings of values; values read by window
  for (const trace::GraphNode& n : graph.nodes) {
    if (n.op_class == trace::OpClass::view)
      for (const ValueId v : n.outputs) views.insert(v.v);
    if (readsWindows(n) && !n.inputs.empty()) windowed.insert(n.inputs.front().v);
  }
  const trace::GraphValue* most = nullptr;
  for (const trace::GraphValue& v : graph.values) {
    if (v.bytes < 0) continue;
    const auto rank = [&](const trace::GraphValue& x) { return std::tuple(held(x) && !views.contains(x.id.v), reordered(x), windowed.contains(x.id.v), x.bytes); }; // an order that was chosen says more than size
    if (!most || rank(v) > rank(*most)) most = &v;
  }
  return most;
}

struct Copies {
  QList<GridRow> rows;
  QList<std::pair<Entity, QString>> hits; // one a row
  int64_t bytes = 0;

  void add(GridRow row, Entity who, const QString& spoken) { rows.append(std::move(row)), hits.append({who, spoken}); }
};

// Ops of one kind that move nothing for one reason are one row.
struct Alike {
  GridRow row;
  Entity first;
  QString spoken;
  qsizetype count = 0;
};
void addAlike(Copies& out, const std::map<QString, Alike>& alike) {
  for (const auto& [key, a] : alike) {
    GridRow row = a.row;
    if (a.count > 1) row.cells[1] = QString("%1 %2 %3").arg(a.count).arg(QChar(0xd7)).arg(row.cells[1]); // beside the name of the first
    out.add(std::move(row), a.first, a.spoken + (a.count > 1 ? QString("; and %1 more like it").arg(a.count - 1) : QString()));
  }
}

// The ops of this step that read elements in another order, and what became of each.
void addMoves(Copies& out, const Place& place, const trace::GraphDoc& graph) {
  const trace::TablePanel* fates = table(place, "copies");
  std::map<Entity, const trace::TablePanel::Row*> known;
  for (size_t i = 0; fates && i < fates->rows.size(); ++i)
    if (!fates->rows[i].entities.empty()) known[fates->rows[i].entities.front()] = &fates->rows[i];
  qsizetype others = 0;
  Entity other{};
  std::map<QString, Alike> alike;
  for (const trace::GraphNode& n : graph.nodes) {
    if (n.op_class != trace::OpClass::view || n.inputs.empty() || n.outputs.empty()) continue;
    const auto fate = known.find(entity(n.id));
    const bool ends = fate == known.end(), copies = !ends && cell(*fates, *fate->second, "fate") == "copy";
    if (n.op.view() != "permute" && !copies) {
      if (!ends) ++others, other = entity(n.id);
      continue;
    }
    const int64_t bytes = copies ? cell(*fates, *fate->second, "written").toLongLong() : 0;
    const QString why = ends ? (fates ? "removed by a later step" : "not known: the compile stopped early") : (copies ? "copied: " : "no copy: ") + cell(*fates, *fate->second, "why");
    const trace::GraphValue *from = graph.values.find(n.inputs.front()), *to = graph.values.find(n.outputs.front());
    const QString name = n.scope.empty() ? qt(n.name) : qt(n.scope) + '/' + qt(n.name), arrow = QString("%1 %2 %3").arg(from ? qt(from->shape) : "", QChar(0x2192), to ? qt(to->shape) : "");
    const QString moved = ends ? QString() : byteText(bytes);
    out.bytes += bytes;
    const bool lit = place.selected && (*place.selected == entity(n.id) || (to && *place.selected == entity(to->id)));
    GridRow row{{name, qt(n.op), arrow, why, moved}, copies ? Glyph::Tilde : Glyph::Minus, copies ? "changed" : "textMuted", 0, lit};
    const QString spoken = QString("%1 %2, %3, %4").arg(qt(n.op), name, why, moved);
    if (copies || lit) {
      out.add(std::move(row), entity(n.id), spoken);
      continue;
    }
    Alike& same = alike[QStringList{qt(n.op), arrow, why}.join('\n')];
    if (same.count++ == 0) same.row = std::move(row), same.first = entity(n.id), same.spoken = spoken;
  }
  addAlike(out, alike);
  if (others) out.add({{QString("%1 other %2").arg(others).arg(others == 1 ? "view" : "views"), "reshape", "", "no copy: read in place or in a kernel", byteText(0)}, Glyph::Minus, "textMuted"}, other, QString("other views: %1, nothing copied").arg(others));
}

// Orders that the layout pass gave by now: no bytes move, the producer writes what its readers want.
void addOrders(Copies& out, const Place& place, const trace::GraphDoc& graph) {
  std::map<QString, std::pair<qsizetype, Entity>> orders;
  for (const trace::Step& s : place.trace()->steps()) {
    if (s.id > place.step) break;
    if (place.trace()->passes()[s.pass].name.view() != "layout") continue;
    if (s.refused) {
      out.add({{qt(s.title), "", "", qt(s.explanation), ""}, Glyph::Refused, "refused"}, s.entities.empty() ? Entity{} : s.entities.front(), qt(s.explanation));
      continue;
    }
    for (const Entity e : s.entities)
      if (const auto* v = e.kind == Entity::Kind::value ? graph.values.find(ValueId(e.id)) : nullptr; v && !v->layout.empty()) {
        auto& [count, first] = orders[qt(v->layout)];
        if (++count == 1) first = e;
      }
  }
  for (const auto& [order, values] : orders) {
    const QString name = QString("%1 %2 in order %3").arg(values.first).arg(values.first == 1 ? "value" : "values", order), why = "no copy: written in the order that is read";
    out.add({{name, "layout", QString("row-major %1 %2").arg(QChar(0x2192)).arg(order), why, byteText(0)}, Glyph::Minus, "textMuted"}, values.second, name + ", nothing copied");
  }
}

struct Drawing {
  QSizeF size;
  QString name, type, drawn;
  QList<Planes> orders;
  double tableTop = 0;
  QString total, rest;
  std::optional<Grid> copies;
  bool selected = false;

  void draw(Sheet& s) const {
    s.rect({{0, 0}, size}, 0, {s.t.c("canvas")});
    const double width = size.width() - 2 * edge, typeRoom = std::min(s.width(type, {.mono = true}), width * .6);
    s.text({edge, 26}, name, {.px = 15, .weight = 600, .room = width - typeRoom - 16});
    s.text({edge + width, 26}, type, {.role = "textSecondary", .mono = true, .anchor = 1, .room = typeRoom + 1});
    if (selected) s.line({edge, 38}, {edge + std::min(width, s.width(name, {.px = 15, .weight = 600})), 38}, {s.t.c("accent"), 2});
    s.para({edge, 50}, width, 18, drawn, {.role = "textSecondary"});
    for (const Planes& p : orders) p.draw(s);
    if (orders.size() > 1) {
      const double x = (orders[0].box().right() + orders[1].box().left()) / 2;
      s.line({x, orders[0].box().top()}, {x, tableTop - 16}, {s.t.c("line")});
    }
    s.line({0, tableTop - 8}, {size.width(), tableTop - 8}, {s.t.c("line")});
    s.text({edge, tableTop + 12}, "Transposes and copies of this step", {.px = 13, .weight = 600});
    s.text({edge + width, tableTop + 12}, total, {.px = 13, .weight = 600, .anchor = 1});
    if (copies) copies->draw(s);
    else s.text({edge, tableTop + 36}, "No op reads elements in another order than they lie.", {.role = "textSecondary", .room = width});
    if (!rest.isEmpty()) s.text({edge, size.height() - 20}, rest, {.role = "textMuted", .room = width});
  }
};

int64_t elementBytes(const trace::GraphValue& v, const Walk& w) {
  int64_t count = 1;
  for (const int64_t d : w.dims) count *= d;
  return std::max<int64_t>(1, v.bytes / std::max<int64_t>(1, count));
}

QString strideText(const Walk& w) {
  QStringList out;
  for (const int64_t s : w.strides) out << number(double(s));
  return out.join(", ");
}

void addOrders(Drawing& d, const trace::GraphValue& v, const Walk& walk, const std::optional<Window>& window, double top) {
  const double width = d.size.width() - 2 * edge;
  const int64_t bytes = elementBytes(v, walk);
  const QString order = v.layout.empty() ? "Own order" : qt(v.layout).contains(',') ? "Order " + qt(v.layout) : qt(v.layout);
  if (walk.isRowMajor()) {
    d.orders.append(Planes(walk, "Row-major", "as the type says", false, bytes, window, {edge, top}, std::min(width, 460.)));
    return;
  }
  const bool both = d.size.width() >= wide;
  const double room = both ? (width - 2 * edge) / 2 : std::min(width, 460.);
  if (both) d.orders.append(Planes(walk.rowMajor(), "Row-major", "as the type says", false, bytes, window, {edge, top}, room));
  d.orders.append(Planes(walk, order, "chosen", true, bytes, window, {both ? edge + room + 2 * edge : edge, top}, room));
}

} // namespace

Figure layoutFigure(const Place& place, const Theme& theme, QSizeF room) {
  const bool paper = theme.name() == "paper";
  const QSizeF size = paper ? QSizeF(673, 120) : room.expandedTo({480, 320});
  if (!place.at()) return emptyFigure(place, size, "layout", {}, {});
  const trace::GraphDoc graph = place.trace()->at(place.step);
  const trace::GraphValue* v = chosen(place, graph);
  const auto walk = v ? Walk::of(qt(v->shape), qt(v->strides)) : std::nullopt;
  if (!walk) return emptyFigure(place, size, "layout", "No layout", v ? QString("%1 has no elements, or its extents hang on symbols. Select another value.").arg(qt(v->name)) : "The graph has no values of known size. Bind the symbols of the model and compile it again.");
  auto d = std::make_shared<Drawing>();
  d->size = size;
  d->name = qt(v->name), d->type = qt(v->dtype) + qt(v->shape);
  d->selected = place.selected && valueOf(place, graph, *place.selected) == v;
  const QString part = walk->drawnPart();
  const auto window = windowOf(graph, *v, *walk);
  d->drawn = QString("%1, strides %2 elements. ").arg(byteText(v->bytes), strideText(*walk)) + (part.isEmpty() ? "Drawn whole; " : QString("Drawn small: %1; ").arg(part)) +
             "cells are numbered as the drawn elements lie in memory, the line walks the first ten" +
             (window ? QString("; framed, and marked in memory: what one output of %1 reads, %2, as far as it is drawn.").arg(window->reader, window->what) : QString("."));
  const double top = 50 + 18 * double(textLines(theme, d->drawn, size.width() - 2 * edge).size()) + 8;
  addOrders(*d, *v, *walk, window, top);
  d->tableTop = d->orders.back().box().bottom() + 24;
  Copies copies;
  addMoves(copies, place, graph);
  addOrders(copies, place, graph);
  if (copies.rows.size() > mostRows) {
    d->rest = QString("and %1 more").arg(copies.rows.size() - mostRows);
    copies.rows.resize(mostRows);
  }
  d->total = byteText(copies.bytes) + " copied";
  double bottom = d->tableTop + 52;
  if (!copies.rows.isEmpty()) {
    d->copies.emplace(theme, QPointF(edge, d->tableTop + 26), size.width() - 2 * edge,
                      QList<GridColumn>{{.title = "Name", .elastic = true, .least = 120, .weight = 500}, {.title = "Op", .drop = 3, .role = "textSecondary"}, {.title = "Order", .mono = true, .elastic = true, .least = 160, .drop = 2}, {.title = "What happens", .elastic = true, .least = 230, .drop = 1, .role = "textSecondary"}, {.title = "Bytes written", .number = true}},
                      copies.rows);
    bottom = d->copies->bottom() + (d->rest.isEmpty() ? 16 : 40);
  }
  d->size.setHeight(std::max(paper ? 0. : size.height(), bottom));
  Figure out{d->size, [d](Sheet& s) { d->draw(s); }, {}};
  for (const Planes& p : d->orders) out.hits.append({p.box(), entity(v->id), QString("value %1, %2, %3, strides %4").arg(d->name, d->type, byteText(v->bytes), strideText(*walk))});
  for (qsizetype i = 0; i < copies.rows.size(); ++i) out.hits.append({d->copies->row(int(i)), copies.hits[i].first, copies.hits[i].second});
  return out;
}

} // namespace cutaway::views
