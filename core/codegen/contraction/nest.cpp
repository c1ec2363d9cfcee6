#include "codegen/contraction/nest.h"

#include <fmt/format.h>

namespace cutaway::codegen {

void nest_line(std::string& text, int depth, const std::string& line) {
  std::string full(static_cast<size_t>(2 * depth), ' ');
  full += line;
  if (full.size() > 40) full.resize(40);
  (text += full) += '\n';
}

std::string nest_text(const Extent& e, const Plan& p, const std::string& rows, const std::string& panels) {
  std::string text;
  int depth = 0;
  nest_line(text, 0, fmt::format("rows {}, columns {}, depth {}", e.rows, e.cols, e.depth()));
  nest_line(text, 0, "rows: " + rows);
  nest_line(text, 0, "panels: " + panels);
  nest_line(text, depth++, fmt::format("parallel unit of {}", p.units));
  if (e.z > 1) nest_line(text, depth, fmt::format("product of {}", e.z));
  if (p.panel_cuts > 1) nest_line(text, depth, fmt::format("panels cut in {}", p.panel_cuts));
  if (p.row_cuts > 1) nest_line(text, depth, fmt::format("row tiles cut in {}", p.row_cuts));
  if (p.super_tiles < ceil_div(p.tiles, p.row_cuts))
    nest_line(text, depth++, fmt::format("for {} row tiles", p.super_tiles));
  nest_line(text, depth++, fmt::format("for panel of {} x {} columns", p.panels, p.columns));
  if (p.blocks.size() > 1)
    nest_line(text, depth++, fmt::format("for depth block of {} x {}", p.blocks.size(), p.blocks.front().depth()));
  const std::string heights =
      p.extra && p.base ? fmt::format("{}+{}", p.max_rows(), p.base) : fmt::format("{}", p.max_rows());
  nest_line(text, depth++, fmt::format("for tile of {} x {} rows", p.tiles, heights));
  if (e.kernel_rows * e.kernel_cols > 1)
    nest_line(text, depth++, fmt::format("for tap of {}", e.kernel_rows * e.kernel_cols));
  nest_line(text, depth, fmt::format("for k: {} x {} sums in registers", p.max_rows(), p.columns));
  if (e.kernel_rows * e.kernel_cols > 1) --depth;
  nest_line(text, depth, "epilogue of the tile");
  return text;
}

} // namespace cutaway::codegen
