#include "arena/arena_figure.h"
#include "arena/arena_plot.h"

#include "kit/marks.h"
#include "kit/paper.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double nameWidth = 176, sizeWidth = 92, topMargin = 52, bottomMargin = 48, pad = 16;
constexpr double leastRow = 18, mostRow = 26;
constexpr size_t manyBuffers = 1000; // thin rows without words beyond

class Drawing {
 public:
  Drawing(const Place& place, const ArenaAt& at, const Theme& theme, QSizeF room) : keep_(place.document), at_(at), arena_(*at.arena), paper_(onPaper(theme)), scopes_(arenaScopes(place, arena_)) {
    for (const trace::ArenaBuffer& b : arena_.buffers) order_.push_back(&b);
    std::stable_sort(order_.begin(), order_.end(), [](const auto* a, const auto* b) { return std::pair(a->start, a->end) < std::pair(b->start, b->end); });
    const auto n = double(std::max<size_t>(1, order_.size()));
    rowHeight_ = words() ? std::clamp((room.height() - topMargin - bottomMargin) / n, leastRow, mostRow) : 4;
    size = {room.width(), std::max(paper_ ? 0 : room.height(), topMargin + rowHeight_ * n + bottomMargin)};
    const double left = words() ? pad + nameWidth + 8 : 72;
    plot_.emplace(arena_, QRectF(left, topMargin, size.width() - left - (words() ? sizeWidth + pad : 24), rowHeight_ * n));
  }

  QSizeF size;

  void draw(Sheet& s) const {
    s.rect({{}, size}, 0, {s.t.c("canvas")});
    const Type quiet{.px = 11, .role = "textSecondary"};
    plot_->launches(s, plot_->plot.top(), true);
    plot_->launches(s, plot_->plot.bottom(), false);
    if (words()) {
      s.text({pad, 18}, "buffer", quiet);
      s.text({size.width() - pad, 18}, "bytes", {.px = 11, .role = "textSecondary", .anchor = 1});
    }
    s.text({plot_->plot.left(), 18}, plot_->plot.width() < 320 ? "launches of its life" : "launches during which it lives, half-open", quiet);
    for (size_t i = 0; i < order_.size(); ++i) row(s, i);
  }

  QList<Hit> hits() const {
    QList<Hit> out;
    for (size_t i = 0; i < order_.size(); ++i) out.append({bar(i), entity(order_[i]->id), spoken(*order_[i])});
    return out;
  }

 private:
  bool words() const { return order_.size() <= manyBuffers; }
  double top(size_t i) const { return plot_->plot.top() + rowHeight_ * double(i); }
  QRectF bar(size_t i) const {
    const double air = words() ? 3 : .5;
    return {QPointF(plot_->x(double(order_[i]->start)), top(i) + air), QPointF(plot_->x(double(order_[i]->end)) - 1, top(i) + rowHeight_ - air)};
  }

  void row(Sheet& s, size_t i) const {
    const trace::ArenaBuffer& b = *order_[i];
    const QRectF bar = this->bar(i);
    const bool placing = &b == at_.placing, selected = at_.isSelected(b);
    if (!words()) return s.rects({s.pixels(bar)}, {placing || selected ? s.t.c("accent") : s.t.category(b.category).stroke});
    const double middle = bar.center().y();
    if (placing || selected) s.rect({pad - 8, top(i), size.width() - 2 * pad + 16, rowHeight_}, 3, {s.t.c("selection")});
    if (i > 0) s.line({pad, top(i)}, {size.width() - pad, top(i)}, {s.t.c("grid")});
    nameIn(s, {pad, middle}, nameWidth, qt(b.name), scopes_.value(b.id.v), placing ? 600 : 400);
    s.text({size.width() - pad, middle}, byteText(b.bytes), {.px = 11, .role = "textSecondary", .anchor = 1});
    if (at_.placed(b)) arenaBox(s, bar, b, placing);
    else s.rect(bar, 3, {}, {s.t.c("removed"), 1.5, {5, 3}}); // not placed yet
    segments(s, b, bar);
    if (selected && at_.placed(b)) selectionRing(s, bar, 3);
    views(s, b, bar);
  }

  // One bar for a chain in place, cut where the next value takes the bytes over.
  void segments(Sheet& s, const trace::ArenaBuffer& b, QRectF bar) const {
    const QColor ink = paper_ ? s.t.c("text") : s.t.category(b.category).stroke;
    const QColor plate = at_.placed(b) ? arenaPlate(s.t, b) : s.t.c("canvas");
    for (size_t i = 0; i < b.chain_at.size() && i < b.chain.size(); ++i) {
      const double from = plot_->x(double(b.chain_at[i])), to = i + 1 < b.chain_at.size() ? plot_->x(double(b.chain_at[i + 1])) : bar.right();
      s.line({from, bar.top()}, {from, bar.bottom()}, {ink, 1.5});
      const QString name = QString(QChar(0x2192)) + ' ' + qt(b.chain[i]);
      if (s.width(name, {.px = 11}) + 10 <= to - from) s.text({from + 6, bar.center().y()}, name, {.px = 11, .plate = plate});
    }
  }

  // Views that read its bytes: a dashed line over the launches that do, and their names behind the bar.
  void views(Sheet& s, const trace::ArenaBuffer& b, QRectF bar) const {
    if (b.views.empty()) return;
    const QColor ink = paper_ ? s.t.c("text") : s.t.category(b.category).stroke;
    for (const trace::ArenaView& v : b.views) s.line({plot_->x(double(v.start)) + 2, bar.bottom() - 3}, {plot_->x(double(v.end)) - 3, bar.bottom() - 3}, {ink, 1, {3, 2}});
    QString names = b.views.size() == 1 ? "view " : "views ";
    for (size_t i = 0; i < b.views.size(); ++i) names += (i ? ", " : "") + qt(b.views[i].name);
    const Type type{.px = 11, .role = "textMuted"};
    const double width = s.width(names, type);
    const bool selected = &b == at_.placing || at_.isSelected(b);
    Type shown = type;
    shown.plate = s.t.c(selected ? "selection" : "canvas");
    if (bar.right() + 8 + width <= plot_->plot.right()) s.text({bar.right() + 8, bar.center().y()}, names, shown);
    else if (bar.left() - 8 - width >= plot_->plot.left()) s.text({bar.left() - 8 - width, bar.center().y()}, names, shown);
  }

  std::shared_ptr<const trace::Document> keep_;
  ArenaAt at_;
  const trace::ArenaPanel& arena_;
  bool paper_;
  QMap<uint32_t, QString> scopes_;
  double rowHeight_ = leastRow;
  std::vector<const trace::ArenaBuffer*> order_; // by birth
  std::optional<ArenaPlot> plot_;
};

} // namespace

Figure arenaIntervals(const Place& place, const Theme& theme, QSizeF room) { return arenaFigureOf<Drawing>(place, theme, room); }

} // namespace cutaway::views
