#pragma once
#include "kit/sheet.h"
#include "layout/window.h"

namespace cutaway::views {

// One order of memory in a box: title, planes with the walk of the first ten addresses, the strip of memory, what a step
// along each dim does, and where the window of a reader lies.
class Planes {
 public:
  Planes(Walk walk, QString title, QString note, bool chosen, int64_t elementBytes, std::optional<Window> window, QPointF at, double width);
  QRectF box() const { return box_; }
  void draw(Sheet& s) const;

 private:
  QRectF cell(int plane, int row, int column) const;
  QRectF strip() const;
  void drawPlane(Sheet& s, int plane) const;
  void drawWalk(Sheet& s) const;
  void drawStrip(Sheet& s) const;
  QColor shade(const Theme& theme, int address) const;
  const char* ink(const Theme& theme, const QColor& cell) const;

  Walk walk_;
  QString title_, note_;
  std::optional<Window> window_;
  QStringList words_;
  bool chosen_;
  int64_t elementBytes_;
  QRectF box_;
  int across_ = 1; // planes beside each other
  double cellWidth_ = 0, cellHeight_ = 0, stripTop_ = 0;
};

} // namespace cutaway::views
