#include "source/source_figure.h"

#include "kit/grid.h"
#include "place/empty.h"
#include "place/reading.h"
#include "source/columns.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double edge = 24, between = 32, narrow = 640, eachColumn = 280;

std::vector<const trace::TextPanel*> textsOf(const Place& place, Entity who) {
  std::vector<const trace::TextPanel*> out;
  for (const trace::Panel& p : place.trace()->panels())
    if (const auto* t = std::get_if<trace::TextPanel>(&p); t && t->entity == who) out.push_back(t);
  for (const auto& t : place.asked)
    if (t->entity == who) out.push_back(t.get());
  return out;
}

// The ops whose lines are lit: the selected one, or the one that makes the selected value.
std::set<Entity> litBy(const Place& place, const trace::GraphDoc& graph) {
  if (!place.selected) return {};
  if (const trace::GraphNode* op = opBehind(place, graph, *place.selected)) return {entity(op->id)};
  return {*place.selected};
}

// Texts beside each other where there is room, else below each other. Beside each other what is lit in all, or
// computes first, stands at one height.
class Drawing {
 public:
  Drawing(const Place& place, const Theme& theme, const std::vector<const trace::TextPanel*>& texts, QSizeF room) : advance_(textWidth(theme, "0", {.px = 12, .mono = true})) {
    const trace::GraphDoc graph = place.trace()->at(static_cast<uint32_t>(place.trace()->steps().size() - 1));
    const std::set<Entity> lit = litBy(place, graph);
    for (const trace::TextPanel* t : texts) columns_.emplace_back(*t, graph, lit);
    const double bottom = room.width() >= std::max(narrow, eachColumn * double(columns_.size())) && columns_.size() > 1 ? beside(room.width()) : below(room.width());
    size_ = {room.width(), std::max(room.height(), bottom + 8)};
  }

  QSizeF size() const { return size_; }
  const std::vector<Column>& columns() const { return columns_; }
  QRectF reveal() const {
    QRectF out;
    for (const Column& c : columns_)
      if (const QRectF a = anchor(c); !a.isNull() && (out.isNull() || a.top() < out.top())) out = a;
    return out;
  }

  void draw(Sheet& s) const {
    s.rect({{0, 0}, size_}, 0, {s.t.c("canvas")});
    for (const Column& c : columns_) c.draw(s);
  }

 private:
  // What stands at one height: the lit lines, else the first that computes something. A text may begin with a prelude.
  static QRectF anchor(const Column& c) {
    if (!c.lit().isNull()) return c.lit();
    int64_t first = c.lineCount();
    for (const auto& link : c.panel().links) first = std::min(first, link.line);
    return first < c.lineCount() ? c.lineBox(first) : QRectF();
  }
  // Each as wide as its lines, as far as they fit; what is missing is taken from the widest.
  std::vector<double> widths(double room) const {
    std::vector<double> out;
    double sum = 0;
    for (const Column& c : columns_) out.push_back(c.wanted(advance_)), sum += out.back();
    for (int round = 0; round < 64 && sum > room; ++round) {
      double& widest = *std::max_element(out.begin(), out.end());
      const double less = std::min(sum - room, std::max(8., widest / 16));
      widest -= less, sum -= less;
    }
    out.back() += std::max(0., room - sum);
    return out;
  }
  double beside(double room) {
    const std::vector<double> wide = widths(room - 2 * edge - between * double(columns_.size() - 1));
    double x = edge, deepest = 0, bottom = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].fit(wide[i], advance_);
      columns_[i].moveTo({x, 16});
      x += wide[i] + between;
      deepest = std::max(deepest, anchor(columns_[i]).top());
    }
    for (Column& c : columns_) {
      if (const QRectF a = anchor(c); !a.isNull()) c.moveTo(c.box().topLeft() + QPointF(0, deepest - a.top()));
      bottom = std::max(bottom, c.box().bottom());
    }
    return bottom;
  }
  double below(double room) {
    double y = 16;
    for (Column& c : columns_) {
      c.fit(room - 2 * edge, advance_);
      c.moveTo({edge, y});
      y = c.box().bottom() + 8;
    }
    return y;
  }

  double advance_;
  std::vector<Column> columns_;
  QSizeF size_;
};

void addHits(Figure& out, const Drawing& drawing, const Place& place) {
  const trace::GraphDoc graph = place.trace()->at(static_cast<uint32_t>(place.trace()->steps().size() - 1));
  for (const Column& c : drawing.columns()) {
    out.hits.append({c.head(), c.panel().entity, QString("kernel %1, %2, %3 lines").arg(qt(c.panel().name), qt(c.panel().language)).arg(c.lineCount())});
    for (const auto& link : c.panel().links) {
      if (link.line < 0 || link.line >= c.lineCount()) continue;
      const trace::GraphNode* op = link.entity.kind == Entity::Kind::op ? graph.nodes.find(NodeId(link.entity.id)) : nullptr;
      const QString name = op ? qt(op->name) : QString::fromStdString(entity_key(link.entity));
      out.hits.append({c.lineBox(link.line), link.entity, QString("%1, line %2, computes %3%4").arg(qt(c.panel().language)).arg(link.line + 1).arg(name, place.selected == link.entity ? ", selected" : "")});
    }
  }
}

} // namespace

std::optional<Entity> sourceKernel(const Place& place) {
  if (!place.trace()) return {};
  for (const Entity& kernel : kernelsToShow(place))
    if (!textsOf(place, kernel).empty()) return kernel;
  const auto* first = place.trace()->panel<trace::TextPanel>(0);
  return first ? std::optional(first->entity) : std::nullopt;
}

Figure sourceFigure(const Place& place, const Theme& theme, QSizeF room) {
  const QSizeF size = theme.name() == "paper" ? QSizeF(673, 200) : room.expandedTo({480, 320});
  const auto kernel = sourceKernel(place);
  if (!kernel)
    return emptyFigure(place, size, "source", "No source", "No kernel was printed: the compile stopped before code generation, or the document was made without it. Compile the model to see its kernels.");
  const auto drawing = std::make_shared<Drawing>(place, theme, textsOf(place, *kernel), size);
  Figure out{drawing->size(), [drawing, keep = place](Sheet& s) { drawing->draw(s); }, {}, drawing->reveal()};
  addHits(out, *drawing, place);
  return out;
}

} // namespace cutaway::views
