#include "codegen/contraction_group.h"

#include "codegen/contraction/geometry.h"
#include "codegen/cuda/tile.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen::cuda {
namespace {

using Names = std::vector<std::string>;

// An operand of a matrix product. `outer`: the dims of separate products; `inner`: those that lines run over.
class MatrixSide final : public TileSide {
 public:
  struct Walk {
    std::vector<int64_t> extents, strides;
  };
  MatrixSide(std::string side, int64_t count, const Operand& o, Walk outer, Walk inner, int64_t step, const char* index)
      : TileSide(std::move(side), count, o.elem, o.buffer, step == 1 && inner.strides.back() != 1), outer_(std::move(outer)), inner_(std::move(inner)), step_(step),
        offset_(o.offset), index_(index) {}

  void line(CText& out) const override {
    std::string at = offset_text(print_indices(out, "z", outer_.extents, "z", index_), outer_.strides);
    at += " + " + offset_text(print_indices(out, "line", inner_.extents, "r", index_), inner_.strides);
    out.line("{}_at[i] = {} + {};", name, at, offset_);
  }
  void step(CText& out) const override { out.line("const {} {}_step = k * {};", index_, name, step_); }
  bool in_runs_of(int64_t count) const override {
    if (!depth_fast && (inner_.extents.size() != 1 || inner_.strides[0] != 1 || lines % count)) return false;
    const auto whole = [&](const Walk& walk, bool fast) {
      for (size_t d = 0; d < walk.extents.size(); ++d)
        if (!fast && walk.extents[d] > 1 && walk.strides[d] % count) return false;
      return true;
    };
    return offset_ % count == 0 && whole(outer_, false) && whole(inner_, !depth_fast) && (depth_fast || step_ % count == 0);
  }

 private:
  Walk outer_, inner_;
  int64_t step_, offset_;
  const char* index_;
};

// The depth of a convolution is its taps in row-major order, and the channels of a group inside a tap.
void split_depth(CText& out, const Geometry& g, const char* index) {
  if (g.taps() == 1) return out.line("const {} c = k;", index);
  out.line("const {0} c = k % {1}, tap = k / {1};", index, g.channels);
  (void)print_indices(out, "tap", {g.kernel[0], g.kernel[1], g.kernel[2]}, "w", index);
}

// "w1 * 3 + c * 2" with the tap's place in each dim, where the kernel has more than one.
std::string depth_offset(const Geometry& g, const Geometry::Dims& pitch, int64_t channel) {
  std::string e = fmt::format("c * {}", channel);
  for (size_t d = 0; d < 3; ++d)
    if (g.kernel[d] > 1) e += fmt::format(" + w{} * {}", d, pitch[d]);
  return e;
}

Geometry::Dims dilated(const Geometry& g) {
  Geometry::Dims pitch{};
  for (size_t d = 0; d < 3; ++d) pitch[d] = g.dilation[d] * g.pitch[d];
  return pitch;
}

// Pixels of the output, as windows into the image; outside of it counts as 0.
class ImageSide final : public TileSide {
 public:
  ImageSide(const ConvSpec& s, const Geometry& g, const char* index)
      : TileSide("a", g.batch * g.pixels(), s.input.elem, s.input.buffer, s.input.channel_stride == 1 && g.channels > 1), s_(s), g_(g), index_(index) {}

  Names arrays() const override {
    Names names{"a_at"};
    for (int d = 0; d < 3; ++d)
      if (g_.misses(d)) names.push_back(fmt::format("a_y{}", d));
    return names;
  }
  void line(CText& out) const override {
    const auto q = print_indices(out, "line", {g_.batch, g_.out[0], g_.out[1], g_.out[2]}, "q", index_);
    std::string at = fmt::format("{} * {}", q[0], s_.input.batch_stride);
    for (size_t d = 0; d < 3; ++d) {
      const std::string first = fmt::format("({} * {} - {})", q[d + 1], g_.stride[d], g_.pad[d]);
      at += fmt::format(" + {} * {}", first, g_.pitch[d]);
      if (g_.misses(static_cast<int>(d))) out.line("a_y{}[i] = {};", d, first);
    }
    out.line("a_at[i] = {} + z * {} + {};", at, g_.channels * s_.input.channel_stride, s_.input.offset);
  }
  void step(CText& out) const override {
    split_depth(out, g_, index_);
    out.line("const {} a_step = {};", index_, depth_offset(g_, dilated(g_), s_.input.channel_stride));
  }
  std::string inside() const override {
    std::string out;
    for (size_t d = 0; d < 3; ++d) {
      if (!g_.misses(static_cast<int>(d))) continue;
      const std::string tap = g_.kernel[d] > 1 ? fmt::format(" + w{} * {}", d, g_.dilation[d]) : "";
      out += fmt::format("{}(unsigned {})(a_y{}[i]{}) < {}", out.empty() ? "" : " && ", index_, d, tap, g_.in[d]);
    }
    return out;
  }

 private:
  const ConvSpec& s_;
  const Geometry& g_;
  const char* index_;
};

// Where weights lie: [output][channel][taps].
struct Weights {
  int buffer = 0;
  int64_t offset = 0, output = 0, channel = 0;
  Geometry::Dims tap{0, 0, 0};

  static Weights of(const ConvSpec& s, const Geometry& g, int buffer, int64_t offset) {
    Weights w{buffer, offset, s.weight_strides[0], s.weight_strides[1], {0, 0, 0}};
    for (size_t i = 0; i < g.rank; ++i) w.tap[i + 3 - g.rank] = s.weight_strides[i + 2];
    return w;
  }
};

class WeightSide final : public TileSide {
 public:
  WeightSide(const ConvSpec& s, const Geometry& g, const Weights& w, const char* index) : TileSide("b", g.outputs, s.weights_elem, w.buffer, w.output != 1), g_(g), w_(w), index_(index) {}

  void line(CText& out) const override { out.line("b_at[i] = (z * {} + line) * {} + {};", g_.outputs, w_.output, w_.offset); }
  void step(CText& out) const override {
    split_depth(out, g_, index_);
    out.line("const {} b_step = {};", index_, depth_offset(g_, w_.tap, w_.channel));
  }

 private:
  const Geometry& g_;
  Weights w_;
  const char* index_;
};

// Whether the result of the group runs along `dim` in memory.
bool runs_along(const NestPrinter& p, const std::vector<NodeId>& nodes, size_t dim) { return p.storage.access(p.g.node(nodes.back()).outputs[0]).strides[dim] == 1; }

bool print_dot(NestPrinter& p, const std::vector<NodeId>& nodes, CudaKernel& kernel, const CudaOptions& options) {
  const Node& n = p.g.node(nodes.front());
  auto spec = matmul_of(p, n);
  if (!spec) return false;
  const char* index = p.dialect.index;
  spec->a.buffer = p.buffer(n.inputs[0], false);
  spec->b.buffer = p.buffer(n.inputs[1], false);
  // Where B has no batch, every batch is only more rows.
  const bool merged = std::all_of(spec->b.batch_strides.begin(), spec->b.batch_strides.end(), [](int64_t s) { return s == 0; });
  MatrixSide::Walk outer_a, outer_b, rows;
  (merged ? rows : outer_a) = {spec->batch, spec->a.batch_strides};
  if (!merged) outer_b = {spec->batch, spec->b.batch_strides};
  rows.extents.push_back(spec->m), rows.strides.push_back(spec->a.row_stride);
  int64_t row_count = 1, products = 1;
  for (int64_t e : rows.extents) row_count *= e;
  for (int64_t e : outer_a.extents) products *= e;
  const MatrixSide a("a", row_count, spec->a, outer_a, rows, spec->a.col_stride, index);
  const MatrixSide b("b", spec->n, spec->b, outer_b, {{spec->n}, {spec->b.col_stride}}, spec->b.row_stride, index);
  const size_t rank = spec->batch.size() + 2;
  TileProblem problem{products, spec->k, spec->acc, &a, &b, !runs_along(p, nodes, rank - 1) && runs_along(p, nodes, rank - 2), "rows, columns", {}};
  const Epilogue epilogue = epilogue_of(p, nodes);
  problem.epilogue = [&](CText& out, const std::string& sum) {
    Names at = print_indices(out, "z", outer_a.extents, "z", index);
    const Names r = print_indices(out, "row", rows.extents, "r", index);
    at.insert(at.end(), r.begin(), r.end());
    at.push_back("col");
    out.paste(epilogue.body(sum, at));
  };
  if (options.strict || options.capability < 80 || !print_tensor_tiled(problem, p.dialect, p.g, kernel)) print_tiled(problem, p.dialect, p.g, kernel);
  return true;
}

bool print_gemm_conv(NestPrinter& p, const std::vector<NodeId>& nodes, const ConvSpec& spec, const Geometry& g, const Weights& w, CudaKernel& kernel) {
  const char* index = p.dialect.index;
  const ImageSide image(spec, g, index);
  const WeightSide weights(spec, g, w, index);
  TileProblem problem{g.groups, g.taps() * g.channels, spec.acc, &image, &weights, !runs_along(p, nodes, 1), "pixels, channels", {}};
  const Epilogue epilogue = epilogue_of(p, nodes);
  problem.epilogue = [&](CText& out, const std::string& sum) {
    const Names q = print_indices(out, "row", {g.batch, g.out[0], g.out[1], g.out[2]}, "q", index);
    out.line("const {} oc = z * {} + col;", index, g.outputs);
    Names at{q[0], "oc"};
    at.insert(at.end(), q.end() - static_cast<std::ptrdiff_t>(g.rank), q.end());
    out.paste(epilogue.body(sum, at));
  };
  print_tiled(problem, p.dialect, p.g, kernel);
  return true;
}

// A thread an output, in the order in which they lie in memory: where too few outputs share an input for tiles to pay.
bool print_direct_conv(NestPrinter& p, const std::vector<NodeId>& nodes, const ConvSpec& spec, const Geometry& g, const Weights& w, CudaKernel& kernel) {
  const char* index = p.dialect.index;
  const ValueId out = p.g.node(nodes.back()).outputs[0];
  const auto dims = static_dims(p.g.type(out).shape);
  const auto order = loop_order(dims, p.storage.access(out).strides);
  Names at(dims.size(), "0");
  int64_t work = 1;
  for (const LoopDim& l : order) at[l.dim] = fmt::format("i{}", l.dim), work *= l.extent;
  cover(kernel, work, block_threads);
  CText text;
  text.paste(global_thread(p.dialect, "thread", block_threads));
  if (work % block_threads) text.line("if (thread >= {}) return;", p.dialect.number(work));
  text.paste(split_row(order, "thread", p.dialect));
  text.line("const {} group = {} / {};", index, at[1], g.outputs);
  std::string origin = fmt::format("{} * {} + group * {} + {}", at[0], spec.input.batch_stride, g.channels * spec.input.channel_stride, spec.input.offset), condition;
  for (size_t d = 3 - g.rank; d < 3; ++d) {
    text.line("const {} y{} = {} * {} - {};", index, d, at[d + g.rank - 1], g.stride[d], g.pad[d]);
    origin += fmt::format(" + y{} * {}", d, g.pitch[d]);
    if (!g.misses(static_cast<int>(d))) continue;
    const std::string tap = g.kernel[d] > 1 ? fmt::format(" + w{} * {}", d, g.dilation[d]) : "";
    condition += fmt::format("{}(unsigned {})(y{}{}) < {}", condition.empty() ? "" : " && ", index, d, tap, g.in[d]);
  }
  const char* type = sum_type(spec.acc);
  text.line("const {} image = {}, weights = {} * {} + {};", index, origin, at[1], w.output, w.offset);
  text.line("{} sum = 0;", type);
  for (size_t d = 0; d < 3; ++d)
    if (g.kernel[d] > 1) text.line("for ({0} w{1} = 0; w{1} < {2}; ++w{1})", index, d, g.kernel[d]);
  text.open("for ({0} c = 0; c < {1}; ++c)", index, g.channels);
  const std::string x = load_as(spec.input.elem, spec.acc, spec.input.buffer, "image + " + depth_offset(g, dilated(g), spec.input.channel_stride));
  text.line("const {} x = {};", type, condition.empty() ? x : fmt::format("{} ? {} : ({})0", condition, x, type));
  text.line("sum = sum + x * {};", load_as(spec.weights_elem, spec.acc, w.buffer, "weights + " + depth_offset(g, w.tap, w.channel)));
  text.close();
  text.paste(epilogue_of(p, nodes).body("sum", at));
  kernel.text = text.take();
  kernel.loop_nest = nest_text(p.g, kernel, {fmt::format("for output of {}", work), fmt::format("for tap of {}", g.taps()), fmt::format("for channel of {}", g.channels)});
  return true;
}

} // namespace

bool print_contraction(NestPrinter& p, const std::vector<NodeId>& nodes, CudaKernel& kernel, const CudaOptions& options) {
  if (!is_contraction_group(p, nodes)) return false;
  const Node& n = p.g.node(nodes.front());
  if (n.op != Op::conv) return print_dot(p, nodes, kernel, options);
  auto spec = conv_of(p, n);
  if (!spec) return false;
  spec->input.buffer = p.buffer(n.inputs[0], false);
  const Geometry g = geometry_of(*spec);
  const Weights w = Weights::of(*spec, g, p.buffer(n.inputs[1], false), p.storage.access(n.inputs[1]).offset);
  const bool shared = g.groups == 1 || (g.outputs >= 16 && g.channels * g.taps() >= 16);
  return (shared ? print_gemm_conv : print_direct_conv)(p, nodes, *spec, g, w, kernel);
}

} // namespace cutaway::codegen::cuda
