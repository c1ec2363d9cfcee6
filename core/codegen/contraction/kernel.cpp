#include "codegen/contraction/kernel.h"

#include "base/check.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/contraction/nest.h"

#include <algorithm>

namespace cutaway::codegen {
namespace {

// Byte offsets into a thread's scratch; each part starts on a cache line.
struct Scratch {
  int64_t sums = 0, pointers = 0, copy = 0, panel = 0, end = 0;
};

Scratch lay_out(const Extent& e, const Plan& plan, const RowSource& rows, const PanelSource& panels) {
  const int64_t kept = plan.blocks.size() > 1 ? plan.super_tiles : 1;
  int64_t groups = 1;
  for (const Block& b : plan.blocks) groups = std::max(groups, b.rows * b.cols);
  Scratch s;
  s.pointers = round_up(kept * plan.max_rows() * plan.columns * elem_bytes(e.acc), 64);
  s.copy = s.pointers + round_up(groups * plan.max_rows() * 8, 64);
  s.panel = s.copy + round_up(rows.copy_bytes(plan), 64);
  s.end = s.panel + round_up(panels.scratch_bytes(plan), 64);
  return s;
}

void print_block_table(CText& out, const Plan& plan, const std::string& symbol) {
  if (plan.blocks.size() < 2) return;
  out.open("static const long {}_blocks[{}][7] =", symbol, plan.blocks.size());
  for (const Block& b : plan.blocks)
    out.line("{{{}, {}, {}, {}, {}, {}, {}}},", b.row, b.rows, b.col, b.cols, b.channel, b.channels, b.start);
  out.close();
  out.line(";");
}

void open_blocks(CText& out, const Plan& plan, const std::string& symbol) {
  if (plan.blocks.size() < 2) {
    const Block& b = plan.blocks.front();
    out.open("");
    out.line("const long r0 = {}, rn = {}, c0 = {}, cn = {}, l0 = {}, ln = {}, k0 = 0;", b.row, b.rows, b.col, b.cols,
             b.channel, b.channels);
  } else {
    out.open("for (long block = 0; block < {}; block++)", plan.blocks.size());
    out.line("const long* const cut = {}_blocks[block];", symbol);
    out.line("const long r0 = cut[0], rn = cut[1], c0 = cut[2], cn = cut[3], l0 = cut[4], ln = cut[5], k0 = cut[6];");
  }
  out.line("(void)r0; (void)c0; (void)l0; (void)k0;");
}

void open_unit(CText& out, const Plan& plan) {
  out.open("for (long unit = begin; unit < end; unit++)");
  out.line("const long z = unit / {}, panel_cut = unit / {} % {}, row_cut = unit % {};",
           plan.panel_cuts * plan.row_cuts, plan.row_cuts, plan.panel_cuts, plan.row_cuts);
  out.line("(void)z;");
  out.line("const long t0 = row_cut * {} / {}, t1 = (row_cut + 1) * {} / {};", plan.tiles, plan.row_cuts, plan.tiles,
           plan.row_cuts);
  out.line("const long p0 = panel_cut * {} / {}, p1 = (panel_cut + 1) * {} / {};", plan.panels, plan.panel_cuts,
           plan.panels, plan.panel_cuts);
}

// One row tile: pointers, microkernel, and after the last block the epilogue.
void print_tile(CText& out, const Extent& e, const Plan& plan, const RowSource& rows,
                const std::vector<std::string>& tiles, const Epilogue& epilogue) {
  const bool blocked = plan.blocks.size() > 1;
  out.line("const long row = t * {} + {}, mr = {};", plan.base,
           plan.extra ? fmt::format("(t < {0} ? t : {0})", plan.extra) : "0",
           plan.extra ? fmt::format("{} + (t < {})", plan.base, plan.extra) : std::to_string(plan.base));
  out.line("long taps, depth;");
  rows.point(out, plan);
  out.line("{0}* const sum = sums{1};", c_type(e.acc),
           blocked ? fmt::format(" + (t - s0) * {}", plan.max_rows() * plan.columns) : "");
  const std::string call =
      fmt::format("(taps, depth, at, b, pitch, sum, {}, after + (t - s0) * step);", blocked ? "block > 0" : "0");
  if (tiles.size() > 1) {
    out.line("if (t < {}) {}{}", plan.extra, tiles[1], call);
    out.line("else {}{}", tiles[0], call);
  } else {
    out.line("{}{}", tiles[0], call);
  }
  if (blocked) out.line("if (block < {}) continue;", plan.blocks.size() - 1);
  out.open("for (long i = 0; i < mr; i++)");
  out.line("const long q = row + i;");
  out.line("(void)q;");
  std::vector<std::string> indices = rows.indices(out);
  print_columns(out, e.acc, fmt::format("sum + i * {}", plan.columns), "columns", "n0", std::move(indices), &rows,
                epilogue);
  out.close();
}

void print_body(CText& out, const Extent& e, const Plan& plan, const RowSource& rows, const PanelSource& panels,
                const std::vector<std::string>& tiles, const std::string& symbol, const Epilogue& epilogue) {
  open_unit(out, plan);
  rows.enter(out);
  panels.enter(out);
  out.open("for (long s0 = t0; s0 < t1; s0 += {})", plan.super_tiles);
  out.line("const long s1 = s0 + {0} < t1 ? s0 + {0} : t1;", plan.super_tiles);
  rows.fill(out, plan);
  out.open("for (long p = p0; p < p1; p++)");
  out.line("const long n0 = p * {};", plan.columns);
  out.line("const long columns = {};", e.cols % plan.columns == 0
                                           ? std::to_string(plan.columns)
                                           : fmt::format("{0} - n0 < {1} ? {0} - n0 : {1}", e.cols, plan.columns));
  open_blocks(out, plan, symbol);
  panels.panel(out, plan);
  out.line("const long step = (rn * cn * ln * {} / (s1 - s0) + 63) & ~63L;", plan.columns * elem_bytes(e.acc));
  out.open("for (long t = s0; t < s1; t++)");
  print_tile(out, e, plan, rows, tiles, epilogue);
  for (int i = 0; i < 5; ++i) out.close(); // tile, block, panel, super block, unit
}

} // namespace

namespace {

TileChoice choice_of(const Extent& e, const Plan& plan, const RowSource& rows, const PanelSource& panels, const Simd& simd) {
  TileChoice c;
  c.products = e.z, c.rows = e.rows, c.columns = e.cols, c.depth = e.depth();
  c.tile_rows = plan.max_rows(), c.tile_columns = plan.columns;
  c.depth_blocks = static_cast<int64_t>(plan.blocks.size());
  c.row_cuts = plan.row_cuts, c.column_cuts = plan.panel_cuts;
  c.rows_from = rows.summary(), c.columns_from = panels.summary();
  c.lanes = lanes_of(e.acc, simd.bytes);
  c.ranked = rank_tiles(e, simd);
  return c;
}

} // namespace

void PackedPanels::head(CText& out) const {
  out.line("const {0}* const packed = (const {0}*)buffers[{1}];", c_type(extent_.acc), buffer_);
}

void PackedPanels::panel(CText& out, const Plan& plan) const {
  out.line("const {}* const b = packed + (({} * {} + p) * {} + k0) * {};", c_type(extent_.acc), z_, plan.panels,
           extent_.depth(), plan.columns);
  out.line("const long pitch = {};", plan.columns);
  // The next block or panel lies right behind; past the last one there is nothing to fetch.
  out.line("const char* const after = (const char*)(p + 1 < {} ? b + rn * cn * ln * pitch : b);", plan.panels);
}

Printed print_kernel(const Extent& e, Plan plan, const RowSource& rows, const PanelSource& panels,
                     const std::string& symbol, const Epilogue& epilogue, const Simd& simd) {
  if (plan.units == 0) return print_nothing(symbol);
  const int64_t most = std::clamp<int64_t>(rows.most_tiles(plan), 1, plan.super_tiles);
  plan.super_tiles = ceil_div(plan.super_tiles, ceil_div(plan.super_tiles, most));
  const Scratch scratch = lay_out(e, plan, rows, panels);

  CText out;
  std::vector<std::string> tiles{print_microkernel(out, e.acc, static_cast<int>(plan.base), plan.vectors, simd)};
  if (plan.extra) tiles.push_back(print_microkernel(out, e.acc, plan.max_rows(), plan.vectors, simd));
  rows.statics(out);
  print_block_table(out, plan, symbol);
  out.open("void {}(void* const* buffers, long begin, long end, void* scratch)", symbol);
  out.paste(epilogue.prologue);
  rows.head(out);
  panels.head(out);
  const char* type = c_type(e.acc);
  out.line("{0}* const sums = ({0}*)scratch;", type);
  out.line("const {0}** const at = (const {0}**)((char*)scratch + {1});", type, scratch.pointers);
  if (scratch.panel > scratch.copy) out.line("{0}* const copy = ({0}*)((char*)scratch + {1});", type, scratch.copy);
  if (scratch.end > scratch.panel) out.line("{0}* const panel = ({0}*)((char*)scratch + {1});", type, scratch.panel);
  print_body(out, e, plan, rows, panels, tiles, symbol, epilogue);
  out.close();

  Printed printed;
  printed.text = out.take();
  printed.units = plan.units;
  printed.scratch_bytes = scratch.end;
  printed.flops = 2.0 * static_cast<double>(e.z) * static_cast<double>(e.rows) * static_cast<double>(e.cols) *
                  static_cast<double>(e.depth());
  printed.loop_nest = nest_text(e, plan, rows.summary(), panels.summary());
  printed.choice = choice_of(e, plan, rows, panels, simd);
  return printed;
}

Printed print_nothing(const std::string& symbol) {
  Printed printed;
  printed.text = fmt::format("void {}(void* const* buffers, long begin, long end, void* scratch) {{\n"
                             "  (void)buffers; (void)begin; (void)end; (void)scratch;\n}}\n",
                             symbol);
  printed.loop_nest = "nothing to do: empty output\n";
  return printed;
}

std::vector<std::string> print_indices(CText& out, const std::string& value, const std::vector<int64_t>& extents,
                                       const std::string& prefix, const char* index_type) {
  std::vector<std::string> names(extents.size(), "0");
  std::string rest = value;
  size_t first = 0;
  while (first < extents.size() && extents[first] == 1) ++first;
  int64_t inner = 1;
  for (size_t i = extents.size(); i-- > first;) {
    if (extents[i] == 1) continue;
    names[i] = prefix + std::to_string(i);
    const std::string above = inner == 1 ? rest : fmt::format("{} / {}", rest, inner);
    if (i == first)
      out.line("const {} {} = {};", index_type, names[i], above);
    else
      out.line("const {} {} = {} % {};", index_type, names[i], above, extents[i]);
    inner *= extents[i];
  }
  return names;
}

std::string offset_text(const std::vector<std::string>& names, const std::vector<int64_t>& strides) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "0" || strides[i] == 0) continue;
    text += (text.empty() ? "" : " + ") + names[i] + (strides[i] == 1 ? "" : " * " + std::to_string(strides[i]));
  }
  return text.empty() ? "0" : text;
}

void print_columns(CText& out, Elem acc, const std::string& sums, const std::string& columns, const std::string& n0,
                   std::vector<std::string> indices, const RowSource* rows, const Epilogue& epilogue) {
  out.line("const {}* const finished = {};", c_type(acc), sums);
  // A short loop would be unrolled before the vectoriser sees it: 32 columns ran at half the speed.
  out.line("_Pragma(\"clang loop vectorize(assume_safety) unroll(disable)\")");
  out.open("for (long j = 0; j < {}; j++)", columns);
  const std::string n = n0 == "0" ? "j" : n0 + " + j";
  out.line("const long n = {};", rows ? rows->column(n) : n);
  out.line("const {} acc = finished[j];", c_type(acc));
  indices.push_back("n");
  out.paste(epilogue.body("acc", indices));
  out.close();
}

} // namespace cutaway::codegen
