#pragma once
#include "registry.h"

namespace cutaway::explorer {

// "step 228 of 476", as the window counts; empty where there are no steps.
QString step_name(const views::Place& place);
// What an exported picture says of itself. `steps`: which it shows, in words.
views::About about(const views::Place& place, const views::ViewRow& view, const views::Theme& theme, const QString& steps);

} // namespace cutaway::explorer
