#include "import/onnx/op_context.h"

#include <algorithm>
#include <numeric>

namespace cutaway::onnx {
namespace {

void shape_of(OpContext& c) {
  const ValueId x = c.in(0);
  const auto rank = static_cast<int64_t>(c.rank(x));
  const auto clamp = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  const int64_t first = clamp(c.attr_i("start", 0)), last = c.has_attr("end") ? clamp(c.attr_i("end", 0)) : rank;
  if (is_static(c.shape(x))) {
    auto d = c.dims(x);
    if (first >= last) d.clear();
    else d = std::vector<int64_t>(d.begin() + first, d.begin() + last);
    return c.out(0, c.vector_i64(d));
  }
  std::vector<ValueId> parts;
  for (int64_t i = first; i < last; ++i) parts.push_back(c.reshape(c.emit(Op::dim_of, {x}, {{"axis", i}}), Shape{1}));
  c.out(0, parts.empty() ? c.vector_i64({}) : c.concat(parts, 0));
}
void size_of(OpContext& c) {
  int64_t n = 1;
  for (int64_t d : c.dims(c.in(0))) n *= d;
  c.out(0, c.scalar_i64(n));
}

void reshape(OpContext& c) {
  const ValueId x = c.in(0);
  std::vector<int64_t> to = c.opset >= 5 ? c.known_ints(1) : c.attr_ints("shape");
  if (!c.ok()) return;
  const bool keep_zero = c.attr_i("allowzero", 0);
  Shape shape;
  Dim rest = 1;
  int unknown = -1;
  for (size_t i = 0; i < to.size(); ++i) {
    Dim d = to[i];
    if (to[i] == 0 && !keep_zero) {
      if (i >= c.rank(x)) return c.bad("the shape copies dim " + std::to_string(i) + " of " + c.type(x).str());
      d = c.shape(x)[i];
    }
    if (to[i] == -1) {
      if (unknown >= 0) return c.bad("the shape has two entries of -1");
      unknown = static_cast<int>(i);
      d = 1;
    } else if (to[i] < -1) {
      return c.bad("the shape has an entry of " + std::to_string(to[i]));
    }
    rest = rest * d;
    shape.push_back(d);
  }
  if (unknown >= 0) {
    const Dim n = element_count(c.shape(x));
    if (rest.is(0) && !n.is(0)) return c.bad("the entry of -1 cannot be derived");
    shape[static_cast<size_t>(unknown)] = rest.is(0) ? Dim(0) : floordiv(n, rest);
  }
  c.out(0, c.reshape(x, shape));
}

void flatten(OpContext& c) {
  const ValueId x = c.in(0);
  const int64_t axis = c.axis(c.attr_i("axis", 1), c.rank(x), true);
  if (!c.ok()) return;
  const Shape& s = c.shape(x);
  c.out(0, c.reshape(x, Shape{element_count(Shape(s.begin(), s.begin() + axis)), element_count(Shape(s.begin() + axis, s.end()))}));
}

void squeeze(OpContext& c) {
  const ValueId x = c.in(0);
  std::vector<int64_t> axes;
  bool all = true;
  if (c.opset >= 13 ? c.has(1) : c.has_attr("axes")) {
    axes = c.axes(c.opset >= 13 ? c.known_ints(1) : c.attr_ints("axes"), c.rank(x));
    all = false;
  }
  if (!c.ok()) return;
  Shape shape;
  for (size_t i = 0; i < c.rank(x); ++i) {
    const bool named = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i));
    if (named && c.shape(x)[i].is_const() && !c.shape(x)[i].is(1)) return c.bad("dim " + std::to_string(i) + " of " + c.type(x).str() + " is not 1");
    if (!(named || (all && c.shape(x)[i].is(1)))) shape.push_back(c.shape(x)[i]);
  }
  c.out(0, c.reshape(x, shape));
}

void unsqueeze(OpContext& c) {
  const ValueId x = c.in(0);
  auto axes = c.opset >= 13 ? c.known_ints(1) : c.attr_ints("axes");
  if (!c.ok()) return;
  const size_t rank = c.rank(x) + axes.size();
  axes = c.axes(axes, rank);
  Shape shape;
  for (size_t i = 0, k = 0; i < rank; ++i)
    shape.push_back(std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i)) || k >= c.rank(x) ? Dim(1) : c.shape(x)[k++]);
  c.out(0, c.reshape(x, shape));
}

void transpose(OpContext& c) {
  const ValueId x = c.in(0);
  std::vector<int64_t> reversed(c.rank(x));
  for (size_t i = 0; i < reversed.size(); ++i) reversed[i] = static_cast<int64_t>(reversed.size() - 1 - i);
  auto perm = c.attr_ints("perm", reversed);
  if (perm.size() != c.rank(x)) return c.bad("perm has " + std::to_string(perm.size()) + " entries for rank " + std::to_string(c.rank(x)));
  for (int64_t& p : perm) p = c.axis(p, c.rank(x));
  if (c.ok()) c.out(0, c.permute(x, perm));
}

void expand(OpContext& c) {
  const ValueId x = c.in(0);
  const auto to = c.known_ints(1);
  if (!c.ok()) return;
  auto shape = broadcast_shapes(c.shape(x), make_shape(to));
  if (!shape) return c.fail(shape.error());
  c.out(0, c.broadcast(x, *shape));
}
void tile(OpContext& c) {
  const ValueId x = c.in(0);
  const auto repeats = c.known_ints(1);
  const auto d = c.dims(x);
  if (!c.ok()) return;
  if (repeats.size() != d.size()) return c.bad("repeats must have one entry a dim");
  // [r, 1, d] broadcast and flattened: x seen as interleaved dims.
  std::vector<int64_t> split, wide, flat;
  for (size_t i = 0; i < d.size(); ++i) {
    if (repeats[i] < 0) return c.bad("a repeat is negative");
    split.insert(split.end(), {1, d[i]});
    wide.insert(wide.end(), {repeats[i], d[i]});
    flat.push_back(repeats[i] * d[i]);
  }
  c.out(0, c.reshape(c.broadcast(c.reshape(x, split), make_shape(wide)), flat));
}

void slice(OpContext& c) {
  const ValueId x = c.in(0);
  std::vector<int64_t> starts, ends, axes, steps;
  if (c.opset >= 10) {
    starts = c.known_ints(1), ends = c.known_ints(2);
    if (c.has(3)) axes = c.known_ints(3);
    if (c.has(4)) steps = c.known_ints(4);
  } else {
    starts = c.attr_ints("starts"), ends = c.attr_ints("ends"), axes = c.attr_ints("axes");
  }
  auto sizes = c.dims(x);
  if (!c.ok()) return;
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  steps.resize(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size()) return c.bad("starts, ends and axes differ in length");
  std::vector<int64_t> from(sizes.size(), 0), by(sizes.size(), 1);
  for (size_t k = 0; k < axes.size(); ++k) {
    const auto a = static_cast<size_t>(c.axis(axes[k], sizes.size()));
    if (!c.ok()) return;
    const int64_t d = sizes[a], step = steps[k];
    if (step == 0) return c.bad("a step is 0");
    const auto wrap = [d](int64_t v) { return v < 0 ? std::max<int64_t>(v, -d - 1) + d : std::min(v, d); };
    int64_t first = wrap(starts[k]), last = wrap(ends[k]);
    if (step > 0) first = std::clamp<int64_t>(first, 0, d), last = std::clamp<int64_t>(last, 0, d);
    else first = std::clamp<int64_t>(first, -1, d - 1), last = ends[k] < -d ? -1 : std::clamp<int64_t>(last, -1, d - 1);
    const int64_t room = step > 0 ? last - first : first - last;
    const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0u - static_cast<uint64_t>(step);
    const int64_t n = room <= 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(room) - 1) / stride) + 1;
    sizes[a] = n;
    from[a] = n ? first : 0;
    by[a] = n > 1 ? step : 1;
  }
  c.out(0, c.slice(x, from, by, sizes));
}

void split(OpContext& c) {
  const ValueId x = c.in(0);
  const int64_t axis = c.axis(c.attr_i("axis", 0), c.rank(x));
  const auto d = c.dims(x);
  std::vector<int64_t> parts = c.opset >= 13 ? (c.has(1) ? c.known_ints(1) : std::vector<int64_t>{}) : c.attr_ints("split");
  if (!c.ok()) return;
  const int64_t extent = d[static_cast<size_t>(axis)], n = static_cast<int64_t>(c.node.outputs.size());
  if (parts.empty()) {
    const int64_t chunk = (extent + n - 1) / std::max<int64_t>(n, 1);
    for (int64_t i = 0; i < n; ++i) parts.push_back(std::max<int64_t>(0, std::min(chunk, extent - i * chunk)));
  }
  if (std::accumulate(parts.begin(), parts.end(), int64_t{0}) != extent || static_cast<int64_t>(parts.size()) < n)
    return c.bad("the parts do not add up to " + std::to_string(extent));
  int64_t at = 0;
  for (size_t i = 0; i < c.node.outputs.size(); at += parts[i++])
    if (c.wants(i)) c.out(i, c.slice_axis(x, axis, at, parts[i]));
}

void concat(OpContext& c) {
  std::vector<ValueId> parts;
  for (size_t i = 0; i < c.input_count(); ++i) parts.push_back(c.in(i));
  if (parts.empty()) return c.bad("there is nothing to join");
  c.out(0, c.concat(parts, c.axis(c.attr_i("axis", c.opset < 4 ? 1 : 0), c.rank(parts[0]))));
}

// Along one axis, out[i] = in[index[i]].
ValueId pick(OpContext& c, ValueId x, size_t axis, const std::vector<int64_t>& index) {
  return c.gather(x, c.vector_i64(index), static_cast<int64_t>(axis));
}
int64_t mirrored(int64_t i, int64_t n, const std::string& mode) {
  if (mode == "edge") return std::clamp<int64_t>(i, 0, n - 1);
  if (mode == "wrap") return ((i % n) + n) % n;
  if (n == 1) return 0;
  const int64_t period = 2 * (n - 1), r = ((i % period) + period) % period;
  return r < n ? r : period - r;
}

void pad(OpContext& c) {
  ValueId x = c.in(0);
  const auto d = c.dims(x);
  const size_t rank = d.size();
  const std::string mode = c.attr_s("mode", "constant");
  std::vector<int64_t> pads = c.opset >= 11 ? c.known_ints(1) : c.attr_ints(c.opset >= 2 ? "pads" : "paddings");
  std::vector<int64_t> axes;
  if (c.has(3)) axes = c.known_ints(3);
  if (!c.ok()) return;
  if (!c.has(3)) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (pads.size() != 2 * axes.size()) return c.bad("pads must have two entries for each axis");
  std::vector<int64_t> low(rank, 0), high(rank, 0);
  for (size_t k = 0; k < axes.size(); ++k) {
    const auto a = static_cast<size_t>(c.axis(axes[k], rank));
    low[a] = pads[k], high[a] = pads[k + axes.size()];
  }
  if (!c.ok()) return;
  if (mode != "constant") {
    for (size_t a = 0; a < rank; ++a) {
      if (low[a] == 0 && high[a] == 0) continue;
      const int64_t n = d[a] + low[a] + high[a];
      if (n < 0 || (d[a] == 0 && n > 0) || n > (int64_t{1} << 28)) return c.bad("padding by " + mode + " does not fit dim " + std::to_string(a));
      std::vector<int64_t> index;
      for (int64_t i = 0; i < n; ++i) index.push_back(mirrored(i - low[a], d[a], mode));
      x = pick(c, x, a, index);
    }
    return c.out(0, x);
  }
  // Negative padding cuts.
  std::vector<int64_t> starts(rank, 0), ones(rank, 1), sizes = d;
  for (size_t a = 0; a < rank; ++a) {
    starts[a] = std::max<int64_t>(-low[a], 0);
    sizes[a] = d[a] - starts[a] - std::max<int64_t>(-high[a], 0);
    if (sizes[a] < 0) return c.bad("padding cuts more than dim " + std::to_string(a) + " has");
    low[a] = std::max<int64_t>(low[a], 0), high[a] = std::max<int64_t>(high[a], 0);
  }
  x = c.slice(x, starts, ones, sizes);
  const bool boolean = c.dtype(x) == DType::boolean;
  if (boolean) x = c.cast(x, DType::u8);
  ValueId fill = c.has(2) ? c.cast(c.reshape(c.in(2), Shape{}), c.dtype(x)) : c.scalar(c.attr_f("value", 0), c.dtype(x));
  x = c.pad(x, low, high, fill);
  c.out(0, boolean ? c.cast(x, DType::boolean) : x);
}

void depth_to_space(OpContext& c) {
  const ValueId x = c.in(0);
  const auto d = c.dims(x);
  const int64_t b = c.attr_i("blocksize", 1);
  if (!c.ok()) return;
  if (d.size() != 4 || b < 1 || d[1] % (b * b)) return c.bad("channels do not divide by blocksize squared");
  const int64_t ch = d[1] / (b * b);
  const bool crd = c.attr_s("mode", "DCR") == "CRD";
  const ValueId split = c.reshape(x, crd ? std::vector<int64_t>{d[0], ch, b, b, d[2], d[3]} : std::vector<int64_t>{d[0], b, b, ch, d[2], d[3]});
  const ValueId moved = c.permute(split, crd ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2});
  c.out(0, c.reshape(moved, std::vector<int64_t>{d[0], ch, d[2] * b, d[3] * b}));
}
void space_to_depth(OpContext& c) {
  const ValueId x = c.in(0);
  const auto d = c.dims(x);
  const int64_t b = c.attr_i("blocksize", 1);
  if (!c.ok()) return;
  if (d.size() != 4 || b < 1 || d[2] % b || d[3] % b) return c.bad("the extents do not divide by blocksize");
  const bool crd = c.attr_s("mode", "DCR") == "CRD";
  const ValueId split = c.reshape(x, std::vector<int64_t>{d[0], d[1], d[2] / b, b, d[3] / b, b});
  c.out(0, c.reshape(c.permute(split, crd ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 3, 5, 1, 2, 4}), std::vector<int64_t>{d[0], d[1] * b * b, d[2] / b, d[3] / b}));
}

void trilu(OpContext& c) {
  const ValueId x = c.in(0);
  if (c.rank(x) < 2) return c.bad("the input needs two dims");
  int64_t k = 0;
  if (c.has(1)) {
    const auto v = c.known_ints(1);
    if (!c.ok() || v.empty()) return;
    k = v[0];
  }
  const auto d = c.dims(x);
  if (!c.ok()) return;
  const Shape last(c.shape(x).end() - 2, c.shape(x).end());
  const ValueId row = c.emit(Op::iota, {}, {{"axis", int64_t{0}}, {"shape", last}, {"to", DType::i64}});
  const ValueId col = c.emit(Op::iota, {}, {{"axis", int64_t{1}}, {"shape", last}, {"to", DType::i64}});
  const ValueId edge = c.add(row, c.scalar_i64(k));
  const ValueId keep = c.attr_i("upper", 1) ? c.emit(Op::less_equal, {edge, col}) : c.emit(Op::less_equal, {col, edge});
  c.out(0, c.select(keep, x, c.broadcast(c.scalar(0, c.dtype(x)), c.shape(x))));
}

} // namespace

std::vector<LoweringRow> movement_rows() {
  return {{"Shape", shape_of}, {"Size", size_of}, {"Reshape", reshape}, {"Flatten", flatten}, {"Squeeze", squeeze},
          {"Unsqueeze", unsqueeze}, {"Transpose", transpose}, {"Expand", expand}, {"Tile", tile}, {"Slice", slice},
          {"Split", split}, {"Concat", concat}, {"Pad", pad}, {"DepthToSpace", depth_to_space},
          {"SpaceToDepth", space_to_depth}, {"Trilu", trilu}};
}

} // namespace cutaway::onnx
