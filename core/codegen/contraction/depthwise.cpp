#include "codegen/contraction/geometry.h"
#include "codegen/contraction/nest.h"

#include "base/check.h"

#include <algorithm>
#include <bit>
#include <set>

// Depthwise convolution: a tile is some pixels of one output line by a chunk of channels. Channels lie in vectors,
// every input vector is loaded once a tile and used by all pixels that need it. Tiles that touch no border read at
// literal offsets; the others go through a table of pointers, in which a column outside the image points to zeros.
namespace cutaway::codegen {
namespace {

struct Depthwise {
  const ConvSpec& spec;
  const Geometry& g;
  std::string symbol;
  bool fast = false; // adjacent channels of the accumulator's type
  int lanes = 1, pixels = 1;
  std::vector<int64_t> columns; // input columns that a tile of `pixels` reads, relative to the first
  int64_t chunks = 1, chunk = 0;
  int64_t lines = 0, line_cuts = 1, chunk_cuts = 1;

  int64_t channels() const { return g.groups; }
  int64_t tiles() const { return ceil_div(g.out[2], pixels); }
  std::string vector() const { return fmt::format("cw_{}x{}", elem_name(spec.acc), lanes); }
  // The first channel of chunk `k` as C text: whole vectors, but for the last.
  std::string edge(const std::string& k) const {
    return fmt::format("{0} < {1} ? {0} * {2} / {1} * {3} : {4}", k, chunks, channels() / lanes, lanes, channels());
  }
};

std::vector<int64_t> columns_read(const Geometry& g, int pixels) {
  std::set<int64_t> columns;
  for (int64_t i = 0; i < pixels; ++i)
    for (int64_t s = 0; s < g.kernel[2]; ++s) columns.insert(i * g.stride[2] + s * g.dilation[2]);
  return {columns.begin(), columns.end()};
}

int choose_pixels(const Geometry& g, const Simd& simd) {
  int best = 1;
  double least = -1;
  const auto most = std::min<int64_t>({8, g.out[2], std::max<int64_t>(simd.registers - 3 - g.kernel[2], 2)});
  for (int pixels = 1; pixels <= most; ++pixels) {
    const auto loads = static_cast<double>(columns_read(g, pixels).size() + static_cast<size_t>(g.kernel[2]));
    const double cost =
        static_cast<double>(ceil_div(g.out[2], pixels)) *
        (static_cast<double>(g.kernel_rows()) * (static_cast<double>(g.kernel[2] * pixels) + loads) + 3 * pixels + 8);
    if (least >= 0 && cost > least) continue;
    least = cost;
    best = pixels;
  }
  return best;
}

void cut_units(Depthwise& d, int threads) {
  const double whole = static_cast<double>(d.lines * d.tiles() * d.pixels * d.channels() * d.g.taps()) / 16 * 0.5; // ns
  const int64_t cap = 8 * std::max(threads, 1);
  double least = -1;
  for (int64_t chunks = 1; chunks <= std::min(d.chunks, cap); ++chunks)
    for (int64_t lines = 1; lines <= std::min(d.lines, cap); ++lines) {
      const int64_t units = chunks * lines, turns = ceil_div(units, std::max(threads, 1));
      const double unit = whole * static_cast<double>(ceil_div(d.chunks, chunks) * ceil_div(d.lines, lines)) /
                          static_cast<double>(d.chunks * d.lines);
      double time = static_cast<double>(turns) * (unit + 200 + 50 * static_cast<double>(chunks));
      if (units < 2 * threads) time *= 1.04;
      if (units > 1 && unit < 8000) time += 2000;
      if (least >= 0 && time >= least) continue;
      least = time;
      d.line_cuts = lines;
      d.chunk_cuts = chunks;
    }
}

Depthwise design(const ConvSpec& spec, const Geometry& g, const std::string& symbol, const Simd& simd, int threads) {
  Depthwise d{spec, g, symbol};
  d.fast = spec.input.elem == spec.acc && spec.input.channel_stride == 1;
  const auto widest = static_cast<uint64_t>(std::min<int64_t>(lanes_of(spec.acc, simd.bytes), d.channels()));
  d.lanes = static_cast<int>(std::bit_floor(widest));
  d.pixels = d.fast ? choose_pixels(g, simd) : 1;
  d.columns = columns_read(g, d.pixels);
  d.chunks = ceil_div(d.channels(), 256);
  d.chunk = d.chunks == 1 ? d.channels() : (ceil_div(d.channels() / d.lanes, d.chunks) + 1) * d.lanes + d.lanes;
  d.lines = g.batch * g.out[0] * g.out[1];
  cut_units(d, threads);
  return d;
}

// The taps of one kernel row over one tile, columns ascending, so that each sum takes its taps in order.
void print_kernel_row(CText& out, const Depthwise& d, bool border) {
  const Geometry& g = d.g;
  for (int64_t s = 0; s < g.kernel[2]; ++s)
    out.line("const {} w{} = *(const {}u*)(w + (r * {} + {}) * {} + c);", d.vector(), s, d.vector(), g.kernel[2], s,
             d.channels());
  for (size_t q = 0; q < d.columns.size(); ++q) {
    const std::string from = border ? fmt::format("at[r * {} + {}] + c", d.columns.size(), q)
                                    : fmt::format("at[r] + {} + c", d.columns[q] * g.pitch[2]);
    std::string text = fmt::format("{{ const {} x = *(const {}u*)({});", d.vector(), d.vector(), from);
    for (int64_t i = 0; i < d.pixels; ++i) {
      const int64_t offset = d.columns[q] - i * g.stride[2];
      if (offset >= 0 && offset % g.dilation[2] == 0 && offset / g.dilation[2] < g.kernel[2])
        text += fmt::format(" s{} += x * w{};", i, offset / g.dilation[2]);
    }
    out.line("{} }}", text);
  }
}

// sums[pixel][channel] of channels [c0, c1) of one tile. `at` has a pointer a kernel row, or for a border tile one a
// kernel row and column. The last vector overlaps the one before where the chunk is no whole number of vectors.
void print_tile_function(CText& out, const Depthwise& d, bool border) {
  const char* type = c_type(d.spec.acc);
  out.open("static __attribute__((noinline)) void {}_{}(const {}* const* at, const {}* w, {}* sums, long c0, long c1)",
           d.symbol, border ? "border" : "inside", type, type, type);
  out.open("for (long from = c0; from < c1; from += {})", d.lanes);
  out.line("const long c = from + {} <= c1 ? from : c1 - {};", d.lanes, d.lanes);
  std::string names;
  for (int i = 0; i < d.pixels; ++i) names += fmt::format("{}s{} = {{0}}", i ? ", " : "", i);
  out.line("{} {};", d.vector(), names);
  // Three rows unrolled gain a tenth; more only make code.
  out.line("_Pragma(\"clang loop unroll({})\")", d.g.kernel_rows() <= 3 ? "full" : "disable");
  out.open("for (long r = 0; r < {}; r++)", d.g.kernel_rows());
  print_kernel_row(out, d, border);
  out.close();
  for (int i = 0; i < d.pixels; ++i) out.line("*({}u*)(sums + {} + c - c0) = s{};", d.vector(), i * d.chunk, i);
  out.close();
  out.close();
}

// The same for operands that need converting or gathering: one pixel, tap by tap.
void print_slow_function(CText& out, const Depthwise& d) {
  const Geometry& g = d.g;
  const char *type = c_type(d.spec.acc), *from = c_type(d.spec.input.elem);
  out.open(
      "static __attribute__((noinline)) void {}_pixel(const {}* image, long o0, long o1, long o2, const {}* w, {}* "
      "sums, long c0, long c1)",
      d.symbol, from, type, type);
  out.line("for (long c = c0; c < c1; c++) sums[c - c0] = 0;");
  out.open("for (long t = 0; t < {}; t++)", g.taps());
  out.line("const long i0 = o0 + t / {} * {}, i1 = o1 + t / {} % {} * {}, i2 = o2 + t % {} * {};",
           g.kernel[1] * g.kernel[2], g.dilation[0], g.kernel[2], g.kernel[1], g.dilation[1], g.kernel[2],
           g.dilation[2]);
  out.open("if ((unsigned long)i0 < {}UL & (unsigned long)i1 < {}UL & (unsigned long)i2 < {}UL)", g.in[0], g.in[1],
           g.in[2]);
  out.line("const {}* const x = image + i0 * {} + i1 * {} + i2 * {};", from, g.pitch[0], g.pitch[1], g.pitch[2]);
  out.line("for (long c = c0; c < c1; c++) sums[c - c0] += {} * w[t * {} + c];",
           load_expr(d.spec.input.elem, d.spec.acc, "x", offset_text({"c"}, {d.spec.input.channel_stride})),
           d.channels());
  out.otherwise();
  out.line("for (long c = c0; c < c1; c++) sums[c - c0] += ({})0 * w[t * {} + c];", type, d.channels());
  out.close();
  out.close();
  out.close();
}

void print_border_table(CText& out, const Depthwise& d) {
  const Geometry& g = d.g;
  out.plain_loop("for (long r = 0; r < {}; r++)", g.kernel_rows());
  out.line("const long i0 = o0 + r / {} * {}, i1 = o1 + r % {} * {};", g.kernel[1], g.dilation[0], g.kernel[1],
           g.dilation[1]);
  out.line("const int there = (unsigned long)i0 < {}UL & (unsigned long)i1 < {}UL;", g.in[0], g.in[1]);
  out.line("const {}* const line = image + i0 * {} + i1 * {};", c_type(d.spec.acc), g.pitch[0], g.pitch[1]);
  out.plain_loop("for (long m = 0; m < {}; m++)", d.columns.size());
  out.line("const long i2 = o2 + {}_columns[m];", d.symbol);
  out.line("table[r * {0} + m] = there & (unsigned long)i2 < {1}UL ? line + i2 * {2} : {3}_zeros;", d.columns.size(),
           g.in[2], g.pitch[2], d.symbol);
  out.close();
  out.close();
}

std::string inside_test(const Depthwise& d) {
  const Geometry& g = d.g;
  std::string test = fmt::format("x0 + {} <= {}", d.pixels, g.out[2]);
  for (int i = 0; i < 3; ++i) {
    if (!g.misses(i)) continue;
    const int64_t covered = g.span(i) + (i == 2 ? (d.pixels - 1) * g.stride[2] : 0);
    test += fmt::format(" && o{0} >= 0 && o{0} + {1} <= {2}", i, covered, g.in[i]);
  }
  return test;
}

void print_chunks(CText& out, const Depthwise& d, const std::string& call, const std::vector<std::string>& indices,
                  const Epilogue& epilogue) {
  out.open("for (long k = k0; k < k1; k++)");
  if (d.chunks == 1)
    out.line("const long c0 = 0, c1 = {};", d.channels());
  else
    out.line("const long c0 = {}, c1 = {};", d.edge("k"), d.edge("(k + 1)"));
  out.line("{}", call);
  out.open("for (long i = 0; i < {0} && x0 + i < {1}; i++)", d.pixels, d.g.out[2]);
  out.line("const long x3 = x0 + i;");
  out.line("(void)x3;");
  const bool whole = d.chunks == 1;
  print_columns(out, d.spec.acc, fmt::format("sums + i * {}", d.chunk),
                whole ? std::to_string(d.channels()) : "c1 - c0", whole ? "0" : "c0", indices, nullptr, epilogue);
  out.close();
  out.close();
}

void print_tile(CText& out, const Depthwise& d, const std::vector<std::string>& indices, const Epilogue& epilogue) {
  const Geometry& g = d.g;
  out.line("const long o2 = x0 * {} - {};", g.stride[2], g.pad[2]);
  if (!d.fast) {
    print_chunks(out, d, fmt::format("{}_pixel(image, o0, o1, o2, weights, sums, c0, c1);", d.symbol), indices,
                 epilogue);
    return;
  }
  out.line("const int inside = {};", inside_test(d));
  out.open("if (inside)");
  out.plain_loop("for (long r = 0; r < {}; r++)", g.kernel_rows());
  out.line("table[r] = image + (o0 + r / {} * {}) * {} + (o1 + r % {} * {}) * {} + o2 * {};", g.kernel[1],
           g.dilation[0], g.pitch[0], g.kernel[1], g.dilation[1], g.pitch[1], g.pitch[2]);
  out.close();
  out.otherwise();
  print_border_table(out, d);
  out.close();
  const std::string call = fmt::format("(inside ? {0}_inside : {0}_border)(table, weights, sums, c0, c1);", d.symbol);
  print_chunks(out, d, call, indices, epilogue);
}

void print_statics(CText& out, const Depthwise& d) {
  if (!d.fast) return print_slow_function(out, d);
  print_vector_type(out, d.spec.acc, static_cast<int>(d.lanes * elem_bytes(d.spec.acc)));
  out.line("static const {} {}_zeros[{}] __attribute__((aligned(64)));", c_type(d.spec.acc), d.symbol, d.channels());
  std::string columns;
  for (int64_t q : d.columns) columns += fmt::format("{}{}", columns.empty() ? "" : ", ", q);
  out.line("static const long {}_columns[{}] = {{{}}};", d.symbol, d.columns.size(), columns);
  print_tile_function(out, d, false);
  print_tile_function(out, d, true);
}

void print_function(CText& out, const Depthwise& d, int64_t table_at, const Epilogue& epilogue) {
  const Geometry& g = d.g;
  const char* type = c_type(d.spec.acc);
  out.open("void {}(void* const* buffers, long begin, long end, void* scratch)", d.symbol);
  out.paste(epilogue.prologue);
  out.line("const {0}* const images = (const {0}*)buffers[{1}] + {2};", c_type(d.spec.input.elem), d.spec.input.buffer,
           d.spec.input.offset);
  out.line("const {0}* const weights = (const {0}*)buffers[{1}];", type, d.spec.weights);
  out.line("{0}* const sums = ({0}*)scratch;", type);
  if (d.fast) out.line("const {0}** const table = (const {0}**)((char*)scratch + {1});", type, table_at);
  out.open("for (long unit = begin; unit < end; unit++)");
  out.line("const long line_cut = unit % {}, chunk_cut = unit / {};", d.line_cuts, d.line_cuts);
  out.line("const long k0 = chunk_cut * {0} / {1}, k1 = (chunk_cut + 1) * {0} / {1};", d.chunks, d.chunk_cuts);
  out.open("for (long line = line_cut * {0} / {1}; line < (line_cut + 1) * {0} / {1}; line++)", d.lines, d.line_cuts);
  const auto names = print_indices(out, "line", {g.batch, g.out[0], g.out[1]}, "y");
  out.line("const {}* const image = images + ({});", c_type(d.spec.input.elem),
           offset_text({names[0]}, {d.spec.input.batch_stride}));
  out.line("const long o0 = {} * {} - {}, o1 = {} * {} - {};", names[1], g.stride[0], g.pad[0], names[2], g.stride[1],
           g.pad[1]);
  out.open("for (long x0 = 0; x0 < {}; x0 += {})", g.out[2], d.pixels);
  print_tile(out, d, outer_indices(g, names[0], {names[1], names[2], "x3"}), epilogue);
  for (int i = 0; i < 4; ++i) out.close();
}

std::string nest_of(const Depthwise& d) {
  std::string text;
  const Geometry& g = d.g;
  nest_line(text, 0, fmt::format("depthwise, {} channels, {} taps", d.channels(), g.taps()));
  nest_line(text, 0, d.fast ? "rows: pointers, zeros at border" : "rows: converted tap by tap");
  nest_line(text, 0, fmt::format("parallel unit of {}", d.line_cuts * d.chunk_cuts));
  nest_line(text, 1, fmt::format("for line of {}", d.lines));
  nest_line(text, 2, fmt::format("for tile of {} x {} pixels", d.tiles(), d.pixels));
  nest_line(text, 3, fmt::format("for chunk of {} x {} channels", d.chunks, d.channels() / d.chunks));
  nest_line(text, 4, fmt::format("for vector of {} channels", d.fast ? d.lanes : 1));
  nest_line(text, 5, fmt::format("for tap: {} sums in registers", d.pixels));
  nest_line(text, 4, "epilogue of the tile");
  return text;
}

} // namespace

Printed print_depthwise(const ConvSpec& spec, const Geometry& g, const std::string& symbol, const Epilogue& epilogue,
                        const Simd& simd, int threads) {
  const int64_t bytes = elem_bytes(spec.acc);
  if (g.batch * g.pixels() == 0) {
    Printed printed = print_nothing(symbol);
    printed.packed_bytes = g.taps() * g.groups * bytes;
    return printed;
  }
  const Depthwise d = design(spec, g, symbol, simd, threads);
  const int64_t table_at = round_up(d.pixels * d.chunk * bytes, 64);
  CText out;
  print_statics(out, d);
  print_function(out, d, table_at, epilogue);
  Printed printed;
  printed.text = out.take();
  printed.units = d.line_cuts * d.chunk_cuts;
  printed.scratch_bytes =
      table_at + round_up(d.fast ? g.kernel_rows() * static_cast<int64_t>(d.columns.size()) * 8 : 0, 64);
  printed.packed_bytes = g.taps() * d.channels() * bytes;
  printed.flops = 2.0 * static_cast<double>(d.lines * g.out[2] * d.channels() * g.taps());
  printed.loop_nest = nest_of(d);
  printed.choice = TileChoice{true, 1, g.batch * g.pixels(), d.channels(), g.taps(), d.pixels, d.fast ? d.lanes : 1, 1, d.line_cuts, d.chunk_cuts,
                              d.fast ? "pointers, zeros at border" : "converted tap by tap", "packed before", d.lanes, {}};
  return printed;
}

} // namespace cutaway::codegen
