#include "arena/arena_figure.h"
#include "arena/arena_plot.h"

#include "kit/marks.h"
#include "kit/paper.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double listWidth = 248, edge = 24, beside = 760, rowHeight = 22, headHeight = 50;
constexpr size_t manyCells = 20'000; // buffers times launches: one area beyond

// A buffer's part of the stack: its bottom at each launch of its life.
struct Layer {
  const trace::ArenaBuffer* buffer = nullptr;
  std::vector<int64_t> bottom;
};

struct Stack {
  std::vector<Layer> layers; // the longest life at the bottom, where the fewest come and go
  std::vector<int64_t> total; // a launch
  int64_t fullest = 0;        // the first launch with the greatest total
  bool many = false;          // too many to tell apart: no layers, only the total

  explicit Stack(const trace::ArenaPanel& arena) : total(std::max<size_t>(1, arena.launches.size())) {
    size_t cells = 0;
    for (const trace::ArenaBuffer& b : arena.buffers) cells += size_t(b.end - b.start);
    many = cells > manyCells;
    many ? sum(arena) : stack(arena);
    fullest = std::max_element(total.begin(), total.end()) - total.begin();
  }

 private:
  void sum(const trace::ArenaPanel& arena) {
    std::vector<int64_t> change(total.size() + 1);
    for (const trace::ArenaBuffer& b : arena.buffers) change[size_t(b.start)] += occupied(arena, b), change[size_t(b.end)] -= occupied(arena, b);
    int64_t alive = 0;
    for (size_t t = 0; t < total.size(); ++t) total[t] = alive += change[t];
  }
  void stack(const trace::ArenaPanel& arena) {
    for (const trace::ArenaBuffer& b : arena.buffers) layers.push_back({&b, {}});
    std::stable_sort(layers.begin(), layers.end(), [](const Layer& a, const Layer& b) { return a.buffer->end - a.buffer->start > b.buffer->end - b.buffer->start; });
    for (Layer& layer : layers)
      for (int64_t t = layer.buffer->start; t < layer.buffer->end; ++t) {
        layer.bottom.push_back(total[size_t(t)]);
        total[size_t(t)] += occupied(arena, *layer.buffer);
      }
  }
};

class Drawing {
 public:
  Drawing(const Place& place, const ArenaAt& at, const Theme& theme, QSizeF room)
      : keep_(place.document), at_(at), arena_(*at.arena), paper_(onPaper(theme)), wide_(!paper_ && room.width() >= beside), stack_(arena_), scopes_(arenaScopes(place, arena_)) {
    for (const trace::ArenaBuffer& b : arena_.buffers)
      if (b.start <= stack_.fullest && stack_.fullest < b.end) live_.push_back(&b);
    std::stable_sort(live_.begin(), live_.end(), [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
    const double right = wide_ ? listWidth + 2 * edge : 0;
    double below = 0;
    if (wide_) {
      rows_ = std::min(live_.size(), size_t(std::max(1., (room.height() - 2 * edge - headHeight - rowHeight) / rowHeight)));
      listAt_ = {room.width() - edge - listWidth, edge};
    } else {
      rows_ = std::min<size_t>(live_.size(), 5);
      below = headHeight + rowHeight * double(rows_ + (rows_ < live_.size())) + 12;
      room.setHeight(std::max(room.height(), ArenaPlot::top + 200 + ArenaPlot::bottom + below));
      listAt_ = {edge, room.height() - below};
    }
    size = room;
    plot_.emplace(arena_, QRectF(ArenaPlot::left, ArenaPlot::top, size.width() - right - ArenaPlot::left - ArenaPlot::right, size.height() - below - ArenaPlot::top - ArenaPlot::bottom));
  }

  QSizeF size;

  void draw(Sheet& s) const {
    s.rect({{}, size}, 0, {s.t.c("canvas")});
    plot_->axes(s, "bytes alive");
    if (stack_.many) area(s);
    for (const Layer& layer : stack_.layers) arenaShape(s, shape(layer), plot_->plot.height() * double(occupied(arena_, *layer.buffer)) / plot_->high, *layer.buffer, at_.isSelected(*layer.buffer));
    fullest(s);
    plot_->limits(s, arena_.peak, false);
    for (const Layer& layer : stack_.layers) name(s, layer);
    list(s);
    if (wide_) s.line({listAt_.x() - edge + 8, edge}, {listAt_.x() - edge + 8, size.height() - edge}, {s.t.c("line")});
  }

  QList<Hit> hits() const {
    QList<Hit> out;
    for (const Layer& layer : stack_.layers)
      if (!layer.bottom.empty()) out.append({widest(layer), entity(layer.buffer->id), spoken(*layer.buffer)});
    for (size_t i = 0; i < rows_; ++i) out.append({row(i), entity(live_[i]->id), spoken(*live_[i])});
    return out;
  }

 private:
  int64_t low(const Layer& layer, size_t i) const { return layer.bottom[i]; }
  int64_t top(const Layer& layer, size_t i) const { return layer.bottom[i] + occupied(arena_, *layer.buffer); }

  // Along the tops to the right and back along the bottoms.
  QPainterPath shape(const Layer& layer) const {
    QPolygonF points;
    const auto first = double(layer.buffer->start);
    for (size_t i = 0; i < layer.bottom.size(); ++i)
      for (const double side : {0., 1.}) points << QPointF(plot_->x(first + double(i) + side), plot_->y(double(top(layer, i))));
    for (size_t i = layer.bottom.size(); i-- > 0;)
      for (const double side : {1., 0.}) points << QPointF(plot_->x(first + double(i) + side), plot_->y(double(low(layer, i))));
    QPainterPath out;
    out.addPolygon(points);
    out.closeSubpath();
    return out;
  }
  // The longest part that lies at one height.
  QRectF widest(const Layer& layer) const {
    size_t best = 0, length = 0;
    for (size_t i = 0, from = 0; i < layer.bottom.size(); ++i) {
      if (low(layer, i) != low(layer, from)) from = i;
      if (i + 1 - from > length) best = from, length = i + 1 - from;
    }
    const int64_t start = layer.buffer->start + int64_t(best);
    return plot_->box(start, start + int64_t(length), low(layer, best), top(layer, best));
  }
  void name(Sheet& s, const Layer& layer) const {
    if (layer.bottom.empty()) return;
    const QRectF box = widest(layer);
    if (box.width() < 30 || box.height() < 14) return;
    const Type type{.px = 11, .weight = 500, .room = box.width() - 10, .plate = box.height() < 20 ? QColor() : arenaPlate(s.t, *layer.buffer)};
    s.text({box.left() + 5, box.center().y()}, qt(layer.buffer->name), type);
  }
  void area(Sheet& s) const {
    QPolygonF points{{plot_->x(0), plot_->y(0)}};
    for (size_t t = 0; t < stack_.total.size(); ++t)
      for (const double side : {0., 1.}) points << QPointF(plot_->x(double(t) + side), plot_->y(double(stack_.total[t])));
    points << QPointF(plot_->x(double(stack_.total.size())), plot_->y(0));
    QPainterPath path;
    path.addPolygon(points);
    s.path(path, {mix(s.t.c("accent"), s.t.c("canvas"), .2)}, {s.t.c("accent"), 1.5});
  }

  // Buffers that no kernels are known of have moments, not launches.
  QString kernelThen() const { return size_t(stack_.fullest) < arena_.launches.size() ? qt(arena_.launches[size_t(stack_.fullest)]) : QString(); }
  QString moment() const { return QString(kernelThen().isEmpty() ? "time %1" : "launch %1").arg(stack_.fullest); }

  // The launch at which most is alive.
  void fullest(Sheet& s) const {
    const double left = plot_->x(double(stack_.fullest)), right = std::max(left + 3, plot_->x(double(stack_.fullest) + 1)), top = plot_->y(double(stack_.total[size_t(stack_.fullest)]));
    QColor tint = s.t.c("accent");
    tint.setAlphaF(.2f);
    s.rect({left, top, right - left, plot_->plot.bottom() - top}, 0, {tint});
    for (const double at : {top, plot_->plot.bottom()}) s.line({left, at}, {right, at}, {s.t.c("accent"), 4});
    s.text({std::clamp((left + right) / 2, plot_->plot.left() + 40, plot_->plot.right() - 40), plot_->plot.top() - 8}, moment(), {.px = 11, .role = "accent", .weight = 600, .anchor = 0});
  }

  double rowWidth() const { return wide_ ? listWidth : std::min(420., size.width() - 2 * edge); }
  QRectF row(size_t i) const { return {listAt_.x(), listAt_.y() + headHeight + rowHeight * double(i) - rowHeight / 2, rowWidth(), rowHeight}; }
  void list(Sheet& s) const {
    const int64_t total = stack_.total[size_t(stack_.fullest)];
    s.text({listAt_.x(), listAt_.y() + 8}, QString("%1 alive at %2").arg(byteText(total), moment()), {.px = 13, .weight = 600, .room = rowWidth()});
    const QString kernel = kernelThen();
    s.text({listAt_.x(), listAt_.y() + 26}, kernel + (kernel.isEmpty() ? "" : ", ") + QString("%1 buffers").arg(live_.size()), {.px = 11, .role = "textSecondary", .room = rowWidth()});
    for (size_t i = 0; i < rows_; ++i) {
      const trace::ArenaBuffer& b = *live_[i];
      const QRectF r = row(i);
      if (at_.isSelected(b)) s.rect(r, 3, {s.t.c("selection")});
      if (paper_) s.rect({r.left(), r.center().y() - 6, 12, 12}, 0, paperFill(s.t, b.category), {s.t.c("text"), .8});
      else s.rect({r.left(), r.center().y() - 6, 12, 12}, 2, {s.t.category(b.category).fill, s.t.category(b.category).hatch, s.t.category(b.category).lines, 7}, {s.t.category(b.category).stroke, 1});
      nameIn(s, {r.left() + 20, r.center().y()}, r.width() - 100, qt(b.name), scopes_.value(b.id.v));
      s.text({r.right(), r.center().y()}, byteText(occupied(arena_, b)), {.role = "textSecondary", .anchor = 1});
    }
    if (rows_ == live_.size()) return;
    int64_t rest = 0;
    for (size_t i = rows_; i < live_.size(); ++i) rest += occupied(arena_, *live_[i]);
    const QRectF r = row(rows_);
    s.text({r.left() + 20, r.center().y()}, QString("and %1 more").arg(live_.size() - rows_), {.role = "textMuted"});
    s.text({r.right(), r.center().y()}, byteText(rest), {.role = "textMuted", .anchor = 1});
  }

  std::shared_ptr<const trace::Document> keep_;
  ArenaAt at_;
  const trace::ArenaPanel& arena_;
  bool paper_, wide_;
  Stack stack_;
  QMap<uint32_t, QString> scopes_;
  std::vector<const trace::ArenaBuffer*> live_; // at the fullest launch, the largest first
  size_t rows_ = 0;
  QPointF listAt_;
  std::optional<ArenaPlot> plot_;
};

} // namespace

Figure arenaBytes(const Place& place, const Theme& theme, QSizeF room) { return arenaFigureOf<Drawing>(place, theme, room); }

} // namespace cutaway::views
