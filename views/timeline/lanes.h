#pragma once
#include "kit/figure.h"
#include "timeline/runs.h"

#include <optional>

namespace cutaway::views {

// Microseconds to px, for the part of the time that is shown.
struct TimeAxis {
  double left = 0, width = 1, from = 0, to = 1;
  double x(double us) const { return left + width * (us - from) / (to - from); }
  double us(double x) const { return from + (to - from) * (x - left) / width; }
  double right() const { return left + width; }
};

// What all lanes of a picture share.
struct LaneStyle {
  const Theme& theme;
  TimeAxis axis;
  QString unit;  // of the ruler
  double unitUs; // in microseconds
  double edge;   // where labels begin
  std::optional<Entity> selected; // a kernel
};

// One run below its heading: lanes with what ran on them, waits, flows and events.
class Lanes {
 public:
  Lanes(const ShownRun& run, const LaneStyle& style, double top);
  double height() const { return height_; }
  size_t flowsInView() const; // but for those to copies and from them, which cross all streams
  // `all`: every flow in view, else those of the selection.
  void draw(Sheet& s, bool all) const;
  void addHits(QList<Hit>& hits) const;

 private:
  using Span = trace::TimelineRun::Span;
  bool inView(const Span& s) const { return s.start_us <= style_.axis.to && s.start_us + s.duration_us >= style_.axis.from; }
  bool copies(const trace::TimelineRun::Flow& f) const;
  bool isSelected(const Span& s) const { return style_.selected && s.entity == *style_.selected; }
  QRectF box(const Span& s) const;
  QString wordFor(const Span& s) const;
  void lane(Sheet& s, size_t i) const;
  void waits(Sheet& s, size_t i, bool words) const;
  void spans(Sheet& s, size_t i) const;
  void drawBox(Sheet& s, const Span& span, const QRectF& b) const;
  void name(Sheet& s, const Span& span, const QRectF& b, const QColor& plate) const;
  void flow(Sheet& s, const trace::TimelineRun::Flow& f) const;
  void event(Sheet& s, const trace::TimelineRun::Flow& f) const;

  const ShownRun& run_;
  const LaneStyle style_;
  bool paper_;
  std::vector<double> tops_;
  std::vector<uint32_t> flows_; // in view
  double height_ = 0;
};

} // namespace cutaway::views
