#include "arena/arena_figure.h"
#include "arena/arena_side.h"

#include "kit/ease.h"
#include "kit/grid.h"
#include "kit/marks.h"
#include "kit/paper.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr size_t manyBuffers = 2000; // no strokes and no text beyond
constexpr double sideWidth = 272, edge = 24, beside = 860, leastPlot = 190, trayHeight = 76;
constexpr double trying = .3; // part of a step's time in which gaps are tried

class Drawing {
 public:
  Drawing(const Place& place, const ArenaAt& at, const Theme& theme, QSizeF room)
      : keep_(place.document), at_(at), arena_(*at.arena), paper_(onPaper(theme)), wide_(!paper_ && room.width() >= beside),
        sideWidth_(wide_ ? sideWidth : std::min(340., (room.width() - 3 * edge) / 2)), bars_(arena_, theme, room.width() < 600 && !wide_ ? room.width() - 2 * edge : sideWidth_, !wide_) {
    if (at.placing) gaps_.emplace(*at.placing, wide_ ? 4 : 3);
    for (const trace::ArenaBuffer& b : arena_.buffers)
      if (!at.placed(b)) waiting_.push_back(&b);
    std::sort(waiting_.begin(), waiting_.end(), [](const auto* a, const auto* b) { return a->placed_at < b->placed_at; });
    lay(room);
  }

  QSizeF size;

  // At a part of the step's time: first the gaps are tried, from low to high, then the buffer falls into place.
  void draw(Sheet& s, double at = 1) const {
    s.rect({{}, size}, 0, {s.t.c("canvas")});
    const ArenaPlot& p = *plot_;
    if (at_.placing && !paper_) column(s);
    p.axes(s, "offset");
    for (const trace::ArenaBuffer& b : arena_.buffers)
      if (at_.placed(b) && &b != at_.placing) buffer(s, b);
    if (at_.placing) tried(s, at / trying);
    if (at_.placing && at == 1) buffer(s, *at_.placing), falling(s);
    p.limits(s, peakNow(), !waiting_.empty());
    if (arena_.buffers.size() <= manyBuffers)
      for (const trace::ArenaBuffer& b : arena_.buffers)
        if (at_.placed(b) && (at == 1 || &b != at_.placing)) words(s, b);
    if (at_.placing && at == 1) reasons(s);
    if (at < 1) moving(s, std::max(0., at - trying) / (1 - trying));
    for (const trace::ArenaBuffer& b : arena_.buffers)
      if (at_.placed(b) && at_.isSelected(b) && (at == 1 || &b != at_.placing)) selectionRing(s, box(b), 3);
    if (wide_) s.line({size.width() - sideWidth - 2 * edge + 8, edge}, {size.width() - sideWidth - 2 * edge + 8, size.height() - edge}, {s.t.c("line")});
    if (gaps_) gaps_->draw(s, gapsAt_, sideWidth_);
    if (!paper_ && !bars_.empty()) bars_.draw(s, barsAt_);
    if (tray_) tray(s);
  }

  bool moves() const { return at_.placing != nullptr; }
  QList<Hit> hits() const {
    QList<Hit> out;
    for (const trace::ArenaBuffer& b : arena_.buffers)
      if (at_.placed(b)) out.append({box(b), entity(b.id), spoken(b)});
    if (!paper_ && !bars_.empty()) out += bars_.hits(barsAt_);
    return out;
  }

 private:
  // The plot first; what stands beside it goes to the right, or below where the room is narrow.
  void lay(QSizeF room) {
    const double gaps = gaps_ ? gaps_->height() : 0, bars = paper_ || bars_.empty() ? 0 : bars_.height();
    const double right = wide_ ? sideWidth + 2 * edge : 0;
    tray_ = wide_ && at_.placing && !waiting_.empty();
    double below = 0;
    if (wide_) {
      gapsAt_ = {room.width() - edge - sideWidth, edge};
      barsAt_ = gapsAt_ + QPointF(0, gaps ? gaps + 8 : 0);
      room.setHeight(std::max(room.height(), barsAt_.y() + bars + edge));
      below = tray_ ? trayHeight : 0;
    } else if (gaps || bars) {
      const bool stacked = room.width() < 600;
      below = (stacked ? gaps + bars : std::max(gaps, bars)) + 16;
      room.setHeight(std::max(room.height(), ArenaPlot::top + leastPlot + ArenaPlot::bottom + below));
      gapsAt_ = {edge, room.height() - below};
      barsAt_ = stacked ? gapsAt_ + QPointF(0, gaps) : QPointF(room.width() - edge - sideWidth_, gapsAt_.y());
    }
    size = room;
    plot_.emplace(arena_, QRectF(ArenaPlot::left, ArenaPlot::top, size.width() - right - ArenaPlot::left - ArenaPlot::right, size.height() - below - ArenaPlot::top - ArenaPlot::bottom));
  }

  QRectF box(const trace::ArenaBuffer& b) const { return plot_->box(b.start, b.end, b.offset, b.offset + occupied(arena_, b)); }
  int64_t peakNow() const {
    int64_t out = 0;
    for (const trace::ArenaBuffer& b : arena_.buffers)
      if (at_.placed(b)) out = std::max(out, b.offset + occupied(arena_, b));
    return waiting_.empty() ? arena_.peak : out;
  }

  void buffer(Sheet& s, const trace::ArenaBuffer& b) const {
    const QRectF box = this->box(b);
    if (arena_.buffers.size() > manyBuffers) return s.rects({s.pixels(box)}, {&b == at_.placing ? s.t.c("accent") : paper_ ? s.t.c("lineStrong") : mix(s.t.category(b.category).stroke, s.t.c("canvas"), .5)});
    arenaBox(s, box, b, &b == at_.placing);
    const QColor ink = paper_ ? s.t.c("text") : s.t.category(b.category).stroke;
    const double padding = plot_->plot.height() * double(occupied(arena_, b) - b.bytes) / plot_->high;
    if (padding >= 4 && box.width() >= 8) {
      QColor lines = ink;
      lines.setAlphaF(.5f);
      s.rect({box.left(), box.top(), box.width(), padding}, 0, {{}, Hatch::Cross, lines}, {ink, 1, {2, 2}});
    }
    if (std::min(box.width(), box.height()) < 12) return;
    for (const trace::ArenaView& v : b.views) { // another shape over the same bytes
      const QRectF inner(QPointF(plot_->x(double(v.start)), box.top()), QPointF(plot_->x(double(v.end)) - 1, box.bottom()));
      if (inner.width() >= 10) s.rect(inner.intersected(box).adjusted(3, 3, -3, -3), 2, {}, {ink, 1, {3, 3}});
    }
    for (const int64_t at : b.chain_at) { // a notch where the next value takes the bytes over
      QPainterPath notch;
      notch.addPolygon(QPolygonF({{-5, 0}, {5, 0}, {0, 5}}));
      notch.closeSubpath();
      s.mark({plot_->x(double(at)), box.top()}, notch, {ink});
    }
  }

  // Chain, unit, size, name: dropped in this order; nothing under 24 x 14.
  void words(Sheet& s, const trace::ArenaBuffer& b) const {
    const QRectF box = this->box(b);
    if (box.width() < 24 || box.height() < 14) return;
    const QColor plate = box.height() < 20 ? QColor() : arenaPlate(s.t, b); // it would reach over the outline
    const double room = box.width() - 10, left = box.left() + 5;
    const bool two = box.height() >= 34, three = box.height() >= 52 && !b.chain.empty();
    const double first = box.center().y() - (three ? 15 : two ? 8 : 0);
    const Type quiet{.px = 11, .role = "textSecondary", .room = room, .plate = plate};
    if (!b.views.empty() && box.height() >= 96) {
      const QString shared = "view " + qt(b.views.front().name) + (b.views.size() > 1 ? QString(" +%1").arg(b.views.size() - 1) : QString());
      if (s.width(shared, quiet) <= room) s.text({left, box.top() + 14}, shared, quiet);
    }
    if (!s.text({left, first}, qt(b.name), {.weight = 600, .room = room, .plate = plate}) || !two) return;
    if (three) {
      const QString to = QString(QChar(0x2192)) + ' ' + qt(b.chain.back()), all = to + QString(", %1 in place").arg(b.chain.size());
      s.text({left, first + 15}, b.chain.size() > 1 && s.width(all, quiet) <= room ? all : to, quiet);
    }
    const QString size = byteText(b.bytes), bare = number(double(b.bytes) / byteUnit(b.bytes).bytes);
    for (const QString& shown : {size, bare})
      if (s.width(shown, quiet) <= room) {
        s.text({left, first + (three ? 30 : 15)}, shown, quiet);
        break;
      }
  }

  // The gaps that the packer looked at for this buffer, free for the whole of its life.
  QRectF gapBox(const trace::ArenaGap& gap) const { return plot_->box(at_.placing->start, at_.placing->end, gap.offset, gap.offset + gap.size); }
  // `part`: how many of them have been looked at.
  void tried(Sheet& s, double part) const {
    QColor lines = s.t.c("refused");
    lines.setAlphaF(.4f);
    const auto& gaps = at_.placing->gaps;
    for (size_t i = 0; i < gaps.size() && double(i) <= part * double(gaps.size()); ++i) {
      const trace::ArenaGap& gap = gaps[i];
      if (gap.size < 0) continue;
      if (gap.taken) s.rect(gapBox(gap), 0, {mix(s.t.c("accent"), s.t.c("canvas"), .1)}, {s.t.c("accent"), 1, {6, 4}});
      else s.rect(gapBox(gap), 0, {{}, Hatch::Cross, lines}, {s.t.c("refused"), 1.5, {2, 3}});
    }
  }
  void reasons(Sheet& s) const {
    const auto& gaps = at_.placing->gaps;
    for (size_t i = 0; i < gaps.size(); ++i) {
      const trace::ArenaGap& gap = gaps[i];
      const QRectF box = gap.size < 0 ? QRectF() : gapBox(gap);
      if (gap.taken || box.height() < 16) continue;
      const QString bare = QString::number(i + 1), needs = gap.size < gap.needed ? "needs " + byteText(gap.needed) : QString("looser"), has = "gap " + byteText(gap.size);
      const Type type{.px = 11, .role = "refused", .weight = 500, .anchor = 0, .plate = s.t.c("canvas")};
      const auto fits = [&](const QString& shown) { return s.width(shown, type) + 8 <= box.width(); };
      const QString one = bare + "   " + needs + ", " + has;
      const QString first = fits(bare + "   " + needs) ? bare + "   " + needs : needs;
      if (fits(one)) s.text(box.center(), one, type);
      else if (box.height() >= 36 && fits(first) && fits(has)) s.text(box.center() - QPointF(0, 8), first, type), s.text(box.center() + QPointF(0, 8), has, type);
      else if (fits(bare)) s.text(box.center(), bare, type);
    }
  }
  // The launches that the buffer lives through: what else is alive then is in its way.
  void column(Sheet& s) const {
    const QRectF life = plot_->box(at_.placing->start, at_.placing->end, 0, int64_t(plot_->high));
    s.rect(life, 0, {mix(s.t.c("accent"), s.t.c("canvas"), .07)});
  }
  // The buffer on its way down, from above the arena.
  void moving(Sheet& s, double part) const {
    const double above = box(*at_.placing).bottom() - plot_->plot.top();
    s.push({0, -above * (1 - eased(part))}, nullptr);
    buffer(s, *at_.placing);
    if (arena_.buffers.size() <= manyBuffers) words(s, *at_.placing);
    s.pop();
  }
  // Where it came from: what lands on top falls from above.
  void falling(Sheet& s) const {
    const auto& gaps = at_.placing->gaps;
    if (std::none_of(gaps.begin(), gaps.end(), [](const trace::ArenaGap& g) { return g.taken && g.size < 0; })) return;
    const QRectF b = box(*at_.placing);
    for (const double up : {8., 16., 24.}) {
      if (b.top() - up < 8) return;
      QColor ink = s.t.c("accent");
      ink.setAlphaF(float(.8 - up / 40));
      s.line({b.left() + 2, b.top() - up}, {b.right() - 2, b.top() - up}, {ink, 1, {5, 3}});
    }
  }

  void tray(Sheet& s) const {
    const double top = plot_->plot.bottom() + ArenaPlot::bottom, width = plot_->plot.right() + ArenaPlot::right - edge;
    s.line({edge, top}, {edge + width, top}, {s.t.c("line")});
    const QString order = at_.placing->placed_by.empty() ? "packed " + qt(arena_.strategy) : "in order of " + qt(at_.placing->placed_by);
    s.text({edge, top + 14}, QString("Still to come: %1, %2").arg(waiting_.size()).arg(order), {.px = 11, .role = "textSecondary", .room = width});
    constexpr double wide = 124, high = 36, apart = 8;
    for (size_t i = 0; i < waiting_.size() && double(i + 1) * (wide + apart) <= width; ++i) {
      const trace::ArenaBuffer& b = *waiting_[i];
      const QRectF box(edge + double(i) * (wide + apart), top + 28, wide, high);
      arenaBox(s, box, b, false);
      const QColor plate = arenaPlate(s.t, b);
      s.text({box.left() + 6, box.top() + 11}, qt(b.name), {.weight = 600, .room = wide - 12, .plate = plate});
      s.text({box.left() + 6, box.top() + 26}, QString("%1 [%2, %3)").arg(byteText(b.bytes)).arg(b.start).arg(b.end), {.px = 11, .role = "textSecondary", .room = wide - 12, .plate = plate});
    }
  }

  std::shared_ptr<const trace::Document> keep_;
  ArenaAt at_;
  const trace::ArenaPanel& arena_;
  bool paper_, wide_, tray_ = false;
  double sideWidth_;
  StrategyBars bars_;
  std::optional<GapList> gaps_;
  std::vector<const trace::ArenaBuffer*> waiting_; // in the order in which they are placed
  std::optional<ArenaPlot> plot_;
  QPointF gapsAt_, barsAt_;
};

// Before anything is placed: what the search held for best on its way.
Figure incumbents(const Place& place, const ArenaAt& at, const Theme& theme, QSizeF size) {
  const trace::ArenaPanel& arena = *at.arena;
  QList<GridRow> rows;
  int64_t most = 1;
  for (const auto& i : arena.incumbents)
    if (i.step <= at.step) most = std::max(most, i.peak);
  for (const auto& i : arena.incumbents) {
    if (i.step > at.step) continue;
    const QString over = i.peak <= i.bound ? QString("none: optimal") : byteText(i.peak - i.bound);
    rows.append({{qt(i.by), byteText(i.peak), over, number(double(i.effort))}, i.step == at.step ? Glyph::Play : Glyph::None, "accent", double(i.peak) / double(most), i.step == at.step});
  }
  const auto grid = std::make_shared<Grid>(theme, QPointF(edge, 84), size.width() - 2 * edge,
                                           QList<GridColumn>{{.title = "Order tried", .elastic = true, .weight = 500}, {.title = "Peak", .number = true, .bar = true}, {.title = "Over the bound", .number = true},
                                                             {.title = "Effort", .number = true, .drop = 1}},
                                           rows);
  size.setHeight(std::max(size.height(), grid->bottom() + edge));
  Figure out{size, [size, grid, keep = place.document, count = arena.buffers.size()](Sheet& s) {
               s.rect({{}, size}, 0, {s.t.c("canvas")});
               s.text({edge, 28}, QString("Plans for %1 buffers, each better than the one before").arg(number(double(count))), {.px = 15, .weight = 600, .room = size.width() - 2 * edge});
               s.text({edge, 54}, "The placements of the last one follow, a step each.", {.role = "textSecondary", .room = size.width() - 2 * edge});
               grid->draw(s);
             }, {}};
  for (int i = 0; i < rows.size(); ++i) out.hits.append({grid->row(i), nothing, QString("plan by %1, peak %2, over the bound %3").arg(rows[i].cells[0], rows[i].cells[1], rows[i].cells[2])});
  return out;
}

} // namespace

Figure arenaOffsets(const Place& place, const Theme& theme, QSizeF room) {
  const QSizeF size = arenaSize(theme, room);
  const ArenaAt at = arenaAt(place);
  if (auto note = arenaNote(place, at, size)) return *note;
  if (!at.arena->buffers.empty() && std::none_of(at.arena->buffers.begin(), at.arena->buffers.end(), [&](const auto& b) { return at.placed(b); })) {
    if (!at.arena->incumbents.empty() && at.arena->incumbents.front().step <= at.step) return incumbents(place, at, theme, size);
    return arenaEmpty(place, *at.arena, size);
  }
  const auto drawing = std::make_shared<const Drawing>(place, at, theme, size);
  Figure out = arenaFigureOf(drawing);
  if (drawing->moves()) out.entry = [drawing](Sheet& s, double part) { drawing->draw(s, part); };
  return out;
}

} // namespace cutaway::views
