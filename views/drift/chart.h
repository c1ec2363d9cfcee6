#pragma once
#include "place/place.h"

#include <QRectF>

namespace cutaway::views {

// "36.53", "1,204", "2.7e12".
QString ulpText(double v);

// The two curves of a drift panel on a logarithmic axis: what lies where.
class Chart {
 public:
  // The curve of that name, where it has a value a place; else null.
  static const trace::SeriesPanel::Curve* curve(const trace::SeriesPanel& panel, const char* name);
  // The panel must have both curves, an entity a place, and outlive the chart.
  Chart(const trace::SeriesPanel& panel, QRectF plot);

  const trace::SeriesPanel& panel;
  const QRectF plot;
  const std::vector<double>&eager, &compiled;
  double leastLimit; // in ulp, whatever eager does

  size_t size() const { return panel.places.size(); }
  double limit(size_t i) const { return std::max(1.5 * eager[i], leastLimit); }
  bool over(size_t i) const { return compiled[i] > limit(i); }
  const std::vector<size_t>& worst() const { return worst_; } // all places: those over the limit, then the others, each the farthest first
  std::optional<size_t> culprit() const { return culprit_; }  // the first place over its limit

  double slot() const { return plot.width() / double(std::max<size_t>(1, size())); }
  double x(size_t i) const { return plot.left() + slot() * (double(i) + .5); }
  // Zero lies on the floor; what is no finite number, at the top.
  double y(double ulp) const;
  // Powers of two at the axis, from the top down.
  std::vector<int> ticks() const;
  // How much of the curves a box would cover: 0 is none.
  size_t covered(const QRectF& box) const;
  // [first, last) of the places whose slots meet an interval.
  std::pair<size_t, size_t> within(double left, double right) const;

 private:
  std::vector<size_t> worst_;
  std::optional<size_t> culprit_;
  double low_ = 0, high_ = 1; // powers of two
};

} // namespace cutaway::views
