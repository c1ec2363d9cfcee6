#include "codegen/contraction/plan.h"

#include "base/check.h"
#include "codegen/contraction/ctext.h"

#include <algorithm>

namespace cutaway::codegen {
namespace {

// Largest number of rows whose sums, one row of B, a broadcast and a product stay in registers.
int rows_that_fit(int vectors, const Simd& simd) {
  return std::clamp((simd.registers - 2 - vectors) / vectors, 0, 8); // more than 8 row pointers spill
}

// Cycles of one product per step of depth: fused multiply-adds, which cannot follow each other closer than their
// latency, and what each row tile pays beside them. Fitted by hand to the table of shapes in the benchmark.
double tile_cycles(const Extent& e, int rows, int vectors, int lanes) {
  const double panels = static_cast<double>(ceil_div(e.cols, int64_t{lanes} * vectors));
  const int64_t tiles = std::max<int64_t>(ceil_div(e.rows, rows), 1);
  const double held = static_cast<double>(e.rows) / static_cast<double>(tiles);
  const double sums = held * vectors;
  const double step = std::max({sums, 8.0, vectors + held / 2}) + 0.4 * vectors + 0.2 * held + 0.8;
  const double once = (40 + 3 * sums) / static_cast<double>(std::max<int64_t>(e.depth(), 1));
  return panels * static_cast<double>(tiles) * (step + once);
}

// A panel's block of B that stays in the second-level cache while row tiles pass over it.
constexpr int64_t whole_depth_bytes = 400 << 10, block_bytes = 200 << 10;
constexpr int64_t partial_sum_bytes = 64 << 10;

void split(int64_t from, int64_t count, int64_t most, int64_t grain, auto&& piece) {
  const int64_t pieces = ceil_div(count, std::max<int64_t>(most, 1));
  const int64_t size = round_up(ceil_div(count, std::max<int64_t>(pieces, 1)), grain);
  for (int64_t at = 0; at < count; at += size) piece(from + at, std::min(size, count - at));
}

std::vector<Block> cut_depth(const Extent& e, int64_t whole, int64_t limit) {
  const int64_t row_length = e.kernel_cols * e.channels;
  std::vector<Block> blocks;
  if (e.depth() <= whole) {
    blocks.push_back({0, e.kernel_rows, 0, e.kernel_cols, 0, e.channels, 0});
  } else if (row_length <= limit) {
    split(0, e.kernel_rows, limit / row_length, 1,
          [&](int64_t r, int64_t n) { blocks.push_back({r, n, 0, e.kernel_cols, 0, e.channels, 0}); });
  } else {
    for (int64_t r = 0; r < e.kernel_rows; ++r)
      if (e.channels <= limit)
        split(0, e.kernel_cols, limit / e.channels, 1,
              [&](int64_t s, int64_t n) { blocks.push_back({r, 1, s, n, 0, e.channels, 0}); });
      else
        for (int64_t s = 0; s < e.kernel_cols; ++s)
          split(0, e.channels, limit, 4, [&](int64_t c, int64_t n) { blocks.push_back({r, 1, s, 1, c, n, 0}); });
  }
  int64_t start = 0;
  for (Block& b : blocks) {
    b.start = start;
    start += b.depth();
  }
  CUTAWAY_CHECK(start == e.depth(), "depth blocks do not cover the depth");
  return blocks;
}

// Nanoseconds that the busiest thread needs if units are dealt in contiguous runs. Cutting panels lets each thread read
// its own weights and all rows; cutting rows the reverse.
double cut_time(const Extent& e, const Plan& p, int64_t panel_cuts, int64_t row_cuts, int threads, double cycles) {
  const double z = static_cast<double>(e.z), t = threads;
  const double units = z * static_cast<double>(panel_cuts * row_cuts);
  const double share = static_cast<double>(ceil_div(p.panels, panel_cuts) * ceil_div(p.tiles, row_cuts)) /
                       static_cast<double>(p.panels * p.tiles);
  const double unit = cycles * static_cast<double>(e.depth()) * share * 0.3;
  const double by_z = std::min(t, z), by_panels = std::min(t / by_z, static_cast<double>(panel_cuts));
  const double by_rows = std::min(t / (by_z * by_panels), static_cast<double>(row_cuts));
  const double bytes = e.a_bytes / (by_z * by_rows) + e.b_bytes / (by_z * by_panels);
  double pack = 0;
  if (e.packs_b) pack = 0.2 * static_cast<double>(e.depth() * ceil_div(p.panels, panel_cuts) * p.columns);
  const double turns = static_cast<double>(ceil_div(static_cast<int64_t>(units), threads));
  double time = turns * (unit + pack + 300) + bytes / 20;
  if (units < 2 * t) time *= 1.04; // nothing left to even out a thread that was held up
  if (units > 1 && unit < 8000) time += 2000;
  return time;
}

} // namespace

std::vector<TileCandidate> rank_tiles(const Extent& e, const Simd& simd) {
  const int lanes = lanes_of(e.acc, simd.bytes);
  std::vector<TileCandidate> out;
  for (int vectors = 1; vectors <= 8; ++vectors) {
    const int most = rows_that_fit(vectors, simd);
    if (most == 0 || (vectors > 1 && e.cols <= int64_t{lanes} * (vectors - 1))) continue;
    for (int rows = most; rows > 0; --rows) {
      if (rows != most && rows != e.rows && rows != most - 1) continue;
      out.push_back({{rows, vectors, 0}, tile_cycles(e, rows, vectors, lanes)});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.predicted < b.predicted; });
  const double best = out.empty() ? 1 : std::max(out.front().predicted, 1e-9);
  for (auto& c : out) c.predicted = c.predicted / best;
  return out;
}

Tile choose_tile(const Extent& e, const Tile& wanted, const Simd& simd) {
  const Simd roomy{simd.bytes, std::max(simd.registers, 8)};
  Tile tile = wanted;
  for (const TileCandidate& c : rank_tiles(e, roomy)) {
    if ((wanted.vectors && c.tile.vectors != wanted.vectors)) continue;
    tile.vectors = c.tile.vectors;
    if (!wanted.rows) tile.rows = c.tile.rows;
    break;
  }
  tile.vectors = std::max(tile.vectors, 1);
  tile.rows = std::max(tile.rows, 1);
  return tile;
}

Plan make_plan(const Extent& e, const Tile& tile, const Simd& simd, int threads) {
  Plan p;
  const int64_t bytes = elem_bytes(e.acc);
  p.simd_bytes = simd.bytes;
  p.vectors = tile.vectors;
  p.columns = tile.vectors * lanes_of(e.acc, simd.bytes);
  p.tiles = ceil_div(e.rows, tile.rows);
  p.panels = ceil_div(e.cols, p.columns);
  if (p.tiles == 0 || p.panels == 0 || e.z == 0) return p;
  p.base = e.rows / p.tiles;
  p.extra = e.rows % p.tiles;
  const int64_t limit = std::max<int64_t>(tile.depth ? tile.depth : block_bytes / (p.columns * bytes), 1);
  p.blocks = cut_depth(e, tile.depth ? tile.depth : whole_depth_bytes / (p.columns * bytes), limit);

  const int64_t cap = 8 * std::max(threads, 1);
  const double cycles = tile_cycles(e, tile.rows, tile.vectors, lanes_of(e.acc, simd.bytes));
  double best = -1;
  // Rows outside, so that of equals the cut by panels wins: it reads each weight once.
  for (int64_t row_cuts = 1; row_cuts <= std::min(p.tiles, cap); ++row_cuts)
    for (int64_t panel_cuts = 1; panel_cuts <= std::min(p.panels, cap) && panel_cuts * row_cuts <= 2 * cap;
         ++panel_cuts) {
      const double time = cut_time(e, p, panel_cuts, row_cuts, std::max(threads, 1), cycles);
      if (best >= 0 && time >= best) continue;
      best = time;
      p.panel_cuts = panel_cuts;
      p.row_cuts = row_cuts;
    }
  p.units = e.z * p.panel_cuts * p.row_cuts;
  p.super_tiles = ceil_div(p.tiles, p.row_cuts);
  if (p.blocks.size() > 1) {
    const int64_t fit = std::max<int64_t>(partial_sum_bytes / (p.max_rows() * p.columns * bytes), 1);
    p.super_tiles = ceil_div(p.super_tiles, ceil_div(p.super_tiles, fit));
  }
  return p;
}

} // namespace cutaway::codegen
