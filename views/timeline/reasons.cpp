#include "timeline/reasons.h"

#include "kit/marks.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double headHeight = 28, rowHeight = 36;
constexpr size_t mostRows = 4;

} // namespace

StreamReasons::StreamReasons(const trace::Trace& trace, const Scopes& scopes, const std::optional<Entity>& selected, const QRectF& room) : room_(room) {
  std::vector<Row> of, refused, others;
  std::optional<Row> sum;
  for (const trace::Pass& pass : trace.passes()) {
    if (pass.name.view() != "streams") continue;
    for (uint32_t i = pass.first; i < pass.last; ++i) {
      const trace::Step& step = trace.steps()[i];
      Row row{qt(step.title), qt(step.explanation), step.entities.empty() ? nothing : scopes.kernelOf(step.entities[0]), step.refused};
      const auto about = [&](const Entity& e) { return selected && scopes.kernelOf(e) == *selected; };
      if (step.entities.empty()) sum = std::move(row);
      else if (std::any_of(step.entities.begin(), step.entities.end(), about)) of.push_back(std::move(row));
      else (step.refused ? refused : others).push_back(std::move(row));
    }
  }
  if (sum) rows_.push_back(std::move(*sum));
  std::vector<Row>& shown = of.empty() ? refused : of;
  const size_t count = std::min(shown.size(), mostRows - 1);
  for (size_t i = 0; i < count; ++i) rows_.push_back(std::move(shown[i]));
  if (shown.size() > count) more_ = QString("%1 more; select a kernel for what is said of it").arg(shown.size() - count);
  else if (of.empty() && !others.empty()) more_ = QString("Select a kernel for its stream and its events");
}

double StreamReasons::height() const { return rows_.empty() ? 0 : headHeight + double(rows_.size()) * rowHeight + (more_.isEmpty() ? 0 : 20); }

QRectF StreamReasons::at(size_t row) const { return {room_.left(), room_.top() + headHeight + double(row) * rowHeight, room_.width(), rowHeight}; }

void StreamReasons::draw(Sheet& s) const {
  if (rows_.empty()) return;
  s.line({room_.left(), room_.top()}, {room_.right(), room_.top()}, {s.t.c("line")});
  s.text({room_.left(), room_.top() + 16}, "Why these streams", {.weight = 600});
  for (size_t i = 0; i < rows_.size(); ++i) {
    const QRectF box = at(i);
    glyph(s, rows_[i].refused ? Glyph::Refused : Glyph::Play, {box.left() + 6, box.top() + 10}, rows_[i].refused ? "refused" : "accent");
    s.text({box.left() + 22, box.top() + 10}, rows_[i].title, {.weight = 500, .room = box.width() - 22});
    s.text({box.left() + 22, box.top() + 25}, rows_[i].text, {.px = 11, .role = "textSecondary", .room = box.width() - 22});
  }
  if (!more_.isEmpty()) s.text({room_.left() + 22, at(rows_.size()).top() + 8}, more_, {.px = 11, .role = "textMuted", .room = room_.width() - 22});
}

void StreamReasons::addHits(QList<Hit>& hits) const {
  for (size_t i = 0; i < rows_.size(); ++i) hits.append({at(i), rows_[i].entity, rows_[i].title + (rows_[i].refused ? ", refused\n" : "\n") + rows_[i].text});
}

} // namespace cutaway::views
