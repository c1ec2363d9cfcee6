#include "source/source_figure.h"

#include "kit/grid.h"
#include "place/empty.h"
#include "place/reading.h"
#include "source/highlight.h"

#include <algorithm>
#include <map>

namespace cutaway::views {
namespace {

constexpr double edge = 24, lead = 17, headRoom = 40, between = 32, narrow = 640;
const Type code{.px = 12, .mono = true};

struct Line {
  QList<Run> runs;
  std::optional<int> category; // of the op that it belongs to
  bool selected = false;
};

// One text in its box.
struct Column {
  const trace::TextPanel* panel = nullptr;
  QList<Line> lines;
  QRectF box;
  double numbers = 0; // room for line numbers and the bar

  QRectF lineBox(qsizetype i) const { return {box.left(), box.top() + headRoom + lead * double(i), box.width(), lead}; }
  double wanted() const { return headRoom + lead * double(lines.size()) + 8; }
};

// "K4 conv1": selected means that this op is.
std::vector<const trace::TextPanel*> textsOf(const trace::Trace& trace, Entity who) {
  std::vector<const trace::TextPanel*> out;
  for (const trace::Panel& p : trace.panels())
    if (const auto* t = std::get_if<trace::TextPanel>(&p); t && t->entity == who) out.push_back(t);
  return out;
}

std::vector<const trace::TextPanel*> chosen(const Place& place) {
  const trace::Trace* trace = place.trace();
  if (!trace) return {};
  if (place.selected)
    if (const auto kernel = kernelOf(place, *place.selected))
      if (auto texts = textsOf(*trace, *kernel); !texts.empty()) return texts;
  const auto* first = trace->panel<trace::TextPanel>(place.step);
  return first ? textsOf(*trace, first->entity) : std::vector<const trace::TextPanel*>{};
}

class Drawing {
 public:
  Drawing(const Place& place, const Theme& theme, const std::vector<const trace::TextPanel*>& texts, QSizeF room) : advance_(textWidth(theme, "0", code)) {
    const trace::Trace& trace = *place.trace();
    const trace::GraphDoc graph = trace.at(static_cast<uint32_t>(trace.steps().size() - 1));
    for (const trace::TextPanel* t : texts) columns_.push_back(column(*t, place, graph));
    place_(room);
    for (Column& c : columns_) cut(c);
  }

  QSizeF size() const { return size_; }
  const std::vector<Column>& columns() const { return columns_; }

  void draw(Sheet& s) const {
    s.rect({{0, 0}, size_}, 0, {s.t.c("canvas")});
    for (const Column& c : columns_) draw(s, c);
  }

 private:
  static Column column(const trace::TextPanel& t, const Place& place, const trace::GraphDoc& graph) {
    Column out;
    out.panel = &t;
    const qsizetype count = qsizetype(std::count(t.text.view().begin(), t.text.view().end(), '\n')) + 1;
    out.lines.resize(count);
    for (const auto& link : t.links) {
      if (link.line < 0 || link.line >= count) continue;
      out.lines[link.line].category = categoryOf(graph, link.entity);
      out.lines[link.line].selected = place.selected == link.entity;
    }
    return out;
  }

  // Beside each other where there is room, the loop nest as wide as its lines; else below each other.
  void place_(QSizeF room) {
    const double width = room.width() - 2 * edge;
    const bool beside = room.width() >= narrow && columns_.size() > 1;
    double x = edge, y = 16, bottom = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      Column& c = columns_[i];
      c.numbers = advance_ * double(QString::number(c.lines.size()).size()) + 20;
      double w = width;
      if (beside) {
        const double left = room.width() - edge - x;
        const bool last = i + 1 == columns_.size();
        w = last ? left : std::min(longest(c) + c.numbers + 8, std::max(200., width * (columns_.size() > 2 ? .3 : .4)));
      }
      c.box = {x, y, w, c.wanted()};
      bottom = std::max(bottom, c.box.bottom());
      beside ? x += w + between : y += c.wanted() + 8;
    }
    size_ = {room.width(), std::max(room.height(), bottom + 8)};
  }
  double longest(const Column& c) const {
    double most = 0;
    for (const QString& line : qt(c.panel->text).split('\n')) most = std::max(most, double(line.size()));
    const double head = advance_ * double(qt(c.panel->name).size() + qt(c.panel->language).size() + 4);
    return std::max(advance_ * most, head - c.numbers);
  }

  void cut(Column& c) const {
    const auto most = qsizetype((c.box.width() - c.numbers) / advance_);
    Highlighter highlighter;
    const QStringList lines = qt(c.panel->text).split('\n');
    for (qsizetype i = 0; i < lines.size() && i < c.lines.size(); ++i) {
      const QList<Run> whole = highlighter.line(lines[i]);
      for (Run r : whole) {
        if (r.at >= most) break;
        if (const bool last = lines[i].size() > most; last && r.at + r.text.size() >= most) r.text = r.text.left(most - 1 - r.at) + QChar(0x2026);
        c.lines[i].runs.append(r);
      }
    }
    while (c.lines.size() > 1 && c.lines.back().runs.isEmpty()) c.lines.removeLast();
  }

  void draw(Sheet& s, const Column& c) const {
    const double head = c.box.top() + 14;
    const QString language = qt(c.panel->language);
    const Type quiet{.px = 11, .role = "textMuted"};
    const double wide = s.width(language, quiet) + 12;
    s.text({c.box.left(), head}, qt(c.panel->name), {.px = 13, .weight = 600, .room = c.box.width() - wide});
    s.text({c.box.right(), head}, language, {.px = 11, .role = "textMuted", .anchor = 1});
    s.line({c.box.left(), head + 14}, {c.box.right(), head + 14}, {s.t.c("line")});
    for (qsizetype i = 0; i < c.lines.size(); ++i) draw(s, c, i);
  }
  void draw(Sheet& s, const Column& c, qsizetype i) const {
    const Line& line = c.lines[i];
    const QRectF box = c.lineBox(i);
    if (line.selected) s.rect(box, 0, {s.t.c("selection")});
    if (line.category) s.rect({box.left() + c.numbers - 12, box.top(), 3, box.height()}, 0, {s.t.category(*line.category).stroke});
    s.text({box.left() + c.numbers - 16, box.center().y()}, QString::number(i + 1), {.px = 12, .role = "textMuted", .mono = true, .anchor = 1});
    for (const Run& r : line.runs)
      s.text({box.left() + c.numbers + advance_ * r.at, box.center().y()}, r.text,
             {.px = 12, .role = r.style == Run::Style::quiet ? "textMuted" : "text", .weight = r.style == Run::Style::keyword ? 700 : 400, .mono = true});
  }

  double advance_;
  std::vector<Column> columns_;
  QSizeF size_;
};

QString opName(const Place& place, const trace::GraphDoc& graph, Entity e) {
  if (const trace::GraphNode* op = e.kind == Entity::Kind::op ? graph.nodes.find(NodeId(e.id)) : nullptr) return qt(op->name);
  return QString::fromStdString(entity_key(e)) + (place.selected == e ? ", selected" : "");
}

void addHits(Figure& out, const Drawing& drawing, const Place& place) {
  const trace::Trace& trace = *place.trace();
  const trace::GraphDoc graph = trace.at(static_cast<uint32_t>(trace.steps().size() - 1));
  for (const Column& c : drawing.columns()) {
    out.hits.append({c.box, c.panel->entity, QString("kernel %1, %2, %3 lines").arg(qt(c.panel->name), qt(c.panel->language)).arg(c.lines.size())});
    for (const auto& link : c.panel->links)
      if (link.line >= 0 && link.line < c.lines.size())
        out.hits.append({c.lineBox(link.line), link.entity, QString("line %1 computes %2").arg(link.line + 1).arg(opName(place, graph, link.entity))});
  }
}

} // namespace

Figure sourceFigure(const Place& place, const Theme& theme, QSizeF room) {
  const QSizeF size = theme.name() == "paper" ? QSizeF(673, 200) : room.expandedTo({480, 320});
  const auto texts = chosen(place);
  if (texts.empty())
    return emptyFigure(place, size, "source", "No source", "No kernel was printed: the compile stopped before code generation, or the document was made without it. Compile the model to see its kernels.");
  const auto drawing = std::make_shared<Drawing>(place, theme, texts, size);
  Figure out{drawing->size(), [drawing, keep = place.document](Sheet& s) { drawing->draw(s); }, {}};
  addHits(out, *drawing, place);
  return out;
}

} // namespace cutaway::views
