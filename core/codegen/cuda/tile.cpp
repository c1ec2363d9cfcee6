#include "codegen/cuda/tile.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen::cuda {
namespace {

constexpr int side_threads = 16, tile_depth = 16;
constexpr int64_t wanted_blocks = 128; // fewer leave much of a large device idle

Tile choose_tile(const TileProblem& p) {
  const auto fit = [](int64_t extent) { return extent <= 16 ? 16 : extent <= 32 ? 32 : 64; };
  Tile t{fit(p.rows->lines), fit(p.columns->lines)};
  while (block_count(p, t) < wanted_blocks && std::max(t.rows, t.columns) > 32) (t.rows >= t.columns ? t.rows : t.columns) /= 2;
  return t;
}

class TilePrinter {
 public:
  TilePrinter(const TileProblem& p, const Dialect& dialect) : p_(p), index_(dialect.index), tile_(choose_tile(p)), type_(sum_type(p.acc)) {}

  void print(const Graph& g, CudaKernel& kernel) {
    place();
    shared(kernel);
    lines(*p_.rows, tile_.rows, "row0");
    lines(*p_.columns, tile_.columns, "col0");
    depth_loop();
    finish();
    kernel.text = out_.take();
    kernel.threads = side_threads * side_threads;
    kernel.grid = {block_count(p_, tile_), 1, 1};
    std::vector<std::string> nest;
    if (p_.products > 1) nest.push_back(fmt::format("for product of {}", p_.products));
    nest.push_back(problem_line(p_));
    nest.push_back(fmt::format("tile {} x {}, depth {} of {}", tile_.rows, tile_.columns, tile_depth, p_.depth));
    nest.push_back(fmt::format("{} x {} sums a thread", tile_.rows / side_threads, tile_.columns / side_threads));
    kernel.loop_nest = nest_text(g, kernel, nest);
  }

 private:
  void place() {
    out_.line("const int t = threadIdx.x, tx = t % {0}, ty = t / {0};", side_threads);
    print_place(out_, p_, tile_, index_);
  }

  int pitch(int width) const { return width + 4; } // rows of a tile start in different banks, at multiples of 16 bytes
  void shared(CudaKernel& kernel) {
    const int64_t bytes = elem_bytes(p_.acc), first = tile_depth * pitch(tile_.rows) * bytes;
    out_.line("CW_SHARED({}, a_tile, 0);", type_);
    out_.line("CW_SHARED({}, b_tile, {});", type_, first);
    out_.line("CW_SHARED({}, sums, 0);", type_);
    kernel.shared_bytes = std::max(first + tile_depth * pitch(tile_.columns) * bytes, tile_.rows * tile_.columns * bytes);
  }

  // What a thread loads a step: along the depth one element of some lines, else some elements of one line.
  static int thread_lines(const TileSide& s, int width) { return s.depth_fast ? width / side_threads : 1; }
  static int thread_steps(const TileSide& s, int width) { return s.depth_fast ? 1 : width / side_threads; }
  static std::string line_in_tile(const TileSide& s, int width) { return s.depth_fast ? fmt::format("t / {} + i * {}", tile_depth, side_threads) : fmt::format("t % {}", width); }
  static std::string step_in_tile(const TileSide& s, int width) { return s.depth_fast ? fmt::format("t % {}", tile_depth) : fmt::format("t / {} + j * {}", width, side_threads * side_threads / width); }

  void lines(const TileSide& s, int width, const char* first) {
    std::string declared;
    for (const std::string& a : s.arrays()) declared += fmt::format("{}{}[{}]", declared.empty() ? "" : ", ", a, thread_lines(s, width));
    out_.line("{} {};", index_, declared);
    out_.line("{} {}_next[{}];", type_, s.name, width / side_threads);
    out_.margin("#pragma unroll");
    out_.open("for (int i = 0; i < {}; ++i)", thread_lines(s, width));
    print_line(out_, s, width, line_in_tile(s, width), first, index_);
    out_.close();
  }

  void fetch(const TileSide& s, int width) {
    out_.margin("#pragma unroll");
    out_.open("for (int j = 0; j < {}; ++j)", thread_steps(s, width));
    out_.line("const {} k = k0 + {} + {};", index_, tile_depth, step_in_tile(s, width));
    s.step(out_);
    std::string condition = s.inside();
    if (p_.depth % tile_depth) condition = fmt::format("k < {}{}{}", p_.depth, condition.empty() ? "" : " && ", condition);
    const std::string element = load_as(s.elem, p_.acc, s.buffer, fmt::format("{0}_at[i] + {0}_step", s.name));
    out_.margin("#pragma unroll");
    out_.line("for (int i = 0; i < {0}; ++i) {1}_next[j * {0} + i] = {2};", thread_lines(s, width), s.name, condition.empty() ? element : fmt::format("{} ? {} : ({})0", condition, element, type_));
    out_.close();
  }

  void put(const TileSide& s, int width) {
    out_.margin("#pragma unroll");
    out_.line("for (int j = 0; j < {}; ++j)", thread_steps(s, width));
    out_.margin("#pragma unroll");
    out_.line("  for (int i = 0; i < {0}; ++i) {1}_tile[({2}) * {3} + {4}] = {1}_next[j * {0} + i];", thread_lines(s, width), s.name, step_in_tile(s, width), pitch(width), line_in_tile(s, width));
  }

  // A thread's neighbouring lines at depth k, out of shared memory at once where they fill 16 bytes.
  std::string taken(const char* name, const std::string& side, int width, const char* thread) {
    const int count = width / side_threads;
    const std::string from = fmt::format("{}_tile + k * {} + {} * {}", side, pitch(width), thread, count);
    const std::string vec = fmt::format("cw_vec<{}, {}>", type_, count);
    if (count * elem_bytes(p_.acc) <= 16) {
      out_.line("const {0} {1} = *(const {0}*)({2});", vec, name, from);
      return fmt::format("{}.at", name);
    }
    out_.line("const {}* {} = {};", type_, name, from);
    return name;
  }

  void depth_loop() {
    const int tall = tile_.rows / side_threads, wide = tile_.columns / side_threads;
    out_.line("{} acc[{}][{}] = {{}};", type_, tall, wide);
    // The next tiles are on their way while this one is used.
    out_.open("for ({0} k0 = -{1}; k0 < {2}; k0 += {1})", index_, tile_depth, p_.depth);
    out_.open("if (k0 + {} < {})", tile_depth, p_.depth);
    fetch(*p_.rows, tile_.rows);
    fetch(*p_.columns, tile_.columns);
    out_.close();
    out_.open("if (k0 >= 0)");
    out_.margin("#pragma unroll");
    out_.open("for (int k = 0; k < {}; ++k)", tile_depth);
    const std::string a = taken("x", "a", tile_.rows, "ty"), b = taken("y", "b", tile_.columns, "tx");
    out_.margin("#pragma unroll");
    out_.line("for (int i = 0; i < {}; ++i)", tall);
    out_.margin("#pragma unroll");
    out_.line("  for (int j = 0; j < {}; ++j) acc[i][j] = acc[i][j] + {}[i] * {}[j];", wide, a, b);
    out_.close();
    out_.close();
    out_.line("__syncthreads();");
    out_.open("if (k0 + {} < {})", tile_depth, p_.depth);
    put(*p_.rows, tile_.rows);
    put(*p_.columns, tile_.columns);
    out_.close();
    out_.line("__syncthreads();");
    out_.close();
  }

  void finish() {
    const int tall = tile_.rows / side_threads, wide = tile_.columns / side_threads;
    out_.margin("#pragma unroll");
    out_.line("for (int i = 0; i < {}; ++i)", tall);
    out_.margin("#pragma unroll");
    out_.line("  for (int j = 0; j < {}; ++j) sums[{}] = acc[i][j];", wide, sum_place(p_, tile_, fmt::format("(ty * {} + i)", tall), fmt::format("(tx * {} + j)", wide)));
    print_results(out_, p_, tile_, side_threads * side_threads, index_);
  }

  const TileProblem& p_;
  const char* index_;
  Tile tile_;
  const char* type_;
  CText out_;
};

} // namespace

int64_t block_count(const TileProblem& p, const Tile& t) { return p.products * ceil_div(p.rows->lines, t.rows) * ceil_div(p.columns->lines, t.columns); }

std::string problem_line(const TileProblem& p) { return fmt::format("for {} x {}: {}", p.rows->lines, p.columns->lines, p.what); }

void print_place(CText& out, const TileProblem& p, const Tile& tile, const char* index) {
  const int64_t across = ceil_div(p.columns->lines, tile.columns), down = ceil_div(p.rows->lines, tile.rows);
  out.line("const {0} block = blockIdx.x, z = block / {1};", index, across * down);
  out.line("const {} row0 = block / {} % {} * {}, col0 = block % {} * {};", index, across, down, tile.rows, across, tile.columns);
  out.line("(void)z;");
}

void print_line(CText& out, const TileSide& s, int width, const std::string& expression, const char* first, const char* index) {
  if (s.lines % width == 0) out.line("const {} line = {} + {};", index, first, expression);
  else out.line("const {0} wanted = {1} + {2}, line = wanted < {3} ? wanted : {3} - 1;", index, first, expression, s.lines);
  s.line(out);
}

std::string sum_place(const TileProblem& p, const Tile& tile, const std::string& row, const std::string& col) {
  return p.rows_fast ? fmt::format("{} * {} + {}", col, tile.rows, row) : fmt::format("{} * {} + {}", row, tile.columns, col);
}

void print_results(CText& out, const TileProblem& p, const Tile& tile, int threads, const char* index) {
  out.line("__syncthreads();");
  out.margin("#pragma unroll 2"); // more, and divisions spill
  out.open("for (int e = t; e < {}; e += {})", tile.rows * tile.columns, threads);
  if (p.rows_fast) out.line("const {0} row = row0 + e % {1}, col = col0 + e / {1};", index, tile.rows);
  else out.line("const {0} row = row0 + e / {1}, col = col0 + e % {1};", index, tile.columns);
  std::string past;
  if (p.rows->lines % tile.rows) past = fmt::format("row >= {}", p.rows->lines);
  if (p.columns->lines % tile.columns) past += fmt::format("{}col >= {}", past.empty() ? "" : " || ", p.columns->lines);
  if (!past.empty()) out.line("if ({}) continue;", past);
  p.epilogue(out, "sums[e]");
  out.close();
}

const char* sum_type(Elem acc) {
  switch (acc) {
  case Elem::f32: return "float";
  case Elem::f64: return "double";
  case Elem::i64: case Elem::u64: return "cw_u64";
  default: return "cw_u32";
  }
}

std::string load_as(Elem elem, Elem acc, int buffer, const std::string& index) {
  if (elem == Elem::f16 || elem == Elem::bf16) return fmt::format("cw_load_{}(b{}, {})", elem_name(elem), buffer, index);
  if (elem == acc && (elem == Elem::f32 || elem == Elem::f64)) return fmt::format("((const {}*)b{})[{}]", sum_type(acc), buffer, index);
  return fmt::format("({})((const cw_{}*)b{})[{}]", sum_type(acc), elem_name(elem), buffer, index);
}

void print_tiled(const TileProblem& problem, const Dialect& dialect, const Graph& g, CudaKernel& kernel) { TilePrinter(problem, dialect).print(g, kernel); }

} // namespace cutaway::codegen::cuda
