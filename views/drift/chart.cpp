#include "drift/chart.h"

#include "kit/numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cutaway::views {
namespace {

constexpr double floorHeight = 26; // between the lowest power of two and 0

} // namespace

QString ulpText(double v) {
  if (!std::isfinite(v)) return "not finite";
  if (v > 0 && v < .005) return "<0.01";
  if (v < 1000) return tickText(v, .01);
  return v < 1e6 ? number(std::round(v)) : QString::number(v, 'e', 1).remove("+").replace("e0", "e");
}

const trace::SeriesPanel::Curve* Chart::curve(const trace::SeriesPanel& panel, const char* name) {
  for (const auto& c : panel.curves)
    if (c.name.str() == name && c.y.size() == panel.places.size()) return &c;
  return nullptr;
}

Chart::Chart(const trace::SeriesPanel& given, QRectF room)
    : panel(given), plot(room), eager(curve(given, "eager")->y), compiled(curve(given, "compiled")->y), leastLimit(given.limit > 0 ? given.limit : 2) {
  worst_.resize(size());
  std::iota(worst_.begin(), worst_.end(), size_t{0});
  const auto far = [&](size_t i) { return std::isnan(compiled[i]) ? -1 : compiled[i]; };
  std::stable_sort(worst_.begin(), worst_.end(), [&](size_t a, size_t b) { return std::pair(over(a), far(a)) > std::pair(over(b), far(b)); });
  for (size_t i = 0; i < size() && !culprit_; ++i)
    if (over(i)) culprit_ = i;
  double least = leastLimit, most = leastLimit;
  for (const auto* values : {&eager, &compiled})
    for (const double v : *values)
      if (std::isfinite(v) && v > 0) least = std::min(least, v), most = std::max(most, v);
  high_ = std::ceil(std::log2(most) + .25);
  low_ = std::max(std::floor(std::log2(least)), high_ - 24);
  if (high_ - low_ < 4) low_ = high_ - 4;
}

double Chart::y(double ulp) const {
  if (ulp <= 0) return plot.bottom();
  if (!std::isfinite(ulp)) return plot.top();
  const double part = (std::log2(ulp) - low_) / (high_ - low_);
  return plot.bottom() - floorHeight - (plot.height() - floorHeight) * std::clamp(part, 0., 1.);
}

std::vector<int> Chart::ticks() const {
  const double room = std::min(8., (plot.height() - floorHeight) / 28);
  const int every = std::max(1, int(std::ceil((high_ - low_) / room)));
  std::vector<int> out;
  for (int power = int(high_); power >= int(low_); power -= every) out.push_back(power);
  return out;
}

std::pair<size_t, size_t> Chart::within(double left, double right) const {
  const auto index = [&](double at) { return size_t(std::clamp(std::floor((at - plot.left()) / slot()), 0., double(size()))); };
  return {index(left), std::min(size(), index(right) + 1)};
}

size_t Chart::covered(const QRectF& box) const {
  constexpr int parts = 6; // of the line to the next point
  const QRectF near = box.adjusted(-6, -6, 6, 6);
  const auto [first, last] = within(near.left() - slot(), near.right());
  size_t n = 0;
  for (const auto* values : {&eager, &compiled})
    for (size_t i = first; i < last; ++i) {
      const QPointF a(x(i), y((*values)[i])), b = i + 1 < size() ? QPointF(x(i + 1), y((*values)[i + 1])) : a;
      for (int p = 0; p < parts; ++p) n += near.contains(a + (b - a) * p / parts);
    }
  return n;
}

} // namespace cutaway::views
