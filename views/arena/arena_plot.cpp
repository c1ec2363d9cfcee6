#include "arena/arena_plot.h"

#include "kit/marks.h"
#include "kit/paper.h"
#include "place/empty.h"
#include "place/reading.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cutaway::views {
namespace {

std::set<ValueId> valuesOf(const Place& place, Entity e) {
  std::set<ValueId> out;
  if (e.kind == Entity::Kind::value) return {ValueId(e.id)};
  if (e.kind != Entity::Kind::op && e.kind != Entity::Kind::kernel) return out;
  const trace::GraphDoc graph = place.trace()->at(place.step);
  for (const trace::GraphNode& n : graph.nodes)
    if (entity(n.id) == e || (n.group && entity(n.group) == e)) out.insert(n.outputs.begin(), n.outputs.end());
  return out;
}

// The first step that tells of the arena: none before knows when its buffers live.
uint32_t firstTold(const trace::Trace& t) {
  for (const trace::Step& step : t.steps())
    for (const uint32_t panel : step.panels)
      if (std::holds_alternative<trace::ArenaPanel>(t.panels()[panel])) return step.id;
  return 0;
}

} // namespace

ArenaAt arenaAt(const Place& place) {
  ArenaAt out;
  out.step = place.step;
  out.arena = place.at() ? place.trace()->panel<trace::ArenaPanel>(place.step) : nullptr;
  if (!out.arena) return out;
  const std::set<ValueId> values = place.selected ? valuesOf(place, *place.selected) : std::set<ValueId>();
  const trace::Step* step = place.at();
  for (const trace::ArenaBuffer& b : out.arena->buffers) {
    if (b.placed_at == out.step && step && !step->entities.empty() && step->entities.back() == entity(b.id)) out.placing = &b;
    const bool holds = std::any_of(b.values.begin(), b.values.end(), [&](ValueId v) { return values.contains(v); });
    if (holds || (place.selected && *place.selected == entity(b.id))) out.selected.insert(b.id.v);
  }
  return out;
}

QMap<uint32_t, QString> arenaScopes(const Place& place, const trace::ArenaPanel& arena) {
  const trace::GraphDoc graph = place.trace()->at(uint32_t(place.trace()->steps().size() - 1));
  std::map<ValueId, const trace::GraphNode*> makers;
  for (const trace::GraphNode& n : graph.nodes)
    for (const ValueId v : n.outputs) makers[v] = &n;
  QMap<uint32_t, QString> out;
  for (const trace::ArenaBuffer& b : arena.buffers) {
    const auto maker = b.values.empty() ? makers.end() : makers.find(b.values.front());
    if (maker != makers.end()) out[b.id.v] = qt(maker->second->scope);
  }
  return out;
}

QSizeF arenaSize(const Theme& theme, QSizeF room) { return onPaper(theme) ? QSizeF(paperWidth, 420) : room.expandedTo({480, 320}); }

std::optional<Figure> arenaNote(const Place& place, const ArenaAt& at, QSizeF size) {
  if (!at.arena)
    return emptyFigure(place, size, "arena", "No arena", "Every value is an input, a constant or an output of the model, or the compile stopped before memory was planned.");
  const uint32_t first = firstTold(*place.trace());
  if (place.step >= first) return {};
  return emptyFigure(place, size, "arena", "Nothing is planned yet",
                QString("Memory places %1 buffers from step %2 on. N goes to the next pass that changes something.").arg(number(double(at.arena->buffers.size()))).arg(first + 1));
}

Figure arenaEmpty(const Place& place, const trace::ArenaPanel& arena, QSizeF size) {
  int64_t first = arena.buffers.front().placed_at;
  for (const trace::ArenaBuffer& b : arena.buffers) first = std::min(first, b.placed_at);
  return emptyFigure(place, size, "arena", "Nothing is placed yet", QString("Memory places %1 buffers from step %2 on. When each lives is known: Bytes and Intervals show it.").arg(number(double(arena.buffers.size()))).arg(first + 1));
}

int64_t occupied(const trace::ArenaPanel& arena, const trace::ArenaBuffer& b) {
  const int64_t unit = std::max<int64_t>(1, arena.alignment);
  return (b.bytes + unit - 1) / unit * unit;
}

QString spoken(const trace::ArenaBuffer& b) {
  QString out = QString("buffer %1, %2%3, %4 at %5, lives in [%6, %7)").arg(qt(b.name), qt(b.dtype), qt(b.shape), byteText(b.bytes), byteText(b.offset)).arg(b.start).arg(b.end);
  if (!b.producer.empty()) out += "\nwritten by " + qt(b.producer);
  if (!b.last_reader.empty()) out += ", last read by " + qt(b.last_reader);
  for (size_t i = 0; i < b.chain.size(); ++i) {
    out += "\nthen holds " + qt(b.chain[i]) + ", in place";
    if (i < b.chain_at.size()) out += QString(", from launch %1").arg(b.chain_at[i]);
  }
  for (const trace::ArenaView& v : b.views) out += QString("\nshared by the view %1, read in [%2, %3)").arg(qt(v.name)).arg(v.start).arg(v.end);
  const auto taken = std::find_if(b.gaps.begin(), b.gaps.end(), [](const trace::ArenaGap& g) { return g.taken; });
  if (taken != b.gaps.end()) {
    out += taken->size < 0 ? (b.offset ? "\nplaced on top" : "\nplaced at the bottom") : "\nplaced in a gap of " + byteText(taken->size);
    if (b.gaps_tried > 1) out += QString(", %1 of %2 gaps refused").arg(b.gaps_tried - 1).arg(b.gaps_tried);
  } else if (b.placed_by.view() == "search") {
    out += "\nplaced by the complete search";
  }
  return out;
}

QColor arenaPlate(const Theme& theme, const trace::ArenaBuffer& b) { return onPaper(theme) ? paperFill(theme, b.category).color : theme.category(b.category).fill; }

void arenaShape(Sheet& s, const QPainterPath& shape, double height, const trace::ArenaBuffer& b, bool strong) {
  const Category& look = s.t.category(b.category);
  if (height < 8 && !strong) s.path(shape, {onPaper(s.t) ? s.t.c("lineStrong") : look.stroke});
  else if (onPaper(s.t)) s.path(shape, paperFill(s.t, b.category), {s.t.c("text"), strong ? 1.5 : .8});
  else s.path(shape, {look.fill, look.hatch, look.lines}, {strong ? s.t.c("accent") : look.stroke, strong ? 2.5 : 1.5});
}

void arenaBox(Sheet& s, QRectF box, const trace::ArenaBuffer& b, bool strong) {
  const Category& look = s.t.category(b.category);
  if (std::min(box.width(), box.height()) < 3) {
    s.rects({s.pixels(box)}, {strong ? s.t.c("accent") : onPaper(s.t) ? s.t.c("lineStrong") : look.stroke});
  } else if (onPaper(s.t)) {
    s.rect(box, 0, paperFill(s.t, b.category), {s.t.c("text"), strong ? 1.5 : .8});
  } else {
    s.rect(box, 3, {look.fill, look.hatch, look.lines}, {strong ? s.t.c("accent") : look.stroke, strong ? 2.5 : 1.5});
  }
}

ArenaPlot::ArenaPlot(const trace::ArenaPanel& arena, QRectF plot) : plot(plot), unit(byteUnit(std::max<int64_t>(1, arena.peak))), arena_(arena) {
  last = std::max<int64_t>(1, int64_t(arena.launches.size()));
  high = double(std::max({arena.peak, arena.bound, int64_t{1}})) * 1.04;
}

void ArenaPlot::axes(Sheet& s, const QString& vertical) const {
  const Type numbers{.px = 11, .role = "textSecondary", .anchor = 1};
  const Stroke grid{s.t.c("grid")}, axis{s.t.c("lineStrong")};
  const bool paper = onPaper(s.t);
  s.text({16, 20}, vertical + ", " + unit.name, {.px = 11, .role = "textSecondary"});
  const double step = tickStep(high / unit.bytes, 8);
  for (int i = 0; i * step * unit.bytes <= high; ++i) {
    const double at = y(i * step * unit.bytes);
    if (!paper) s.line({plot.left(), at}, {plot.right(), at}, grid);
    s.line({plot.left() - 4, at}, {plot.left(), at}, axis);
    s.text({plot.left() - 8, at}, tickText(i * step, step), numbers);
  }
  if (paper) s.line({plot.left(), plot.top()}, {plot.left(), plot.bottom()}, axis);
  launches(s, plot.bottom(), false);
  const QString words = plot.width() < 380 ? "schedule position" : "schedule position (half-open: a buffer lives in [start, end))";
  s.text({plot.center().x(), plot.bottom() + 36}, words, {.px = 11, .role = "textSecondary", .anchor = 0});
}

void ArenaPlot::launches(Sheet& s, double at, bool above) const {
  const Stroke axis{s.t.c("lineStrong")};
  const double out = above ? -1 : 1;
  s.line({plot.left(), at}, {plot.right(), at}, axis);
  const double every = std::max(1., tickStep(double(last), std::clamp(int(plot.width() / 48), 2, 16)));
  for (int i = 0; i * every <= double(last); ++i) {
    const double across = x(i * every);
    s.line({across, at}, {across, at + 5 * out}, axis);
    s.text({across, at + 16 * out}, tickText(i * every, every), {.px = 11, .role = "textSecondary", .anchor = 0});
  }
}

void ArenaPlot::limits(Sheet& s, int64_t peak, bool soFar) const {
  const double beside = plot.right() + 8, high = y(double(peak)), bound = y(double(arena_.bound));
  const auto value = [&](int64_t bytes) { return number(double(bytes) / unit.bytes) + ' ' + unit.name; };
  const auto named = [&](double at, const QString& name, int64_t bytes, const char* role) {
    s.text({beside, at - 7}, name, {.px = 11, .role = role, .weight = 600});
    s.text({beside, at + 7}, value(bytes), {.px = 11, .role = role});
  };
  if (peak == arena_.bound) {
    s.line({plot.left(), high}, {plot.right(), high}, {s.t.c("text"), 1.5});
    return named(high, soFar ? "so far = bound" : "peak = bound", peak, "text");
  }
  const char* role = peak > arena_.bound ? "peak" : "text";
  s.line({plot.left(), high}, {plot.right(), high}, {s.t.c(role), 1.5});
  s.line({plot.left(), bound}, {plot.right(), bound}, {s.t.c("bound"), 1.5, {6, 4}});
  double apart = std::max(0., 30 - std::abs(bound - high)) / 2;
  if (high > bound) apart = -apart;
  double low = high - apart, up = bound + apart; // names above each other stay inside the plot
  const double over = std::max(low, up) + 12 - plot.bottom();
  if (over > 0) low -= over, up -= over;
  named(low, soFar ? "peak so far" : "peak", peak, role);
  named(up, "bound", arena_.bound, "bound");
}

} // namespace cutaway::views
