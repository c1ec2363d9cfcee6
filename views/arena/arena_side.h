#pragma once
#include "arena/arena_plot.h"

// What stands beside the arena: words and numbers for what the picture shows.
namespace cutaway::views {

// The gaps that were looked at for the buffer that this step places, numbered from low to high as in the picture.
class GapList {
 public:
  // The taken one and the largest refused, `shown` in all.
  GapList(const trace::ArenaBuffer& placing, size_t shown);
  double height() const;
  void draw(Sheet& s, QPointF at, double width) const;

 private:
  const trace::ArenaBuffer& placing_;
  std::vector<size_t> rows_; // of placing_.gaps
  QString note_;
};

// Every strategy's peak against the bound, and what greedy by size leaves on the floor.
class StrategyBars {
 public:
  StrategyBars(const trace::ArenaPanel& arena, const Theme& theme, double width, bool compact);
  bool empty() const { return arena_.strategies.empty(); }
  double height() const { return height_; }
  void draw(Sheet& s, QPointF at) const;
  QList<Hit> hits(QPointF at) const;

 private:
  QString gapText(const trace::ArenaStrategy& row) const;
  const trace::ArenaPanel& arena_;
  double width_, rowHeight_, height_ = 0;
  bool compact_;
  int64_t best_ = 0, most_ = 1, floor_ = 0; // least and greatest peak; what greedy by size takes more than the least
  QString floorWords_, note_;
};

} // namespace cutaway::views
