#include "kit/paper.h"

#include <cmath>

namespace cutaway::views {

Fill paperFill(const Theme& theme, int category) {
  static const double greys[] = {1.0, .93, .86, .78, .7};
  static const Hatch hatches[] = {Hatch::Solid, Hatch::Slash, Hatch::Dot, Hatch::Backslash};
  const int grey = int(std::lround(255 * greys[category % 5]));
  QColor lines = theme.c("textMuted");
  lines.setAlphaF(.5f);
  return {QColor(grey, grey, grey), hatches[category % 4], lines};
}

} // namespace cutaway::views
