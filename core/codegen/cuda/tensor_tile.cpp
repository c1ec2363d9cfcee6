#include "codegen/cuda/tile.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen::cuda {
namespace {

constexpr int threads = 256, step = 32; // eight warps; depth of a stage
constexpr int run = 8;                  // elements of one asynchronous copy
constexpr Tile tile{64, 64};
constexpr int depth_pitch = step + 8, line_pitch = 64 + 8; // rows of a tile start in different banks

// Eight warps, each 16 rows by 32 columns of the tile: four products of 16 x 8 a step of 16.
class TensorPrinter {
 public:
  TensorPrinter(const TileProblem& p, const char* index) : p_(p), index_(index) {}

  std::string text() {
    out_.line("const int t = threadIdx.x, warp_row = t / 32 % 4 * 16, warp_col = t / 128 * 32, g = t % 32 / 4, q = t % 4 * 2;");
    print_place(out_, p_, tile, index_);
    out_.line("CW_SHARED(bf16, a_tile, 0);");
    out_.line("CW_SHARED(bf16, b_tile, {});", 2 * stage_bytes(*p_.rows));
    out_.line("CW_SHARED(float, sums, 0);");
    line(*p_.rows, "row0");
    line(*p_.columns, "col0");
    out_.line("float acc[4][4] = {{}};");
    out_.open("for ({0} k0 = -{1}; k0 < {2}; k0 += {1})", index_, step, p_.depth);
    out_.open("if (k0 + {} < {})", step, p_.depth);
    out_.line("const int next = (k0 / {} + 1) % 2;", step);
    copy(*p_.rows);
    copy(*p_.columns);
    out_.close();
    out_.line("cp_async_commit();");
    out_.line("if (k0 < 0) continue;");
    out_.line("cp_async_wait<1>();");
    out_.line("__syncthreads();");
    multiply();
    out_.line("__syncthreads();");
    out_.close();
    out_.margin("#pragma unroll");
    out_.line("for (int j = 0; j < 4; ++j)");
    out_.margin("#pragma unroll");
    out_.line("  for (int r = 0; r < 4; ++r) sums[{}] = acc[j][r];", sum_place(p_, tile, "(warp_row + g + r / 2 * 8)", "(warp_col + j * 8 + q + r % 2)"));
    print_results(out_, p_, tile, threads, index_);
    return out_.take();
  }

  int64_t shared_bytes() const { return std::max<int64_t>(2 * (stage_bytes(*p_.rows) + stage_bytes(*p_.columns)), tile.rows * tile.columns * 4); }

 private:
  // A stage of a side: its lines one after another, or where neighbours are lines, its steps.
  static int stage_elements(const TileSide& s) { return s.depth_fast ? 64 * depth_pitch : step * line_pitch; }
  static int64_t stage_bytes(const TileSide& s) { return stage_elements(s) * 2; }

  // A run a thread a stage.
  void line(const TileSide& s, const char* first) {
    out_.line("{} {}_at[1];", index_, s.name);
    out_.open("for (int i = 0; i < 1; ++i)");
    // A run of lines is clamped as a whole.
    if (s.depth_fast) print_line(out_, s, 64, fmt::format("t / {}", step / run), first, index_);
    else {
      out_.line("const {0} wanted = {1} + t % {2} * {3}, line = wanted < {4} ? wanted : {4} - {3};", index_, first, 64 / run, run, s.lines);
      s.line(out_);
    }
    out_.close();
  }

  void copy(const TileSide& s) {
    out_.open("");
    const std::string depth = s.depth_fast ? fmt::format("t % {} * {}", step / run, run) : fmt::format("t / {}", 64 / run);
    const std::string place = s.depth_fast ? fmt::format("t / {} * {} + {}", step / run, depth_pitch, depth) : fmt::format("{} * {} + t % {} * {}", depth, line_pitch, 64 / run, run);
    out_.line("const {} k = k0 + {} + {};", index_, step, depth);
    s.step(out_);
    out_.line("cp_async16({0}_tile + next * {1} + {2}, (const bf16*)b{3} + {0}_at[0] + {0}_step);", s.name, stage_elements(s), place, s.buffer);
    out_.close();
  }

  // Two neighbours along the depth, as a register of a fragment.
  std::string pair(const TileSide& s, const std::string& line, const std::string& depth) const {
    if (s.depth_fast) return fmt::format("*(const u32*)({}_now + ({}) * {} + {})", s.name, line, depth_pitch, depth);
    return fmt::format("(u32){0}_now[({1}) * {3} + {2}].bits | (u32){0}_now[({1} + 1) * {3} + {2}].bits << 16", s.name, depth, line, line_pitch);
  }

  void multiply() {
    out_.line("const int now = k0 / {} % 2;", step);
    for (const TileSide* s : {p_.rows, p_.columns}) out_.line("const bf16* {0}_now = {0}_tile + now * {1};", s->name, stage_elements(*s));
    out_.margin("#pragma unroll");
    out_.open("for (int k = 0; k < {}; k += 16)", step);
    std::string a;
    for (int r = 0; r < 4; ++r) a += (r ? ", " : "") + pair(*p_.rows, fmt::format("warp_row + g + {}", r % 2 * 8), fmt::format("k + q + {}", r / 2 * 8));
    out_.line("const u32 fa[4] = {{{}}};", a);
    out_.margin("#pragma unroll");
    out_.open("for (int j = 0; j < 4; ++j)");
    const std::string col = "warp_col + j * 8 + g";
    out_.line("const u32 fb[2] = {{{}, {}}};", pair(*p_.columns, col, "k + q"), pair(*p_.columns, col, "k + q + 8"));
    out_.line("mma_16n8k16_bf16(acc[j], fa, fb);");
    out_.close();
    out_.close();
  }

  const TileProblem& p_;
  const char* index_;
  CText out_;
};

} // namespace

bool print_tensor_tiled(const TileProblem& p, const Dialect& dialect, const Graph& g, CudaKernel& kernel) {
  for (const TileSide* s : {p.rows, p.columns})
    if (s->elem != Elem::bf16 || !s->in_runs_of(run)) return false;
  if (p.depth % step || p.rows->lines < 32 || p.columns->lines < 32) return false;
  TensorPrinter printer(p, dialect.index);
  kernel.text = printer.text();
  kernel.shared_bytes = printer.shared_bytes();
  kernel.threads = threads;
  kernel.grid = {block_count(p, tile), 1, 1};
  kernel.loop_nest = nest_text(g, kernel, {problem_line(p), fmt::format("tile 64 x 64, depth {} of {}", step, p.depth), "16 x 32 a warp, on tensor cores"});
  return true;
}

} // namespace cutaway::codegen::cuda
