#include "timeline/reasons.h"

#include "kit/marks.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double headHeight = 28, firstLine = 25, lead = 15, indent = 22;
const Type small{.px = 11, .role = "textSecondary"};
constexpr size_t mostRows = 5, mostSums = 2;

} // namespace

StreamReasons::StreamReasons(const trace::Trace& trace, const Scopes& scopes, const std::optional<Entity>& selected, const Theme& theme, const QRectF& room) : room_(room) {
  std::vector<Row> of, refused, others; // rows_: of a region as a whole
  for (const trace::Pass& pass : trace.passes()) {
    if (pass.name.view() != "streams") continue;
    for (uint32_t i = pass.first; i < pass.last; ++i) {
      const trace::Step& step = trace.steps()[i];
      Row row{.title = qt(step.title), .text = qt(step.explanation), .entity = step.entities.empty() ? nothing : scopes.kernelOf(step.entities[0]), .refused = step.refused};
      const auto about = [&](const Entity& e) { return selected && scopes.kernelOf(e) == *selected; };
      if (step.entities.empty()) rows_.push_back(std::move(row));
      else if (std::any_of(step.entities.begin(), step.entities.end(), about)) of.push_back(std::move(row));
      else (step.refused ? refused : others).push_back(std::move(row));
    }
  }
  if (rows_.size() > mostSums) rows_.resize(mostSums);
  std::vector<Row>& shown = of.empty() ? refused : of;
  const size_t count = std::min(shown.size(), mostRows - rows_.size());
  for (size_t i = 0; i < count; ++i) rows_.push_back(std::move(shown[i]));
  if (shown.size() > count) more_ = QString("%1 more; select a kernel for what is said of it").arg(shown.size() - count);
  else if (of.empty() && !others.empty()) more_ = QString("Select a kernel for its stream and its events");
  double y = headHeight;
  for (Row& row : rows_) {
    row.lines = textLines(theme, row.text, room.width() - indent, small);
    row.top = y, y += row.height();
  }
}

double StreamReasons::Row::height() const { return firstLine + double(lines.size()) * lead - 4; }

double StreamReasons::bottom() const { return rows_.empty() ? 0 : rows_.back().top + rows_.back().height(); }

double StreamReasons::height() const { return bottom() + (more_.isEmpty() || rows_.empty() ? 0 : 20); }

QRectF StreamReasons::at(const Row& row) const { return {room_.left(), room_.top() + row.top, room_.width(), row.height()}; }

void StreamReasons::draw(Sheet& s) const {
  if (rows_.empty()) return;
  s.line({room_.left(), room_.top()}, {room_.right(), room_.top()}, {s.t.c("line")});
  s.text({room_.left(), room_.top() + 16}, "Why these streams", {.weight = 600});
  for (const Row& row : rows_) {
    const QRectF box = at(row);
    glyph(s, row.refused ? Glyph::Refused : Glyph::Play, {box.left() + 6, box.top() + 10}, row.refused ? "refused" : "accent");
    s.text({box.left() + indent, box.top() + 10}, row.title, {.weight = 500, .room = box.width() - indent});
    double y = box.top() + firstLine;
    for (const QString& line : row.lines) s.text({box.left() + indent, y}, line, small), y += lead;
  }
  if (!more_.isEmpty()) s.text({room_.left() + indent, room_.top() + bottom() + 8}, more_, {.px = 11, .role = "textMuted", .room = room_.width() - indent});
}

void StreamReasons::addHits(QList<Hit>& hits) const {
  for (const Row& row : rows_) hits.append({at(row), row.entity, row.title + (row.refused ? ", refused\n" : "\n") + row.text});
}

} // namespace cutaway::views
