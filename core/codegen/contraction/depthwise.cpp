#include "codegen/contraction/geometry.h"

#include <algorithm>

namespace cutaway::codegen {
namespace {

constexpr int64_t strip = 64; // channels whose sums are held at a time

} // namespace

// One output row a unit; for each pixel and strip of channels the taps in order, a tap outside the image reading zeros.
Printed print_depthwise(const ConvSpec& spec, const Geometry& g, const std::string& symbol, const Epilogue& epilogue, const Simd&, int) {
  const int64_t channels = spec.in_channels, units = g.batch * g.out[0] * g.out[1];
  const char* type = c_type(spec.acc);
  const char* stored = c_type(spec.input.elem);
  CText out;
  out.line("static const {} {}_zeros[{}] __attribute__((aligned(64)));", stored, symbol, strip);
  out.open("void {}(void* const* buffers, long begin, long end, void* scratch)", symbol);
  out.line("(void)scratch;");
  if (!epilogue.prologue.empty()) out.paste(epilogue.prologue);
  out.line("const {0}* const image = (const {0}*)buffers[{1}] + {2};", stored, spec.input.buffer, spec.input.offset);
  out.line("const {0}* const weights = (const {0}*)buffers[{1}];", type, spec.weights);
  out.open("for (long u = begin; u < end; u++)");
  const auto names = print_indices(out, "u", {g.batch, g.out[0], g.out[1]}, "u");
  out.open("for (long x = 0; x < {}; x++)", g.out[2]);
  out.open("for (long c0 = 0; c0 < {}; c0 += {})", channels, strip);
  out.line("const long width = {0} - c0 < {1} ? {0} - c0 : {1};", channels, strip);
  out.line("{} sums[{}];", type, strip);
  out.line("for (long j = 0; j < {}; j++) sums[j] = 0;", strip);
  out.open("for (long tap = 0; tap < {}; tap++)", g.taps());
  out.line("const long i0 = {} * {} - {} + tap / {} * {};", names[1], g.stride[0], g.pad[0], g.kernel[1] * g.kernel[2], g.dilation[0]);
  out.line("const long i1 = {} * {} - {} + tap / {} % {} * {};", names[2], g.stride[1], g.pad[1], g.kernel[2], g.kernel[1], g.dilation[1]);
  out.line("const long i2 = x * {} - {} + tap % {} * {};", g.stride[2], g.pad[2], g.kernel[2], g.dilation[2]);
  out.line("const int inside = (unsigned long)i0 < {}UL & (unsigned long)i1 < {}UL & (unsigned long)i2 < {}UL;", g.in[0], g.in[1], g.in[2]);
  out.line("const {}* const from = inside ? image + {} * {} + i0 * {} + i1 * {} + i2 * {} + c0 * {} : {}_zeros;", stored, names[0], spec.input.batch_stride,
           g.pitch[0], g.pitch[1], g.pitch[2], spec.input.channel_stride, symbol);
  out.line("const {}* const w = weights + tap * {} + c0;", type, channels);
  const std::string contiguous = load_expr(spec.input.elem, spec.acc, "from", "j");
  const std::string strided = load_expr(spec.input.elem, spec.acc, "from", fmt::format("(inside ? j * {} : 0)", spec.input.channel_stride));
  const std::string& x = spec.input.channel_stride == 1 ? contiguous : strided;
  out.open("if (width == {})", strip);
  out.line("for (long j = 0; j < {}; j++) sums[j] = sums[j] + {} * w[j];", strip, x);
  out.otherwise();
  out.line("for (long j = 0; j < width; j++) sums[j] = sums[j] + {} * w[j];", x);
  out.close();
  out.close();
  print_columns(out, spec.acc, "sums", "width", "c0", outer_indices(g, names[0], {names[1], names[2], "x"}), nullptr, epilogue);
  out.close();
  out.close();
  out.close();
  out.close();
  Printed printed;
  printed.text = out.take();
  printed.units = units * g.out[2] * channels == 0 ? 0 : units;
  printed.packed_bytes = g.taps() * channels * elem_bytes(spec.acc);
  printed.flops = 2.0 * static_cast<double>(g.batch * g.pixels() * channels * g.taps());
  printed.loop_nest = fmt::format("for row in 0..{}\n  for x in 0..{}\n    for c in 0..{} by {}\n      for tap in 0..{}\n", units, g.out[2], channels, strip, g.taps());
  return printed;
}

} // namespace cutaway::codegen
