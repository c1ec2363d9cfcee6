#pragma once
#include "codegen/contraction/plan.h"

namespace cutaway::codegen {

// The schedule as text for people: one loop a line, indent 2, no line over 40 columns.
std::string nest_text(const Extent& extent, const Plan& plan, const std::string& rows, const std::string& panels);

// Appends a line to such a text, cut at 40 columns.
void nest_line(std::string& text, int depth, const std::string& line);

} // namespace cutaway::codegen
