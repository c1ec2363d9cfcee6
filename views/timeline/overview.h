#pragma once
#include "timeline/lanes.h"

namespace cutaway::views {

// A ruler above a plot: ticks in one unit, `title` in the column of the labels.
void timeRuler(Sheet& s, const LaneStyle& style, const TimeAxis& axis, double y, const QString& title, double until);

// The whole of every run, one below the other on one axis, and a brush round the part that is shown below.
class Overview {
 public:
  Overview(const std::vector<ShownRun>& runs, const LaneStyle& style, double top, double right);
  double height() const { return height_; }
  const TimeAxis& axis() const { return axis_; }
  QRectF brushRoom() const { return {axis_.left, top_, axis_.width, height_}; }
  void draw(Sheet& s) const;

 private:
  double rowHeight(const ShownRun& run) const;
  void row(Sheet& s, const ShownRun& run, double y) const;

  const std::vector<ShownRun>& runs_;
  const LaneStyle style_;
  TimeAxis axis_; // leaves room for the times at the ends
  double top_, end_ = 1e-3, height_ = 0;
};

} // namespace cutaway::views
