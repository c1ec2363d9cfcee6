#include "arena/arena_figure.h"

#include "kit/marks.h"
#include "kit/numbers.h"
#include "kit/paper.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

constexpr double leftMargin = 72, rightMargin = 104, topMargin = 44, bottomMargin = 52;
constexpr int manyBuffers = 2000; // no strokes and no text beyond

class Drawing {
 public:
  Drawing(const trace::ArenaPanel& arena, const Theme& theme, int64_t step, QSizeF size)
      : arena_(arena), theme_(theme), step_(step), paper_(onPaper(theme)), unit_(byteUnit(std::max<int64_t>(1, arena.peak))),
        plot_(leftMargin, topMargin, size.width() - leftMargin - rightMargin, size.height() - topMargin - bottomMargin) {
    for (const trace::ArenaBuffer& b : arena.buffers) last_ = std::max(last_, b.end);
    high_ = double(std::max({arena.peak, arena.bound, int64_t{1}})) * 1.04;
  }

  void draw(Sheet& s) const {
    s.rect({0, 0, plot_.right() + rightMargin, plot_.bottom() + bottomMargin}, 0, {theme_.c("canvas")});
    axes(s);
    for (const trace::ArenaBuffer& b : arena_.buffers)
      if (shown(b)) buffer(s, b);
    limits(s);
  }

  bool shown(const trace::ArenaBuffer& b) const { return step_ < 0 || b.placed_at <= step_; }
  QRectF box(const trace::ArenaBuffer& b) const {
    return {QPointF(x(double(b.start)), y(double(b.offset + b.bytes))), QPointF(x(double(b.end)) - 1, y(double(b.offset)))};
  }

 private:
  double x(double position) const { return plot_.left() + plot_.width() * position / double(last_); }
  double y(double bytes) const { return plot_.bottom() - plot_.height() * bytes / high_; }

  void axes(Sheet& s) const {
    const Type numbers{.px = 11, .role = "textSecondary", .anchor = 1};
    const Stroke grid{theme_.c("grid")}, axis{theme_.c("lineStrong")};
    s.text({16, 20}, "offset, " + unit_.name, {.px = 11, .role = "textSecondary"});
    const double step = tickStep(high_ / unit_.bytes, 8);
    for (int i = 0; i * step * unit_.bytes <= high_; ++i) {
      const double at = y(i * step * unit_.bytes);
      if (!paper_) s.line({plot_.left(), at}, {plot_.right(), at}, grid);
      s.line({plot_.left() - 4, at}, {plot_.left(), at}, axis);
      s.text({plot_.left() - 8, at}, tickText(i * step, step), numbers);
    }
    s.line({plot_.left(), plot_.bottom()}, {plot_.right(), plot_.bottom()}, axis);
    if (paper_) s.line({plot_.left(), plot_.top()}, {plot_.left(), plot_.bottom()}, axis);
    const double every = std::max(1., tickStep(double(last_), 12));
    for (int i = 0; i * every <= double(last_); ++i) {
      const double at = x(i * every);
      s.line({at, plot_.bottom()}, {at, plot_.bottom() + 5}, axis);
      s.text({at, plot_.bottom() + 16}, tickText(i * every, every), {.px = 11, .role = "textSecondary", .anchor = 0});
    }
    s.text({plot_.center().x(), plot_.bottom() + 36}, "schedule position (half-open: a buffer lives in [start, end))", {.px = 11, .role = "textSecondary", .anchor = 0});
  }

  void buffer(Sheet& s, const trace::ArenaBuffer& b) const {
    const QRectF box = this->box(b);
    const Category& look = theme_.category(b.category);
    const bool small = std::min(box.width(), box.height()) < 3, many = arena_.buffers.size() > manyBuffers;
    if (small || many) {
      s.rects({s.pixels(box)}, {paper_ ? theme_.c("lineStrong") : many ? look.fill : look.stroke});
      return;
    }
    if (paper_) s.rect(box, 0, paperFill(theme_, b.category), {theme_.c("text"), .8});
    else s.rect(box, 3, {look.fill, look.hatch, look.lines}, {look.stroke, 1.5});
    label(s, b, box, paper_ ? paperFill(theme_, b.category).color : look.fill);
  }

  // Chain, unit, size, name: dropped in this order; nothing under 24 x 14.
  void label(Sheet& s, const trace::ArenaBuffer& b, QRectF box, const QColor& plate) const {
    if (box.width() < 24 || box.height() < 14) return;
    const double room = box.width() - 10, left = box.left() + 5;
    const bool two = box.height() >= 34, three = box.height() >= 52 && !b.chain.empty();
    const double first = box.center().y() - (three ? 15 : two ? 8 : 0);
    if (!s.text({left, first}, qt(b.name), {.weight = 600, .room = room, .plate = plate}) || !two) return;
    const Type quiet{.px = 11, .role = "textSecondary", .room = room, .plate = plate};
    if (three) s.text({left, first + 15}, QString(QChar(0x2192)) + ' ' + qt(b.chain.back()), quiet);
    const QString size = byteText(b.bytes), bare = number(double(b.bytes) / byteUnit(b.bytes).bytes);
    for (const QString& shown : {size, bare})
      if (s.width(shown, quiet) <= room) {
        s.text({left, first + (three ? 30 : 15)}, shown, quiet);
        break;
      }
  }

  void limits(Sheet& s) const {
    const double right = plot_.right() + 8, peak = y(double(arena_.peak)), bound = y(double(arena_.bound));
    const auto value = [&](int64_t bytes) { return number(double(bytes) / unit_.bytes) + ' ' + unit_.name; };
    if (arena_.peak == arena_.bound) {
      s.line({plot_.left(), peak}, {plot_.right(), peak}, {theme_.c("text"), 1.5});
      s.text({right, peak - 7}, "peak = bound", {.px = 11, .weight = 600});
      s.text({right, peak + 7}, value(arena_.peak), {.px = 11, .role = "text"});
      return;
    }
    s.line({plot_.left(), peak}, {plot_.right(), peak}, {theme_.c("peak"), 1.5});
    s.line({plot_.left(), bound}, {plot_.right(), bound}, {theme_.c("bound"), 1.5, {6, 4}});
    const double apart = std::max(0., 30 - (bound - peak)) / 2;
    named(s, right, peak - apart, "peak", value(arena_.peak), "peak");
    named(s, right, bound + apart, "bound", value(arena_.bound), "bound");
  }
  void named(Sheet& s, double left, double at, const QString& name, const QString& value, const char* role) const {
    s.text({left, at - 7}, name, {.px = 11, .role = role, .weight = 600});
    s.text({left, at + 7}, value, {.px = 11, .role = role});
  }

  const trace::ArenaPanel& arena_;
  const Theme& theme_;
  int64_t step_;
  bool paper_;
  ByteUnit unit_;
  QRectF plot_;
  int64_t last_ = 1;
  double high_ = 1;
};

QString spoken(const trace::ArenaBuffer& b) {
  QString out = QString("buffer %1, %2%3, %4, lives in [%5, %6)").arg(qt(b.name), qt(b.dtype), qt(b.shape), byteText(b.bytes)).arg(b.start).arg(b.end);
  if (!b.producer.empty()) out += "\nwritten by " + qt(b.producer);
  if (!b.last_reader.empty()) out += ", last read by " + qt(b.last_reader);
  for (const trace::Text& next : b.chain) out += "\nthen holds " + qt(next) + ", in place";
  return out;
}

} // namespace

Figure arenaFigure(const Place& place, const Theme& theme, QSizeF room) {
  const QSizeF size = onPaper(theme) ? QSizeF(paperWidth, 420) : room.expandedTo({480, 320});
  const trace::ArenaPanel* arena = place.trace() ? place.trace()->panel<trace::ArenaPanel>(place.step) : nullptr;
  if (!arena)
    return {size, [size](Sheet& s) {
              emptyNote(s, size, "No arena", "Every value is an input, a constant or an output of the model, or the compile stopped before memory was planned.");
            }, {}};
  const auto placed = std::count_if(arena->buffers.begin(), arena->buffers.end(), [&](const trace::ArenaBuffer& b) { return b.placed_at <= int64_t(place.step); });
  if (placed == 0 && !arena->buffers.empty()) {
    int64_t first = arena->buffers[0].placed_at;
    for (const trace::ArenaBuffer& b : arena->buffers) first = std::min(first, b.placed_at);
    const QString what = QString("Memory places %1 buffers from step %2 on. N goes to the next pass that changes something.").arg(number(double(arena->buffers.size()))).arg(first + 1);
    return {size, [size, what, &theme](Sheet& s) {
              s.rect({{}, size}, 0, {theme.c("canvas")});
              emptyNote(s, size, "Nothing is placed yet", what);
            }, {}};
  }
  const auto drawing = std::make_shared<Drawing>(*arena, theme, place.step, size);
  Figure out{size, [drawing, keep = place.document](Sheet& s) { drawing->draw(s); }, {}};
  for (const trace::ArenaBuffer& b : arena->buffers)
    if (drawing->shown(b)) out.hits.append({drawing->box(b), entity(b.id), spoken(b)});
  return out;
}

} // namespace cutaway::views
