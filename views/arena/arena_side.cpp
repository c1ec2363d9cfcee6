#include "arena/arena_side.h"

#include "kit/grid.h"
#include "kit/marks.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double gapRow = 38, head = 26, lead = 17;
const char* greedyBySize = "by-size";

QString percentOf(int64_t over, int64_t base) {
  const double percent = 100. * double(over) / double(std::max<int64_t>(1, base));
  return percent < .05 ? QString("under 0.1 %") : QString::number(percent, 'f', 1) + " %";
}

} // namespace

GapList::GapList(const trace::ArenaBuffer& placing, size_t shown) : placing_(placing) {
  const auto& gaps = placing.gaps;
  for (size_t i = 0; i < gaps.size(); ++i) rows_.push_back(i);
  const auto size = [&](size_t i) { return gaps[i].size < 0 ? INT64_MAX : gaps[i].size; };
  std::stable_sort(rows_.begin(), rows_.end(), [&](size_t a, size_t b) { return gaps[a].taken != gaps[b].taken ? gaps[a].taken : size(a) > size(b); });
  if (rows_.size() > shown) rows_.resize(shown);
  std::sort(rows_.begin(), rows_.end());
  if (const int64_t more = placing.gaps_tried - int64_t(rows_.size()); more > 0) note_ = QString("and %1 smaller refused").arg(more);
  if (placing.gaps_tried < 0) note_ = "Too many gaps were tried to keep them.";
  if (gaps.empty() && placing.gaps_tried == 0) note_ = placing.placed_by.view() == "search" ? "The complete search found this place; it tries no gaps one by one." : "No gaps were looked at one by one.";
}

double GapList::height() const { return head + gapRow * double(rows_.size()) + (note_.isEmpty() ? 0 : rows_.empty() ? 2 * lead : lead) + 16; }

void GapList::draw(Sheet& s, QPointF at, double width) const {
  double y = at.y() + 8;
  s.text({at.x(), y}, QString("Gaps over [%1, %2) for %3").arg(placing_.start).arg(placing_.end).arg(qt(placing_.name)), {.px = 13, .weight = 600, .room = width});
  y += head;
  const double text = at.x() + 24, room = width - 24;
  for (const size_t i : rows_) {
    const trace::ArenaGap& gap = placing_.gaps[i];
    glyph(s, gap.taken ? Glyph::Tick : Glyph::Refused, {at.x() + 8, y}, gap.taken ? "accent" : "refused", 7);
    const QString number = QString::number(i + 1) + "   ";
    const QString free = gap.size < 0 ? "open above " + byteText(gap.offset) : QString("%1 free, %2 needed").arg(byteText(gap.size), byteText(gap.needed));
    s.text({text, y}, number + free, {.weight = 600, .room = room});
    QString why;
    if (gap.taken) why = gap.size < 0 ? (placing_.offset ? "taken: on top, at " + byteText(placing_.offset) : QString("taken: at the bottom")) : gap.size == gap.needed ? QString("taken: fits exactly") : QString("taken: fits, %1 over").arg(byteText(gap.size - gap.needed));
    else if (gap.size < 0) why = "not needed: a gap takes it";
    else if (gap.size < gap.needed) why = QString("refused: %1 too small").arg(byteText(gap.needed - gap.size));
    else why = "refused: the gap taken is tighter";
    s.text({text, y + 16}, gap.taken || gap.size < 0 ? why : "at " + byteText(gap.offset) + ", " + why, {.px = 11, .role = "textSecondary", .room = room});
    y += gapRow;
  }
  s.para({at.x(), y}, width, lead, note_, {.px = 11, .role = "textSecondary"});
}

StrategyBars::StrategyBars(const trace::ArenaPanel& arena, const Theme& theme, double width, bool compact) : arena_(arena), width_(width), rowHeight_(compact ? 16 : 22), compact_(compact) {
  if (empty()) return;
  best_ = arena.strategies.front().peak;
  QStringList cut;
  for (const trace::ArenaStrategy& row : arena.strategies) {
    best_ = std::min(best_, row.peak), most_ = std::max(most_, row.peak);
    if (row.cut_short) cut << qt(row.name);
  }
  for (const trace::ArenaStrategy& row : arena.strategies)
    if (row.name.view() == greedyBySize) floor_ = row.peak - best_;
  floorWords_ = floor_ > 0 ? QString("that greedy by size leaves on the floor, %1 over the best plan").arg(percentOf(floor_, best_)) : QString("Greedy by size leaves nothing on the floor.");
  if (compact && floor_ > 0) floorWords_ = byteText(floor_) + ' ' + floorWords_;
  if (!cut.isEmpty()) note_ = cut.join(", ") + (cut.size() == 1 ? " was" : " were") + " cut short: the effort for comparing is bounded.";
  height_ = head + rowHeight_ * double(arena.strategies.size()) + (compact ? 8 : 12) + (floor_ > 0 && !compact ? 26 : 0) + lead * double(textLines(theme, floorWords_, width).size());
  if (!note_.isEmpty()) height_ += 8 + lead * double(textLines(theme, note_, width, {.px = 11}).size());
}

QString StrategyBars::gapText(const trace::ArenaStrategy& row) const {
  if (row.peak <= arena_.bound) return "optimal";
  return QString("+%1, %2").arg(byteText(row.peak - arena_.bound), percentOf(row.peak - arena_.bound, arena_.bound));
}

void StrategyBars::draw(Sheet& s, QPointF at) const {
  double y = at.y() + 8;
  s.text({at.x(), y}, QString("Strategies on these %1 buffers").arg(number(double(arena_.buffers.size()))), {.px = 13, .weight = 600, .room = width_});
  y += head;
  double label = 0;
  for (const trace::ArenaStrategy& row : arena_.strategies) label = std::max(label, s.width(gapText(row), {.px = 11, .weight = 600}));
  const double thick = compact_ ? 8 : 10, left = at.x() + 76, track = width_ - 76 - label - 10;
  const auto across = [&](int64_t bytes) { return track * double(bytes) / double(most_); };
  const QColor within = mix(s.t.c("accent"), s.t.c("canvas"), .35), beyond = mix(s.t.c("refused"), s.t.c("canvas"), .45);
  for (const trace::ArenaStrategy& row : arena_.strategies) {
    const bool used = row.name == arena_.strategy;
    s.text({at.x(), y}, qt(row.name), {.px = compact_ ? 11. : 12., .weight = used ? 600 : 400, .room = 72});
    s.rect({left, y - thick / 2, across(std::min(row.peak, arena_.bound)), thick}, 0, {within});
    if (row.peak > arena_.bound) s.rect({left + across(arena_.bound), y - thick / 2, across(row.peak - arena_.bound), thick}, 0, {beyond});
    s.line({left + across(arena_.bound), y - rowHeight_ / 2 + 1}, {left + across(arena_.bound), y + rowHeight_ / 2 - 1}, {s.t.c("bound"), 1.5});
    s.text({at.x() + width_, y}, gapText(row), {.px = 11, .role = used ? "text" : "textSecondary", .weight = used ? 600 : 400, .anchor = 1});
    y += rowHeight_;
  }
  y += compact_ ? 0 : 4;
  if (floor_ > 0 && !compact_) {
    s.text({at.x(), y + 8}, byteText(floor_), {.px = 20, .role = "refused", .weight = 600});
    y += 26;
  }
  y = s.para({at.x(), y + 4}, width_, lead, floorWords_, {.role = "textSecondary"});
  s.para({at.x(), y + 8}, width_, lead, note_, {.px = 11, .role = "textMuted"});
}

QList<Hit> StrategyBars::hits(QPointF at) const {
  QList<Hit> out;
  double y = at.y() + 8 + head;
  for (const trace::ArenaStrategy& row : arena_.strategies) {
    QString name = QString("strategy %1, peak %2, %3").arg(qt(row.name), byteText(row.peak), gapText(row));
    if (row.peak > arena_.bound) name += " over the bound";
    if (row.name == arena_.strategy) name += ", used";
    if (row.cut_short) name += ", cut short";
    out.append({{at.x(), y - rowHeight_ / 2, width_, rowHeight_}, nothing, name});
    y += rowHeight_;
  }
  return out;
}

} // namespace cutaway::views
