#pragma once
#include "registry.h"

#include <atomic>

namespace cutaway::explorer {

// One picture of a view at a place as SVG, PDF or PNG, with what it says of itself; of a model that
// breaks cut, the part that it shows. False, and why, where it fails.
bool write_step(const QString& file, const views::Place& place, const views::ViewRow& view, const views::Theme& theme, const views::Figure& figure, QString* why);
// The steps from the place's to `last` as PDF pages, an HTML page or a GIF; given up soon after *off became true.
bool write_steps(const QString& file, const views::Place& first, uint32_t last, const views::ViewRow& view, const views::ViewMode& mode, const views::Theme& theme, QSizeF room, QString* why, const std::atomic<bool>* off = nullptr);

} // namespace cutaway::explorer
