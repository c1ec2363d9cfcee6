#pragma once
#include "kit/marks.h"

namespace cutaway::views {

// A table of VISUAL.md section 3: rows of 28 px, hairlines between them, no vertical rules. Columns take what their words
// need; where the width is too small elastic ones are cut, and then columns are left out, the highest `drop` first.
struct GridColumn {
  QString title;
  bool number = false; // at the right
  bool mono = false;
  bool elastic = false;
  double least = 72;   // px, of an elastic one
  int drop = 0;        // 0: never left out
  int weight = 400;
  bool bar = false;    // behind the number a bar of GridRow::share
  const char* role = "text";
};
struct GridRow {
  QList<QString> cells;
  Glyph glyph = Glyph::None; // before the first cell
  const char* glyphRole = "text";
  double share = 0;          // 0 to 1, of the bar
  bool selected = false;
};

class Grid {
 public:
  static constexpr double rowHeight = 28, headHeight = 24;

  Grid(const Theme& theme, QPointF at, double width, QList<GridColumn> columns, QList<GridRow> rows);
  void draw(Sheet& s) const;
  QRectF row(int i) const { return {at_.x(), at_.y() + headHeight + rowHeight * i, width_, rowHeight}; }
  double bottom() const { return at_.y() + headHeight + rowHeight * double(rows_.size()); }
  const QList<GridRow>& rows() const { return rows_; }

 private:
  void place(const Theme& theme);
  void drawRow(Sheet& s, int i) const;
  Type typeOf(const GridColumn& c, double room) const;

  QPointF at_;
  double width_;
  QList<GridColumn> columns_;
  QList<GridRow> rows_;
  QList<double> left_, room_; // of each column; room 0: left out
  bool glyphs_ = false;
};

} // namespace cutaway::views
