#pragma once
#include "codegen/contraction/ctext.h"
#include "codegen/contraction/plan.h"
#include "codegen/cuda/print.h"

#include <memory>

namespace cutaway::codegen::cuda {

// Where the elements of one operand of a tiled product come from. A line is a row of A or a column of B; its elements lie
// along the depth. Names that a side declares begin with its own name.
class TileSide {
 public:
  TileSide(std::string side_name, int64_t line_count, Elem element, int buffer_index, bool runs_along_depth)
      : name(std::move(side_name)), lines(line_count), elem(element), buffer(buffer_index), depth_fast(runs_along_depth) {}
  virtual ~TileSide() = default;

  // Arrays over a thread's lines; NAME_at, the offset of the line's first element, is one of them.
  virtual std::vector<std::string> arrays() const { return {name + "_at"}; }
  // Fills entry i of them for `line`, below the number of lines; z is in scope.
  virtual void line(CText& out) const = 0;
  // Declares NAME_step, what depth k adds to the offset.
  virtual void step(CText& out) const = 0;
  // Whether `count` neighbours along the fast dim always lie side by side, from a multiple of it on.
  virtual bool in_runs_of(int64_t count) const { return count == 1; }
  // The condition under which entry i has an element at this step, else it counts as 0; empty: always.
  virtual std::string inside() const { return {}; }

  const std::string name;
  const int64_t lines;
  const Elem elem;
  const int buffer;
  const bool depth_fast; // threads side by side load along the depth, else along the lines
};

// out[z, row, col] = epilogue(sum over k of A[z, row, k] * B[z, k, col])
struct TileProblem {
  int64_t products = 1, depth = 0;
  Elem acc = Elem::f32;
  const TileSide* rows = nullptr;
  const TileSide* columns = nullptr;
  bool rows_fast = false; // the result runs along the rows in memory
  std::string what;       // of the loop nest: "rows are pixels"
  // Prints what becomes of `sum` at z, row and col.
  std::function<void(CText& out, const std::string& sum)> epilogue;
};

// Sums are kept in registers, 16 by 16 threads, each 4 by 4 of them or fewer; operands pass through shared memory 16 deep.
// Each sum starts at 0 and takes one product after another, depth ascending.
void print_tiled(const TileProblem& problem, const Dialect& dialect, const Graph& g, CudaKernel& kernel);

// The same on tensor cores: bf16 operands in 16-byte runs, copied to shared memory while the ones before are multiplied.
// False where the operands do not lie so. The order of sums is the hardware's.
bool print_tensor_tiled(const TileProblem& problem, const Dialect& dialect, const Graph& g, CudaKernel& kernel);

// A block's place: z, and the tile's first row0 and col0. Columns change fastest, so that neighbouring blocks share rows.
struct Tile {
  int rows = 64, columns = 64;
};
int64_t block_count(const TileProblem& problem, const Tile& tile);
void print_place(CText& out, const TileProblem& problem, const Tile& tile, const char* index);
// The offset of line `expression` of the tile that begins at `first`, as entry i of the side's arrays; lines past the last
// are read as the last: their sums are not stored.
void print_line(CText& out, const TileSide& side, int width, const std::string& expression, const char* first, const char* index);
// Where the sum of `row` and `col` of the tile lies in shared memory, and the loop over all: threads side by side store
// along the result's fast dim.
std::string sum_place(const TileProblem& problem, const Tile& tile, const std::string& row, const std::string& col);
void print_results(CText& out, const TileProblem& problem, const Tile& tile, int threads, const char* index);
std::string problem_line(const TileProblem& problem); // of the loop nest

// The C type that sums of `acc` are kept in; integers are unsigned, so that they wrap.
const char* sum_type(Elem acc);
// Element `index` of a buffer as that type.
std::string load_as(Elem elem, Elem acc, int buffer, const std::string& index);

} // namespace cutaway::codegen::cuda
