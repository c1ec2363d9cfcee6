#include "codegen/contraction/geometry.h"

#include <algorithm>

namespace cutaway::codegen {
namespace {

constexpr int64_t band_budget = 192 << 10;

// What both ways of finding rows know: the column index, and the base pointer.
class ConvSource : public RowSource {
 public:
  ConvSource(const ConvSpec& spec, const Geometry& g) : spec_(spec), g_(g) {}
  void head(CText& out) const override {
    out.line("const {0}* const image = (const {0}*)buffers[{1}] + {2};", c_type(spec_.input.elem), spec_.input.buffer,
             spec_.input.offset);
  }
  std::string column(const std::string& n) const override {
    return g_.groups > 1 ? fmt::format("{} * {} + {}", panel_z(), g_.outputs, n) : n;
  }

 protected:
  ConvSpec spec_;
  Geometry g_;
};

// Rows are pointers into the image itself, one a kernel row where the whole window lies inside, else one a tap; a tap
// outside points to zeros.
class ImageRows final : public ConvSource {
 public:
  ImageRows(const ConvSpec& spec, const Geometry& g, std::string symbol)
      : ConvSource(spec, g), symbol_(std::move(symbol)),
        joined_(g.groups == 1 && g.dilation[2] == 1 && g.pitch[2] == g.channels) {}

  void statics(CText& out) const override {
    if (g_.misses())
      out.line("static const {} {}_zeros[{}] __attribute__((aligned(64)));", c_type(spec_.acc), symbol_,
               std::max<int64_t>(g_.channels, 1));
  }
  void point(CText& out, const Plan& plan) const override;
  std::vector<std::string> indices(CText& out) const override {
    const auto names = print_indices(out, "q", {g_.batch, g_.out[0], g_.out[1], g_.out[2]}, "x");
    return outer_indices(g_, names[0], {names[1], names[2], names[3]});
  }
  std::string summary() const override {
    return g_.pointwise() ? "pixels in place" : g_.misses() ? "pointers, zeros at border" : "pointers into the image";
  }

 private:
  bool is_linear() const;
  void locate(CText& out, const Plan& plan) const;
  void point_rows(CText& out) const;
  void point_taps(CText& out, bool check) const;

  std::string symbol_;
  bool joined_; // the taps of a kernel row are adjacent in memory
};

// Whether pixel q of the whole batch lies at q times the pixel pitch.
bool ImageRows::is_linear() const {
  if (!g_.pointwise() || g_.stride != Geometry::Dims{1, 1, 1}) return false;
  int64_t expected = g_.pitch[2] * g_.out[2];
  for (int d = 1; d >= 0; expected *= g_.out[d], --d)
    if (g_.out[d] > 1 && g_.pitch[d] != expected) return false;
  return g_.batch == 1 || spec_.input.batch_stride == expected;
}

// at_pixel[i]: where the window of row i begins, before its offsets by tap; y[d][i]: its first coordinate in dim d.
void ImageRows::locate(CText& out, const Plan& plan) const {
  const int rows = plan.max_rows();
  out.line("long origin[{}];", rows);
  for (int d = 0; d < 3; ++d)
    if (g_.misses(d)) out.line("long o{}[{}];", d, rows);
  if (g_.misses()) out.line("int inside = 1;");
  out.plain_loop("for (long i = 0; i < mr; i++)");
  out.line("const long q = row + i;");
  const auto names = print_indices(out, "q", {g_.batch, g_.out[0], g_.out[1], g_.out[2]}, "x");
  std::string origin = offset_text({names[0]}, {spec_.input.batch_stride});
  for (int d = 0; d < 3; ++d) {
    const std::string at = fmt::format("({} * {} - {})", names[static_cast<size_t>(d) + 1], g_.stride[d], g_.pad[d]);
    origin += fmt::format(" + {} * {}", at, g_.pitch[d]);
    if (!g_.misses(d)) continue;
    out.line("o{}[i] = {};", d, at);
    out.line("inside &= o{0}[i] >= 0 & o{0}[i] + {1} <= {2};", d, g_.span(d), g_.in[d]);
  }
  if (g_.groups > 1) origin += fmt::format(" + z * {}", g_.channels * spec_.input.channel_stride);
  out.line("origin[i] = {};", origin);
  out.close();
}

void ImageRows::point(CText& out, const Plan& plan) const {
  if (is_linear()) {
    out.plain_loop("for (long i = 0; i < mr; i++)");
    const std::string group = g_.groups > 1 ? fmt::format(" + z * {}", g_.channels) : "";
    out.line("at[i] = image + (row + i) * {}{} + l0;", g_.pitch[2], group);
    out.close();
    out.line("taps = 1; depth = ln;");
    return;
  }
  locate(out, plan);
  if (g_.misses()) out.open("if (inside)");
  if (joined_)
    point_rows(out);
  else
    point_taps(out, false);
  if (!g_.misses()) return;
  out.otherwise();
  point_taps(out, true);
  out.close();
}

void ImageRows::point_rows(CText& out) const {
  out.plain_loop("for (long r = 0; r < rn; r++)");
  const std::string kernel_row = g_.kernel[0] > 1
                                     ? fmt::format("(r0 + r) / {0} * {1} + (r0 + r) % {0} * {2}", g_.kernel[1],
                                                   g_.dilation[0] * g_.pitch[0], g_.dilation[1] * g_.pitch[1])
                                     : fmt::format("(r0 + r) * {}", g_.dilation[1] * g_.pitch[1]);
  out.line("const long shift = {} + c0 * {} + l0;", kernel_row, g_.pitch[2]);
  out.line("_Pragma(\"clang loop vectorize(disable) unroll(disable)\")");
  out.line("for (long i = 0; i < mr; i++) at[r * mr + i] = image + origin[i] + shift;");
  out.close();
  out.line("taps = rn; depth = cn * ln;");
}

void ImageRows::point_taps(CText& out, bool check) const {
  out.plain_loop("for (long r = 0; r < rn * cn; r++)");
  out.line("const long k2 = (c0 + r % cn) * {}, k1 = (r0 + r / cn) % {} * {}, k0_ = (r0 + r / cn) / {} * {};",
           g_.dilation[2], g_.kernel[1], g_.dilation[1], g_.kernel[1], g_.dilation[0]);
  out.line("const long shift = k0_ * {} + k1 * {} + k2 * {} + l0;", g_.pitch[0], g_.pitch[1], g_.pitch[2]);
  out.plain_loop("for (long i = 0; i < mr; i++)");
  std::string condition;
  const char* steps[] = {"k0_", "k1", "k2"};
  for (int d = 0; check && d < 3; ++d)
    if (g_.misses(d))
      condition +=
          fmt::format("{}(unsigned long)(o{}[i] + {}) < {}UL", condition.empty() ? "" : " & ", d, steps[d], g_.in[d]);
  if (condition.empty())
    out.line("at[r * mr + i] = image + origin[i] + shift;");
  else
    out.line("at[r * mr + i] = {} ? image + origin[i] + shift : {}_zeros;", condition, symbol_);
  out.close();
  out.close();
  out.line("taps = rn * cn; depth = ln;");
}

// Rows are pointers into a padded copy of the input rows that a super block needs, [plane][row][column][channel].
class BandRows final : public ConvSource {
 public:
  BandRows(const ConvSpec& spec, const Geometry& g)
      : ConvSource(spec, g), width_((g.out[2] - 1) * g.stride[2] + g.span(2)) {}

  void enter(CText& out) const override {
    out.line("const long group = z % {}, plane = z / {} % {}, picture = z / {};", g_.groups, g_.groups, g_.out[0],
             g_.groups * g_.out[0]);
    out.line("(void)group; (void)plane; (void)picture;");
  }
  void fill(CText& out, const Plan& plan) const override;
  void point(CText& out, const Plan& plan) const override;
  std::vector<std::string> indices(CText& out) const override {
    const auto names = print_indices(out, "q", {g_.out[1], g_.out[2]}, "x");
    return outer_indices(g_, g_.batch > 1 ? "picture" : "0", {g_.out[0] > 1 ? "plane" : "0", names[0], names[1]});
  }
  std::string panel_z() const override { return "group"; }
  int64_t most_tiles(const Plan& plan) const override {
    const int64_t line = width_ * std::max<int64_t>(g_.channels, 1) * elem_bytes(spec_.acc) * g_.kernel[0];
    const int64_t lines = std::max<int64_t>((band_budget / line - g_.span(1)) / g_.stride[1], 4);
    return std::max<int64_t>((lines - 1) * g_.out[2] / plan.max_rows(), 1);
  }
  int64_t copy_bytes(const Plan& plan) const override {
    return g_.kernel[0] * band_rows(plan) * width_ * std::max<int64_t>(g_.channels, 1) * elem_bytes(spec_.acc);
  }
  std::string summary() const override { return "padded band of input rows"; }

 private:
  int64_t band_rows(const Plan& plan) const {
    const int64_t pixels = plan.super_tiles * plan.max_rows();
    const int64_t lines = std::min(ceil_div(pixels + g_.out[2] - 1, g_.out[2]), g_.out[1]);
    return (lines - 1) * g_.stride[1] + g_.span(1);
  }
  void copy_row(CText& out) const;
  int64_t width_; // columns of the band
};

void BandRows::fill(CText& out, const Plan& plan) const {
  const auto start = [&](const char* t) {
    return plan.extra ? fmt::format("({0} * {1} + ({0} < {2} ? {0} : {2}))", t, plan.base, plan.extra)
                      : fmt::format("{} * {}", t, plan.base);
  };
  out.line("const long line0 = {} / {}, line1 = ({} - 1) / {};", start("s0"), g_.out[2], start("s1"), g_.out[2]);
  out.line("const long lines = (line1 - line0) * {} + {};", g_.stride[1], g_.span(1));
  out.open("for (long m = 0; m < {} * lines; m++)", g_.kernel[0]);
  out.line("const long i0 = plane * {} - {} + m / lines * {};", g_.stride[0], g_.pad[0], g_.dilation[0]);
  out.line("const long i1 = line0 * {} - {} + m % lines;", g_.stride[1], g_.pad[1]);
  out.line("{}* const to = copy + (m / lines * {} + m % lines) * {};", c_type(spec_.acc), band_rows(plan),
           width_ * g_.channels);
  out.open("if ((unsigned long)i0 >= {}UL | (unsigned long)i1 >= {}UL)", g_.in[0], g_.in[1]);
  out.line("for (long c = 0; c < {}; c++) to[c] = 0;", width_ * g_.channels);
  out.line("continue;");
  out.close();
  copy_row(out);
  out.close();
}

// One row of the band: zeros, the image's columns, zeros.
void BandRows::copy_row(CText& out) const {
  const int64_t left = std::min(g_.pad[2], width_), there = std::clamp<int64_t>(g_.in[2], 0, width_ - left);
  const int64_t c = g_.channels;
  if (left) out.line("for (long c = 0; c < {}; c++) to[c] = 0;", left * c);
  out.line("const {}* const from = image + picture * {} + i0 * {} + i1 * {} + group * {};", c_type(spec_.input.elem),
           spec_.input.batch_stride, g_.pitch[0], g_.pitch[1], c * spec_.input.channel_stride);
  if (c == 1 || (spec_.input.channel_stride == 1 && g_.pitch[2] == c)) {
    out.line("for (long c = 0; c < {}; c++) to[{} + c] = {};", there * c, left * c,
             load_expr(spec_.input.elem, spec_.acc, "from", c == 1 ? fmt::format("c * {}", g_.pitch[2]) : "c"));
  } else {
    out.open("for (long x = 0; x < {}; x++)", there);
    out.line("for (long c = 0; c < {}; c++) to[{} + x * {} + c] = {};", c, left * c, c,
             load_expr(spec_.input.elem, spec_.acc, "from",
                       fmt::format("x * {} + c * {}", g_.pitch[2], spec_.input.channel_stride)));
    out.close();
  }
  if (left + there < width_) out.line("for (long c = {}; c < {}; c++) to[c] = 0;", (left + there) * c, width_ * c);
}

void BandRows::point(CText& out, const Plan& plan) const {
  const int64_t c = g_.channels;
  const bool joined = g_.dilation[2] == 1;
  const std::string line = joined ? "(r0 + r)" : "(r0 + r / cn)";
  const std::string column = joined ? "c0" : fmt::format("(c0 + r % cn) * {}", g_.dilation[2]);
  const std::string plane = g_.kernel[0] > 1 ? fmt::format("({} / {} * {} + {} % {} * {})", line, g_.kernel[1],
                                                           band_rows(plan), line, g_.kernel[1], g_.dilation[1])
                                             : fmt::format("{} * {}", line, g_.dilation[1]);
  out.plain_loop("for (long i = 0; i < mr; i++)");
  out.line("const long q = row + i;");
  out.line("const {}* const from = copy + ((q / {} - line0) * {} + q % {} * {}) * {} + l0;", c_type(spec_.acc),
           g_.out[2], g_.stride[1] * width_, g_.out[2], g_.stride[2], c);
  out.line("_Pragma(\"clang loop vectorize(disable) unroll(disable)\")");
  out.line("for (long r = 0; r < {}; r++) at[r * mr + i] = from + ({} * {} + {}) * {};", joined ? "rn" : "rn * cn",
           plane, width_, column, c);
  out.close();
  out.line("{}", joined ? "taps = rn; depth = cn * ln;" : "taps = rn * cn; depth = ln;");
}

} // namespace

Printed print_conv(const ConvSpec& spec, const std::string& symbol, const Epilogue& epilogue, const Simd& simd,
                   int threads) {
  const Geometry g = geometry_of(spec);
  if (is_depthwise(g)) return print_depthwise(spec, g, symbol, epilogue, simd, threads);
  const Extent e = extent_of(spec, g);
  const Plan plan = make_plan(e, choose_tile(e, spec.tile, simd), simd, threads);
  Printed printed;
  if (takes_band(spec, g)) {
    const BandRows rows(spec, g);
    printed = print_kernel(e, plan, rows, PackedPanels(e, spec.weights, rows.panel_z()), symbol, epilogue, simd);
  } else {
    const ImageRows rows(spec, g, symbol);
    printed = print_kernel(e, plan, rows, PackedPanels(e, spec.weights, rows.panel_z()), symbol, epilogue, simd);
  }
  printed.packed_bytes = g.groups * plan.panels * e.depth() * plan.columns * elem_bytes(e.acc);
  return printed;
}

std::vector<TileCandidate> conv_tiles(const ConvSpec& spec, const Simd& simd) {
  const Geometry g = geometry_of(spec);
  if (is_depthwise(g)) return {{spec.tile, 1.0}};
  return rank_tiles(extent_of(spec, g), simd);
}

} // namespace cutaway::codegen
