#pragma once
#include "kit/figure.h"
#include "kit/numbers.h"
#include "place/place.h"

#include <QMap>

#include <optional>
#include <set>

// What the arena's figures share.
namespace cutaway::views {

// The arena as a place sees it.
struct ArenaAt {
  const trace::ArenaPanel* arena = nullptr;
  int64_t step = 0;
  const trace::ArenaBuffer* placing = nullptr; // the buffer that this step places
  std::set<uint32_t> selected;                 // buffers that the selection means

  bool placed(const trace::ArenaBuffer& b) const { return b.placed_at <= step; }
  bool isSelected(const trace::ArenaBuffer& b) const { return selected.contains(b.id.v); }
};
ArenaAt arenaAt(const Place& place);
// The name scopes that each buffer's first value is made in, by the buffer's id.
QMap<uint32_t, QString> arenaScopes(const Place& place, const trace::ArenaPanel& arena);
// A picture's size: what a paper has room for, else the room.
QSizeF arenaSize(const Theme& theme, QSizeF room);
// Why there is nothing to draw, where that is so.
std::optional<Figure> arenaNote(const Place& place, const ArenaAt& at, QSizeF size);
// What is said while no buffer has its place.
Figure arenaEmpty(const Place& place, const trace::ArenaPanel& arena, QSizeF size);

// The bytes that a buffer takes, alignment included.
int64_t occupied(const trace::ArenaPanel& arena, const trace::ArenaBuffer& b);
// For people who hear or hover.
QString spoken(const trace::ArenaBuffer& b);
// Fill and outline of a buffer's shape, on screen and on paper; too small a shape is plain.
void arenaShape(Sheet& s, const QPainterPath& shape, double height, const trace::ArenaBuffer& b, bool strong);
void arenaBox(Sheet& s, QRectF box, const trace::ArenaBuffer& b, bool strong);
QColor arenaPlate(const Theme& theme, const trace::ArenaBuffer& b); // under words on it

// x = launches, y = bytes from 0 upward, with room for the limits' names at the right.
class ArenaPlot {
 public:
  static constexpr double left = 72, right = 104, top = 44, bottom = 52; // margins
  ArenaPlot(const trace::ArenaPanel& arena, QRectF plot);

  double x(double launch) const { return plot.left() + plot.width() * launch / double(last); }
  double y(double bytes) const { return plot.bottom() - plot.height() * bytes / high; }
  QRectF box(int64_t start, int64_t end, int64_t low, int64_t top) const { return {QPointF(x(double(start)), y(double(top))), QPointF(x(double(end)) - 1, y(double(low)))}; }
  void axes(Sheet& s, const QString& vertical) const;
  void launches(Sheet& s, double at, bool above) const; // the horizontal axis
  // The peak (`soFar`: of what is placed by now) and the bound.
  void limits(Sheet& s, int64_t peak, bool soFar) const;

  const QRectF plot;
  const ByteUnit unit;
  int64_t last = 1;
  double high = 1;

 private:
  const trace::ArenaPanel& arena_;
};

// The figure of one way to draw an arena: a Drawing is made of (place, at, theme, size), has a size and hits, and draws itself.
template <class Drawing> Figure arenaFigureOf(std::shared_ptr<const Drawing> drawing) {
  return {drawing->size, [drawing](Sheet& s) { drawing->draw(s); }, drawing->hits()};
}
// The same where nothing stands in its place.
template <class Drawing> Figure arenaFigureOf(const Place& place, const Theme& theme, QSizeF room) {
  const QSizeF size = arenaSize(theme, room);
  const ArenaAt at = arenaAt(place);
  if (auto note = arenaNote(place, at, size)) return *note;
  return arenaFigureOf(std::make_shared<const Drawing>(place, at, theme, size));
}

} // namespace cutaway::views
