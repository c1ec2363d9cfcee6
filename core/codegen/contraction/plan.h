#pragma once
#include "codegen/contraction/contraction.h"

namespace cutaway::codegen {

// What matmul and convolution have in common: `z` independent products of rows x cols over a depth of
// kernel_rows * kernel_cols * channels, walked in that order.
struct Extent {
  int64_t z = 1;
  int64_t rows = 0, cols = 0;
  int64_t kernel_rows = 1, kernel_cols = 1, channels = 0;
  Elem acc = Elem::f32;
  double a_bytes = 0, b_bytes = 0; // what one pass over the operands reads
  bool packs_b = false;            // units pack B themselves

  int64_t depth() const { return kernel_rows * kernel_cols * channels; }
};

// A piece of the depth: whole kernel rows, or a run of taps of one kernel row, or some channels of one tap.
struct Block {
  int64_t row = 0, rows = 0, col = 0, cols = 0, channel = 0, channels = 0;
  int64_t start = 0; // first k

  int64_t depth() const { return rows * cols * channels; }
};

// The schedule of one kernel. Row tiles differ by at most one row: the first `extra` have base + 1. A unit is (z, a run
// of panels, a run of tiles), tiles fastest.
struct Plan {
  int simd_bytes = 64;
  int vectors = 0, columns = 0; // of a panel
  int64_t tiles = 0, base = 0, extra = 0;
  int64_t panels = 0;
  std::vector<Block> blocks;
  int64_t row_cuts = 1, panel_cuts = 1, units = 0;
  int64_t super_tiles = 1; // tiles that share a pass over the panels

  int max_rows() const { return static_cast<int>(base + (extra > 0)); }
};

// The register tiles that fit, best first.
std::vector<TileCandidate> rank_tiles(const Extent& extent, const Simd& simd);
// The wanted tile with zeros filled in. Depends on nothing but these arguments: packers rely on it.
Tile choose_tile(const Extent& extent, const Tile& wanted, const Simd& simd);
Plan make_plan(const Extent& extent, const Tile& tile, const Simd& simd, int threads);

inline int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
inline int64_t round_up(int64_t a, int64_t b) {
  return ceil_div(a, b) * b;
}

} // namespace cutaway::codegen
