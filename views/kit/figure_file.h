#pragma once
#include "kit/sheet.h"

#include <functional>

namespace cutaway::views {

// A figure of fixed size in px at 96 dpi, drawn on whatever sheet it is given.
struct Figure {
  QSizeF size;
  std::function<void(Sheet&)> draw;
};

// Writes a figure as SVG, PDF or PNG (by the name's ending; PNG at 300 dpi). Text stays text in SVG and PDF, with the
// used letters of each font embedded. Written beside and renamed. False, and the reason in `why`, where that fails.
bool writeFigure(const QString& path, const Theme& theme, const Figure& figure, QString* why);

} // namespace cutaway::views
