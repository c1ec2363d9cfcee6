#pragma once
#include "kit/sheet.h"

// What figures for print share (VISUAL.md section 13).
namespace cutaway::views {

// 178 mm, the width of a printed page's text.
constexpr double paperWidth = 673;
inline bool onPaper(const Theme& theme) { return theme.name() == "paper"; }
// Fill of an entity that holds in black and white: a grey and a hatch. `theme` must be "paper".
Fill paperFill(const Theme& theme, int category);

} // namespace cutaway::views
