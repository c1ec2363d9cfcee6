#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Matrix multiplication and convolution printed as C text around packed, register-tiled microkernels.
//
// A printed kernel is `void SYMBOL(void* const* buffers, long begin, long end, void* scratch)`. It runs the work units
// [begin, end) out of Printed::units; different units may run at once in different threads. `scratch` belongs to one
// thread, is aligned to 64 bytes, holds Printed::scratch_bytes, and needs no contents. The text is C11 with the vector
// extensions of GNU and Clang, without includes or intrinsics; it reads no byte outside its operands (prefetch aside).
// Texts of several kernels may share a translation unit: what they share is printed behind `#ifndef`. For f16 and bf16
// operands the unit must first define
//   static inline float cw_load_f16(const void* p, long i);  static inline float cw_load_bf16(const void* p, long i);
// Compile with -fwrapv. With -ffp-contract=off the kernel is strict: each output starts at 0 and takes one
// `acc = acc + a * b` after another, k ascending; taps row-major and channels ascending inside a tap; a tap outside the
// image contributes 0 * weight. No tile, thread count or path changes that order.
namespace cutaway::codegen {

enum class Elem : uint8_t { f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64 };
int64_t elem_bytes(Elem elem);

// A matrix operand; offset and strides count elements. A batch stride of 0 broadcasts.
struct Operand {
  int buffer = 0;
  Elem elem = Elem::f32;
  std::vector<int64_t> batch_strides; // one a batch dim of the spec
  int64_t row_stride = 0, col_stride = 1;
  int64_t offset = 0;
};

// The register tile and depth block to use; 0 lets the printer choose. The packed layout depends on rows and vectors,
// so the printer and the packer must see the same spec.
struct Tile {
  int rows = 0;      // rows of A held in registers
  int vectors = 0;   // vectors of columns held in registers
  int64_t depth = 0; // k taken before the next row tile
};

// out[b..., m, n] = epilogue(sum over k of A[b..., m, k] * B[b..., k, n])
struct MatmulSpec {
  std::vector<int64_t> batch;
  int64_t m = 0, n = 0, k = 0;
  Operand a, b;
  bool b_packed =
      false; // buffers[b.buffer] holds what pack_matmul wrote; b.elem, strides and offset describe its source
  Elem acc = Elem::f32; // f32, f64 or an integer of 32 or 64 bits
  Tile tile;
};

struct ConvInput {
  int buffer = 0;
  Elem elem = Elem::f32;
  int64_t batch_stride = 0;
  std::vector<int64_t> spatial_strides;
  int64_t channel_stride = 1; // 1 is the fast one; any other is copied by bands of rows
  int64_t offset = 0;
};

// out[n, o..., oc] = epilogue(sum over taps t and channels c of input[n, o*stride + t*dilation - pad, c] * weight), of
// spatial rank 1 to 3. Padding after the image follows from out_size.
struct ConvSpec {
  int64_t batch = 1;
  std::vector<int64_t> in_size, out_size, kernel, stride, dilation, pad_begin;
  int64_t groups = 1, in_channels = 0, out_channels = 0;
  ConvInput input;
  int weights = 0;                     // buffer that holds what pack_conv wrote
  Elem weights_elem = Elem::f32;       // of pack_conv's source
  std::vector<int64_t> weight_strides; // of that source: [oc][ic / groups][kernel...]; empty: contiguous
  Elem acc = Elem::f32;
  Tile tile; // depthwise kernels ignore it
};

// Prints what becomes of one accumulated scalar. `body` gets the C names of the scalar (of the C type of `acc`) and of
// the logical output indices, one an output dim, each a `long` variable or a literal; it returns C statements that
// compute and store every result. They run in an inner loop over the last index that is vectorised on the promise that
// its iterations are independent. `prologue` is printed once, at the head of the function; `buffers` is in scope in
// both. Names declared in the prologue must begin with e_, which the printer's own names never do.
struct Epilogue {
  using Body = std::function<std::string(const std::string& acc, const std::vector<std::string>& indices)>;
  Body body;
  std::string prologue;

  template <class F>
    requires std::is_invocable_r_v<std::string, F, const std::string&, const std::vector<std::string>&>
  Epilogue(F f, std::string head = {}) : body(std::move(f)), prologue(std::move(head)) {}
};

struct Simd {
  int bytes = 64; // AVX-512; AVX2 has 32 bytes and 16 registers
  int registers = 32;
};

// Register tiles worth measuring, the model's best first, with what the model predicts relative to the first (1.0).
struct TileCandidate {
  Tile tile;
  double predicted = 1;
};

// What the printer settled on, as numbers; the loop nest says the same in words.
struct TileChoice {
  bool depthwise = false;                // rows are pixels of a line, columns are channels, depth is taps
  int64_t products = 1;                  // independent of each other
  int64_t rows = 0, columns = 0, depth = 0;
  int64_t tile_rows = 0, tile_columns = 0; // whose sums stay in registers
  int64_t depth_blocks = 1;
  int64_t row_cuts = 1, column_cuts = 1; // units of work: products * row_cuts * column_cuts
  std::string rows_from, columns_from;   // how the operands are read
  int lanes = 1;                         // columns of one vector
  std::vector<TileCandidate> ranked;     // the rule's order, the chosen one first; empty where nothing is ranked
};

struct Printed {
  std::string text;
  int64_t units = 0;         // 0 where the output is empty
  int64_t scratch_bytes = 0; // a thread
  int64_t packed_bytes = 0;  // what the packer writes; 0 where nothing is packed at compile time
  double flops = 0;
  std::string loop_nest; // the schedule for people: indent 2, at most 40 columns
  std::optional<TileChoice> choice; // none for an empty output
};

Printed print_matmul(const MatmulSpec& spec, const std::string& symbol, const Epilogue& epilogue, const Simd& simd,
                     int threads);
Printed print_conv(const ConvSpec& spec, const std::string& symbol, const Epilogue& epilogue, const Simd& simd,
                   int threads);

// Writes Printed::packed_bytes, in elements of `acc`: [batch][panel][k][columns of a panel] (one batch where B has no
// batch stride), or for a convolution [group][panel][tap][channel][columns]; depthwise [tap][channel]. The last panel
// is filled with zeros. `b` is addressed through the operand's offset and strides.
void pack_matmul(const MatmulSpec& spec, const void* b, void* packed, const Simd& simd);
void pack_conv(const ConvSpec& spec, const void* weights, void* packed, const Simd& simd);

// The tiles among which the printer chooses.
std::vector<TileCandidate> matmul_tiles(const MatmulSpec& spec, const Simd& simd);
std::vector<TileCandidate> conv_tiles(const ConvSpec& spec, const Simd& simd);

} // namespace cutaway::codegen
