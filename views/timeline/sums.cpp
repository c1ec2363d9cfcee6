#include "timeline/sums.h"

#include "kit/marks.h"
#include "kit/numbers.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

constexpr double rowHeight = 52, besideArrow = 8, arrowRoom = 24, gap = 16;
const Type titleType{.px = 11, .role = "textSecondary"}, beforeType{.px = 15, .role = "textSecondary"}, afterType{.px = 15, .weight = 600};
Type factorType(bool better) { return {.role = better ? "created" : "refused", .weight = 600}; }

// "163.2", of a unit that is said once.
QString inUnit(double us, const TimeUnit& unit) {
  const double v = us / unit.us;
  return tickText(v, v >= 9.995 ? .1 : .01);
}
QString factorText(double factor) {
  return tickText(factor, factor >= 9.95 ? 1 : .01) + "×";
}

} // namespace

Sums::Sums(const std::vector<ShownRun>& runs, const Theme& theme, const QRectF& room) : room_(room) {
  const ShownRun* one = withForm(runs, trace::RunForm::one_by_one);
  const ShownRun* replay = withForm(runs, trace::RunForm::replayed);
  const ShownRun& first = one ? *one : runs.front();
  add("End to end", one && replay ? first.end : -1, one && replay ? replay->end : first.end, true);
  if (first.calls > 0 && one) add("Host busy", replay ? first.hostBusy : -1, replay ? replay->hostBusy : first.hostBusy, true);
  const auto percent = [](const ShownRun& r) { return QString::number(std::lround(100 * r.deviceBusy / std::max(r.end, 1e-9))); };
  if (one && replay && replay->deviceBusy > 0) sums_.push_back({"Device busy", percent(first), percent(*replay) + " %", {}, true});
  else if (first.run->form != trace::RunForm::plain) sums_.push_back({"Device busy", {}, percent(first) + " %", {}, true});
  else sums_.push_back({"Lanes busy", {}, QString::number(std::lround(100 * first.laneShare())) + " %", {}, true});
  if (one && replay) sums_.push_back({"Driver calls", number(double(first.calls)), number(double(replay->calls)), {}, true});
  else if (first.calls > 0) sums_.push_back({one ? "Driver calls" : "Launches", {}, number(double(first.calls)), {}, true});
  else sums_.push_back({"Lanes", {}, number(double(first.run->lanes.size())), {}, true});
  while (columns_ > 1 && widest(theme) + gap > room_.width() / columns_) columns_ /= 2;
}

void Sums::add(const QString& title, double before, double after, bool times) {
  const TimeUnit unit = timeUnit(std::max(before, after));
  Sum sum{title, before < 0 ? QString() : inUnit(before, unit), inUnit(after, unit) + ' ' + unit.name, {}, after <= before};
  if (times && before > 0 && after > 0) sum.factor = factorText(before / after);
  sums_.push_back(std::move(sum));
}

double Sums::widest(const Theme& theme) const {
  double most = 0;
  for (const Sum& sum : sums_) {
    double width = textWidth(theme, sum.after, afterType);
    if (!sum.before.isEmpty()) width += textWidth(theme, sum.before, beforeType) + besideArrow + arrowRoom;
    if (!sum.factor.isEmpty()) width += besideArrow + textWidth(theme, sum.factor, factorType(sum.better));
    most = std::max({most, width, textWidth(theme, sum.title, titleType)});
  }
  return most;
}

double Sums::height() const { return rowHeight * double((sums_.size() + size_t(columns_) - 1) / size_t(columns_)); }

void Sums::draw(Sheet& s) const {
  const double each = room_.width() / columns_;
  for (size_t i = 0; i < sums_.size(); ++i) {
    const Sum& sum = sums_[i];
    double x = room_.left() + double(i % size_t(columns_)) * each;
    const double y = room_.top() + double(i / size_t(columns_)) * rowHeight;
    s.text({x, y + 8}, sum.title, titleType);
    if (!sum.before.isEmpty()) {
      s.text({x, y + 32}, sum.before, beforeType);
      x += s.width(sum.before, beforeType) + besideArrow;
      s.line({x, y + 32}, {x + 14, y + 32}, {s.t.c("textSecondary"), 1.2});
      arrowHead(s, {x + 16, y + 32}, {1, 0}, "textSecondary", 4);
      x += arrowRoom;
    }
    s.text({x, y + 32}, sum.after, afterType);
    if (!sum.factor.isEmpty()) s.text({x + s.width(sum.after, afterType) + besideArrow, y + 32}, sum.factor, factorType(sum.better));
  }
}

} // namespace cutaway::views
