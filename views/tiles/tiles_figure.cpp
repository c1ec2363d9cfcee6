#include "tiles/tiles_figure.h"

#include "kit/grid.h"
#include "kit/numbers.h"
#include "place/empty.h"
#include "place/reading.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double edge = 24, wide = 900, lead = 17;

QString times(QString s) { return s.replace(" x ", QString(" %1 ").arg(QChar(0xd7))); }

QString flopText(double flop) {
  static const struct {
    double from;
    const char* unit;
  } units[] = {{1e12, "TFLOP"}, {1e9, "GFLOP"}, {1e6, "MFLOP"}, {1e3, "kFLOP"}};
  for (const auto& u : units)
    if (flop >= u.from) return number(flop / u.from) + ' ' + u.unit;
  return number(flop) + " FLOP";
}

double flopOf(const trace::TablePanel& t, size_t row) { return cell(t, t.rows[row], "work").toDouble(); }

// Which row the figure opens.
size_t opened(const Place& place, const trace::TablePanel& t) {
  for (const Entity& kernel : kernelsToShow(place))
    for (size_t i = 0; i < t.rows.size(); ++i)
      if (!t.rows[i].entities.empty() && t.rows[i].entities.front() == kernel) return i;
  return 0;
}

QStringList nestOf(const Place& place, Entity kernel) {
  for (const trace::Panel& p : place.trace()->panels())
    if (const auto* text = std::get_if<trace::TextPanel>(&p); text && text->entity == kernel && text->language.view() == "loop nest")
      return qt(text->text).trimmed().split('\n');
  return {};
}

// One kernel in full: its nest, how operands are read, the ranking.
class Detail {
 public:
  Detail(const Place& place, const Theme& theme, const trace::TablePanel& tiles, size_t row, QRectF room)
      : box_(room), name_(cell(tiles, tiles.rows[row], "kernel")), problem_(times(cell(tiles, tiles.rows[row], "problem"))),
        nest_(nestOf(place, tiles.rows[row].entities.front())) {
    const auto& r = tiles.rows[row];
    words_ = QString("Tile %1: these sums stay in registers. Rows: %2; columns: %3.").arg(times(cell(tiles, r, "tile")), cell(tiles, r, "rows"), cell(tiles, r, "columns"));
    QList<GridRow> ranks;
    if (const trace::TablePanel* ranking = table(place, "tile ranking"))
      for (const auto& rank : ranking->rows)
        if (rank.entities == r.entities) ranks.append({{times(cell(*ranking, rank, "tile")), cell(*ranking, rank, "modelled cycles")}, ranks.isEmpty() ? Glyph::Play : Glyph::None, "accent"});
    ranked_ = !ranks.isEmpty();
    if (ranked_ && ranks.front().cells.front() != times(cell(tiles, r, "tile"))) words_ += QString(" The rule takes %1; rows are evened out over the tiles.").arg(ranks.front().cells.front());
    const bool beside = ranked_ && room.width() >= 600; // the ranking at the right of the nest
    const double rankWidth = std::min(room.width(), beside ? 240. : 320.);
    width_ = beside ? room.width() - rankWidth - 32 : room.width();
    rankLeft_ = beside ? room.right() - rankWidth : room.left();
    nestTop_ = room.top() + 26 + 18 * double(textLines(theme, problem_, width_).size()) + 4;
    wordsTop_ = nestTop_ + 16 + lead * double(nest_.size()) + 18;
    const double wordsEnd = wordsTop_ + 18 * double(textLines(theme, words_, width_).size());
    rankTop_ = beside ? room.top() : wordsEnd + 12;
    grid_.emplace(theme, QPointF(rankLeft_, rankTop_ + 18), rankWidth, QList<GridColumn>{{.title = "Register tile", .mono = true}, {.title = "Cycles, times the first", .number = true}}, ranks);
    noteTop_ = (ranked_ && !beside ? grid_->bottom() : wordsEnd) + (beside ? 4 : 18);
    box_.setBottom(std::max(noteTop_ + 18 * double(textLines(theme, note(), width_).size()) - 4, ranked_ ? grid_->bottom() : 0.));
  }

  QRectF box() const { return box_; }
  static QString note() { return "No scatter: the tile is chosen by rule, not measured."; }

  void draw(Sheet& s) const {
    const double x = box_.left(), w = width_;
    s.text({x, box_.top() + 8}, name_, {.px = 15, .weight = 600, .room = w});
    s.para({x, box_.top() + 32}, w, 18, problem_, {.role = "textSecondary"});
    s.rect({x, nestTop_, w, 16 + lead * double(nest_.size())}, 4, {s.t.c("sunken")});
    const double advance = s.width("0", {.mono = true});
    for (qsizetype i = 0; i < nest_.size(); ++i) {
      qsizetype indent = 0;
      while (indent < nest_[i].size() && nest_[i][indent] == ' ') ++indent;
      const auto most = qsizetype((w - 24) / advance) - indent;
      QString line = nest_[i].mid(indent);
      if (line.size() > most) line = line.left(std::max<qsizetype>(0, most - 1)) + QChar(0x2026);
      s.text({x + 12 + advance * double(indent), nestTop_ + 8 + lead * (double(i) + .5)}, line, {.mono = true});
    }
    s.para({x, wordsTop_}, w, 18, words_, {.role = "textSecondary"});
    if (ranked_) {
      s.text({rankLeft_, rankTop_ + 6}, "As the rule ranks them", {.px = 13, .weight = 600});
      tag(s, {grid_->row(0).right(), rankTop_ + 6}, "modelled", 1, false, "modelled");
      grid_->draw(s);
    }
    s.para({x, noteTop_}, w, 18, note(), {.role = "textMuted"});
  }

 private:
  QRectF box_;
  QString name_, problem_, words_;
  QStringList nest_;
  bool ranked_ = false;
  double width_ = 0, rankLeft_ = 0, nestTop_ = 0, wordsTop_ = 0, rankTop_ = 0, noteTop_ = 0;
  std::optional<Grid> grid_;
};

struct Drawing {
  QSizeF size;
  QString headline;
  Detail detail;
  Grid grid;
  double rule = -1; // x of the line between both; negative: below each other

  void draw(Sheet& s) const {
    s.rect({{0, 0}, size}, 0, {s.t.c("canvas")});
    s.text({edge, 26}, headline, {.px = 15, .weight = 600, .room = size.width() - 2 * edge});
    grid.draw(s);
    detail.draw(s);
    if (rule > 0) s.line({rule, 56}, {rule, size.height() - 16}, {s.t.c("line")});
  }
};

QList<GridRow> rowsOf(const trace::TablePanel& t, size_t open) {
  double most = 1;
  for (size_t i = 0; i < t.rows.size(); ++i) most = std::max(most, flopOf(t, i));
  QList<GridRow> out;
  for (size_t i = 0; i < t.rows.size(); ++i) {
    const auto& r = t.rows[i];
    out.append({{cell(t, r, "kernel"), times(cell(t, r, "problem")), times(cell(t, r, "tile")), cell(t, r, "depth blocks"), times(cell(t, r, "split")), cell(t, r, "units"), flopText(flopOf(t, i))},
                Glyph::None, "text", flopOf(t, i) / most, i == open});
  }
  return out;
}

} // namespace

Figure tilesFigure(const Place& place, const Theme& theme, QSizeF room) {
  QSizeF size = theme.name() == "paper" ? QSizeF(673, 120) : room.expandedTo({480, 320});
  const trace::TablePanel* tiles = table(place, "tiles");
  if (!tiles || tiles->rows.empty()) {
    return emptyFigure(place, size, "tiles", "No tiles", "This part has no product and no convolution that is printed as a kernel of its own, or the compile stopped before code generation.");
  }
  const size_t open = opened(place, *tiles);
  double flop = 0;
  for (size_t i = 0; i < tiles->rows.size(); ++i) flop += flopOf(*tiles, i);
  const bool beside = size.width() >= wide;
  const double width = size.width() - 2 * edge, right = beside ? std::min(320., width * .34) : width;
  Detail detail(place, theme, *tiles, open, {beside ? size.width() - edge - right : edge, 56, right, 0});
  Grid grid(theme, {edge + 8, beside ? 48 : detail.box().bottom() + 16}, beside ? width - right - 56 : width - 16,
            {{.title = "Kernel", .elastic = true, .least = 104, .weight = 500},
             {.title = "Problem", .elastic = true, .least = 300},
             {.title = "Tile"},
             {.title = "Depth blocks", .number = true, .drop = 5},
             {.title = "Split", .drop = 3},
             {.title = "Units", .number = true, .drop = 4},
             {.title = "Work", .number = true, .bar = true}},
            rowsOf(*tiles, open));
  size.setHeight(std::max({theme.name() == "paper" ? 0. : size.height(), grid.bottom() + 16, detail.box().bottom() + 16}));
  const QString headline = QString("%1 %2, %3 a run").arg(tiles->rows.size()).arg(tiles->rows.size() == 1 ? "contraction" : "contractions", flopText(flop));
  const auto drawing = std::make_shared<Drawing>(Drawing{size, headline, std::move(detail), std::move(grid), beside ? size.width() - edge - right - 16 : -1});
  Figure out{size, [drawing](Sheet& s) { drawing->draw(s); }, {}};
  for (size_t i = 0; i < tiles->rows.size(); ++i) {
    const auto& r = tiles->rows[i];
    out.hits.append({drawing->grid.row(int(i)), r.entities.front(),
                     QString("kernel %1, %2, tile %3, %4 units, %5%6").arg(cell(*tiles, r, "kernel"), times(cell(*tiles, r, "problem")), times(cell(*tiles, r, "tile")), cell(*tiles, r, "units"), flopText(flopOf(*tiles, i)), i == open ? ", open" : "")});
  }
  return out;
}

} // namespace cutaway::views
