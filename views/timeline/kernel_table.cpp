#include "timeline/kernel_table.h"

#include "kit/marks.h"
#include "kit/numbers.h"
#include "kit/paper.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cutaway::views {
namespace {

constexpr double rowHeight = 24, headHeight = 36;
constexpr size_t fewestRows = 5, mostRows = 40;

} // namespace

KernelTable::KernelTable(const ShownRun& run, const Scopes& scopes, const Theme& theme, const QRectF& room) : theme_(theme), paper_(onPaper(theme)), room_(room) {
  std::map<Entity, Total> sums;
  for (size_t lane = 0; lane < run.lanes.size(); ++lane) {
    if (run.kind(lane) != trace::LaneKind::work) continue;
    threads_ = threads_ || run.run->lanes[lane].name.view().starts_with("thread");
    for (const uint32_t i : run.lanes[lane]) {
      const auto& s = run.span(i);
      Total& t = sums[s.entity];
      t.name = qt(s.name), t.entity = s.entity, t.category = s.category, t.us += s.duration_us;
      work_ += s.duration_us;
    }
  }
  for (const auto& [entity, total] : sums) totals_.push_back(total), totals_.back().scope = scopes.of(entity);
  std::stable_sort(totals_.begin(), totals_.end(), [](const Total& a, const Total& b) { return a.us > b.us; });
  const double fit = paper_ ? 0 : (room.height() - headHeight) / rowHeight;
  rows_ = std::min(totals_.size(), std::clamp(size_t(std::max(0., fit)), fewestRows, mostRows));
}

double KernelTable::height() const { return totals_.empty() ? 0 : headHeight + double(rows_) * rowHeight; }

QRectF KernelTable::row(size_t i) const { return {room_.left(), room_.top() + headHeight + double(i) * rowHeight, room_.width(), rowHeight}; }

void KernelTable::draw(Sheet& s) const {
  if (totals_.empty()) return;
  const double left = room_.left(), y = room_.top();
  s.line({left, y}, {room_.right(), y}, {theme_.c("line")});
  const double numbers = std::min(left + 420, left + room_.width() - 158), share = numbers + 64, bars = share + 16;
  const double room = std::min(640., room_.right() - bars);
  const Type right{.px = 11, .role = "textSecondary", .anchor = 1};
  s.text({left, y + 18}, rows_ < totals_.size() ? QString("Longest %1 of %2").arg(rows_).arg(number(double(totals_.size()))) : QString("The longest first"), {.weight = 600, .room = numbers - 80 - left});
  s.text({numbers, y + 18}, threads_ ? "thread time" : "time", right);
  s.text({share, y + 18}, "share", right);
  for (size_t i = 0; i < rows_; ++i) {
    const Total& t = totals_[i];
    const double middle = row(i).center().y(), part = t.us / std::max(work_, 1e-9);
    if (paper_) s.rect({left, middle - 5, 10, 10}, 0, paperFill(theme_, t.category), {theme_.c("text"), .8});
    else s.rect({left, middle - 5, 10, 10}, 0, {theme_.category(t.category).stroke});
    nameIn(s, {left + 18, middle}, numbers - 64 - left - 18, t.name, t.scope);
    s.text({numbers, middle}, timeText(t.us), {.anchor = 1});
    s.text({share, middle}, (part > 0 && part < .0005 ? "<0.1" : tickText(100 * part, .1)) + " %", {.anchor = 1});
    if (room >= 40) s.rect({bars, middle - 5, std::max(1., room * t.us / std::max(totals_[0].us, 1e-9)), 10}, 0, {paper_ ? theme_.c("lineStrong") : theme_.category(t.category).stroke});
  }
}

void KernelTable::addHits(QList<Hit>& hits) const {
  for (size_t i = 0; i < rows_; ++i) hits.append({row(i), totals_[i].entity, QString("kernel %1, %2 in all%3").arg(totals_[i].name, timeText(totals_[i].us), threads_ ? ", of all threads together" : "")});
}

} // namespace cutaway::views
