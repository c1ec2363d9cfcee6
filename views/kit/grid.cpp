#include "kit/grid.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double gap = 16, glyphRoom = 24, barRoom = 56;

} // namespace

Grid::Grid(const Theme& theme, QPointF at, double width, QList<GridColumn> columns, QList<GridRow> rows)
    : at_(at), width_(width), columns_(std::move(columns)), rows_(std::move(rows)) {
  glyphs_ = std::any_of(rows_.begin(), rows_.end(), [](const GridRow& r) { return r.glyph != Glyph::None; });
  place(theme);
}

Type Grid::typeOf(const GridColumn& c, double room) const {
  return {.role = c.role, .weight = c.weight, .mono = c.mono, .anchor = c.number ? 1 : -1, .room = room};
}

void Grid::place(const Theme& theme) {
  const qsizetype n = columns_.size();
  room_.resize(n), left_.resize(n);
  for (qsizetype c = 0; c < n; ++c) {
    double widest = textWidth(theme, columns_[c].title, {.px = 11});
    for (const GridRow& r : rows_) widest = std::max(widest, textWidth(theme, r.cells.value(c), typeOf(columns_[c], 0)));
    room_[c] = std::ceil(widest) + 1 + (columns_[c].bar ? barRoom : 0);
  }
  const double room = width_ - (glyphs_ ? glyphRoom : 0);
  const auto sum = [&](bool smallest) {
    double out = -gap;
    for (qsizetype c = 0; c < n; ++c)
      if (room_[c] > 0) out += gap + (smallest && columns_[c].elastic ? std::min(room_[c], columns_[c].least) : room_[c]);
    return out;
  };
  while (sum(true) > room) {
    qsizetype worst = -1;
    for (qsizetype c = 0; c < n; ++c)
      if (room_[c] > 0 && columns_[c].drop > 0 && (worst < 0 || columns_[c].drop > columns_[worst].drop)) worst = c;
    if (worst < 0) break;
    room_[worst] = 0;
  }
  if (sum(true) > room) // nothing left to leave out
    for (GridColumn& c : columns_) c.least = std::min(c.least, 48.);
  for (int round = 0; round < 40 && sum(false) > room; ++round) { // the widest elastic column gives way
    qsizetype widest = -1;
    for (qsizetype c = 0; c < n; ++c)
      if (columns_[c].elastic && room_[c] > columns_[c].least && (widest < 0 || room_[c] > room_[widest])) widest = c;
    if (widest < 0) break;
    room_[widest] = std::max(columns_[widest].least, room_[widest] - std::max(8., (sum(false) - room) / 2));
  }
  double free = std::max(0., room - sum(false)), shown = 0, x = at_.x() + (glyphs_ ? glyphRoom : 0);
  for (const double r : room_) shown += r > 0;
  const double more = shown > 1 ? std::min(60., free / (shown - 1)) : 0;
  for (qsizetype c = 0; c < n; ++c) {
    if (room_[c] == 0) continue;
    left_[c] = x;
    x += room_[c] + gap + more;
  }
  // A last column of numbers ends with the table.
  for (qsizetype c = n; c-- > 0;) {
    if (room_[c] == 0) continue;
    if (columns_[c].number) left_[c] = at_.x() + width_ - room_[c];
    break;
  }
}

void Grid::draw(Sheet& s) const {
  for (qsizetype c = 0; c < columns_.size(); ++c) {
    if (room_[c] == 0) continue;
    const bool right = columns_[c].number;
    s.text({right ? left_[c] + room_[c] : left_[c], at_.y() + headHeight / 2 - 2}, columns_[c].title, {.px = 11, .role = "textMuted", .anchor = right ? 1 : -1, .room = room_[c]});
  }
  const double y = at_.y() + headHeight;
  s.line({at_.x(), y}, {at_.x() + width_, y}, {s.t.c("line")});
  for (int i = 0; i < rows_.size(); ++i) drawRow(s, i);
}

void Grid::drawRow(Sheet& s, int i) const {
  const GridRow& r = rows_[i];
  const QRectF box = row(i);
  if (r.selected) s.rect(box.adjusted(-8, 1, 8, 0), 4, {s.t.c("selection")}, {s.t.c("accent"), 1});
  else s.line(box.bottomLeft(), box.bottomRight(), {s.t.c("line")});
  const double middle = box.center().y();
  glyph(s, r.glyph, {at_.x() + 9, middle}, r.glyphRole, 5.5);
  for (qsizetype c = 0; c < columns_.size(); ++c) {
    if (room_[c] == 0) continue;
    const GridColumn& column = columns_[c];
    double left = left_[c], room = room_[c];
    if (column.bar) {
      s.rect({left + room - barRoom + 8, middle - 4, std::max(1., (barRoom - 8) * std::clamp(r.share, 0., 1.)), 8}, 0, {s.t.c("accent")});
      room -= barRoom;
    }
    s.text({column.number ? left + room : left, middle}, r.cells.value(c), typeOf(column, room + 1));
  }
}

} // namespace cutaway::views
