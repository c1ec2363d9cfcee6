#include "source/columns.h"

#include "place/reading.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr qsizetype least = 16; // letters in a row

qsizetype indentOf(const QString& text) {
  qsizetype i = 0;
  while (i < text.size() && text[i] == ' ') ++i;
  return i;
}

// Where the row that starts at `from` ends: behind the last space that it holds, if it is not too far left.
qsizetype rowEnd(const QString& text, qsizetype from, qsizetype room) {
  if (text.size() - from <= room) return text.size();
  const qsizetype space = text.lastIndexOf(' ', from + room);
  return space > from + room / 2 ? space + 1 : from + room;
}

} // namespace

Column::Column(const trace::TextPanel& panel, const trace::GraphDoc& graph, const std::set<Entity>& lit) : panel_(&panel) {
  QStringList texts = qt(panel.text).split('\n');
  while (texts.size() > 1 && texts.last().trimmed().isEmpty()) texts.removeLast();
  for (const QString& text : texts) lines_.append({text, {}, false});
  for (const auto& link : panel.links) {
    if (link.line < 0 || link.line >= lines_.size()) continue;
    lines_[link.line].category = categoryOf(graph, link.entity);
    lines_[link.line].lit |= lit.contains(link.entity);
  }
}

double Column::wanted(double advance) const {
  qsizetype longest = qt(panel_->name).size() + qt(panel_->language).size() + 4;
  for (const Line& line : lines_) longest = std::max(longest, line.text.size());
  return advance * double(longest + QString::number(lines_.size()).size()) + 28;
}

double Column::fit(double width, double advance) {
  advance_ = advance;
  numbers_ = advance * double(QString::number(lines_.size()).size()) + 20;
  rows_.clear();
  Highlighter highlighter(panel_->language.view() == "assembly");
  const auto most = std::max(least, qsizetype((width - numbers_) / advance));
  for (qsizetype i = 0; i < lines_.size(); ++i) {
    lines_[i].first = rows_.size();
    breakLine(i, highlighter.line(lines_[i].text), most);
    lines_[i].rows = rows_.size() - lines_[i].first;
  }
  box_.setSize({width, headRoom + lead * double(rows_.size()) + 8});
  return box_.height();
}

void Column::breakLine(qsizetype line, const QList<Run>& runs, qsizetype most) {
  const QString& text = lines_[line].text;
  const qsizetype deeper = std::max<qsizetype>(0, std::min(indentOf(text) + 4, most - least));
  qsizetype from = 0, indent = 0;
  do {
    const qsizetype end = rowEnd(text, from, most - indent);
    Row row{line, {}};
    for (const Run& r : runs) {
      const qsizetype begin = std::max<qsizetype>(r.at, from), stop = std::min(qsizetype(r.at) + r.text.size(), end);
      if (begin < stop) row.runs.append({int(begin - from + indent), r.text.mid(begin - r.at, stop - begin), r.style});
    }
    rows_.append(row);
    from = end, indent = deeper;
  } while (from < text.size());
}

QRectF Column::lineBox(int64_t line) const {
  const Line& l = lines_[qsizetype(line)];
  return rowBox(l.first).united(rowBox(l.first + l.rows - 1));
}

QRectF Column::lit() const {
  QRectF out;
  for (qsizetype i = 0; i < lines_.size(); ++i)
    if (lines_[i].lit) out = out.isNull() ? lineBox(i) : out.united(lineBox(i));
  return out;
}

void Column::draw(Sheet& s) const {
  const double head = box_.top() + 14;
  const Type quiet{.px = 11, .role = "textMuted", .anchor = 1};
  const QString language = qt(panel_->language);
  s.text({box_.left(), head}, qt(panel_->name), {.px = 13, .weight = 600, .room = box_.width() - s.width(language, quiet) - 12});
  s.text({box_.right(), head}, language, quiet);
  s.line({box_.left(), head + 14}, {box_.right(), head + 14}, {s.t.c("line")});
  const double left = box_.left() + numbers_;
  for (qsizetype i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const Line& line = lines_[row.line];
    const QRectF box = rowBox(i);
    if (line.lit) s.rect(box, 0, {s.t.c("selection")});
    if (line.category) s.rect({left - 12, box.top(), 3, box.height()}, 0, {s.t.category(*line.category).stroke});
    if (line.first == i) s.text({left - 16, box.center().y()}, QString::number(row.line + 1), {.px = 12, .role = "textMuted", .mono = true, .anchor = 1});
    for (const Run& r : row.runs)
      s.text({left + advance_ * r.at, box.center().y()}, r.text,
             {.px = 12, .role = r.style == Run::Style::quiet ? "textMuted" : "text", .weight = r.style == Run::Style::keyword ? 700 : 400, .mono = true});
  }
}

} // namespace cutaway::views
