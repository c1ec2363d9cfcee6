#include "import/onnx/window.h"

#include "ir/eval.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cutaway::onnx {

Window read_window(OpContext& c, ValueId x, const std::vector<int64_t>& kernel) {
  Window w;
  const auto d = c.dims(x);
  if (d.size() < 3) {
    c.bad("the input must have a batch, channels and spatial dims");
    return w;
  }
  const size_t n = d.size() - 2;
  w.kernel = c.attr_ints("kernel_shape", kernel);
  w.strides = c.attr_ints("strides", std::vector<int64_t>(n, 1));
  w.dilations = c.attr_ints("dilations", std::vector<int64_t>(n, 1));
  const auto pads = c.attr_ints("pads", std::vector<int64_t>(2 * n, 0));
  if (w.kernel.size() != n || w.strides.size() != n || w.dilations.size() != n || pads.size() != 2 * n) {
    c.bad("kernel_shape, strides, dilations and pads must have one entry a spatial dim");
    return w;
  }
  const std::string automatic = c.attr_s("auto_pad", "NOTSET");
  for (size_t i = 0; i < n; ++i) {
    if (w.strides[i] < 1 || w.dilations[i] < 1 || w.kernel[i] < 1) return c.bad("kernel, strides and dilations must be at least 1"), w;
    int64_t low = pads[i], high = pads[n + i];
    const int64_t extent = d[i + 2], stride = w.strides[i], reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    if (automatic.rfind("SAME", 0) == 0) {
      const int64_t outputs = (extent + stride - 1) / stride, total = std::max<int64_t>(0, (outputs - 1) * stride + reach - extent);
      low = automatic == "SAME_LOWER" ? total - total / 2 : total / 2;
      high = total - low;
    } else if (automatic == "VALID") {
      low = high = 0;
    }
    if (c.attr_i("ceil_mode", 0)) {
      // One more position where the last window would start inside the input or its left padding.
      const int64_t room = extent + low + high - reach;
      int64_t outputs = (room + stride - 1) / stride + 1;
      if ((outputs - 1) * stride >= extent + low) --outputs;
      high = std::max(high, (outputs - 1) * stride + reach - extent - low);
    }
    w.low.push_back(low), w.high.push_back(high);
  }
  return w;
}

ValueId conv_of(OpContext& c, ValueId x, ValueId w, const Window& win, int64_t groups) {
  return c.emit(Op::conv, {x, w}, {{"strides", win.strides}, {"dilations", win.dilations}, {"pad_low", win.low}, {"pad_high", win.high}, {"groups", groups}});
}

namespace {

ValueId window_of(OpContext& c, ValueId x, const Window& w, const char* kind) {
  const auto spread = [](std::vector<int64_t> v, int64_t fill) {
    v.insert(v.begin(), 2, fill);
    return v;
  };
  return c.emit(Op::reduce_window, {x}, {{"kind", std::string(kind)}, {"window", spread(w.kernel, 1)}, {"strides", spread(w.strides, 1)}, {"dilations", spread(w.dilations, 1)}, {"pad_low", spread(w.low, 0)}, {"pad_high", spread(w.high, 0)}});
}

void max_pool(OpContext& c) {
  if (c.wants(1)) return c.defer(BreakCause::unknown_op, "MaxPool with indices");
  const ValueId x = c.in(0);
  const Window w = read_window(c, x, {});
  if (c.ok()) c.out(0, window_of(c, x, w, "max"));
}

// How many elements of the input (or of it and its declared padding) each window holds, as a constant.
ValueId window_counts(OpContext& c, ValueId x, const Window& w, bool count_pads, DType t) {
  const auto d = c.dims(x);
  const size_t n = w.kernel.size();
  const auto pads = c.attr_ints("pads", std::vector<int64_t>(2 * n, 0));
  const bool automatic = c.attr_s("auto_pad", "NOTSET") != "NOTSET";
  std::vector<std::vector<int64_t>> counts(n);
  std::vector<int64_t> shape{1, 1};
  for (size_t i = 0; i < n; ++i) {
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    const int64_t outputs = std::max<int64_t>(0, (d[i + 2] + w.low[i] + w.high[i] - reach) / w.strides[i] + 1);
    const int64_t last = d[i + 2] + (count_pads ? (automatic ? w.high[i] : pads[n + i]) : 0), first = count_pads ? -w.low[i] : 0;
    for (int64_t o = 0; o < outputs; ++o) {
      int64_t k = 0;
      for (int64_t t0 = 0; t0 < w.kernel[i]; ++t0) {
        const int64_t at = o * w.strides[i] - w.low[i] + t0 * w.dilations[i];
        k += at >= first && at < last;
      }
      counts[i].push_back(k);
    }
    shape.push_back(outputs);
  }
  const int64_t total = *count_of(shape);
  Tensor all(DType::i64, shape);
  for (int64_t at = 0; at < total; ++at) {
    int64_t rest = at, product = 1;
    for (size_t i = n; i-- > 0; rest /= shape[i + 2]) product *= counts[i][static_cast<size_t>(rest % shape[i + 2])];
    all.mutable_as<int64_t>()[at] = std::max<int64_t>(product, 1);
  }
  const auto* values = reinterpret_cast<const int64_t*>(all.data());
  const bool same = std::all_of(values, values + total, [&](int64_t v) { return v == values[0]; });
  if (same && total > 0) return c.scalar(static_cast<double>(values[0]), t);
  return c.cast(c.constant(all), t);
}

void average_pool(OpContext& c) {
  const ValueId x = c.in(0);
  const Window w = read_window(c, x, {});
  if (!c.ok()) return;
  c.out(0, c.div(window_of(c, x, w, "sum"), window_counts(c, x, w, c.attr_i("count_include_pad", 0), c.dtype(x))));
}
void lp_pool(OpContext& c) {
  const ValueId x = c.in(0);
  const Window w = read_window(c, x, {});
  const int64_t p = c.attr_i("p", 2);
  if (!c.ok()) return;
  const DType t = c.dtype(x);
  const ValueId powered = p == 1 ? c.unary(Op::abs, x) : p == 2 ? c.mul(x, x) : c.emit(Op::pow, {c.unary(Op::abs, x), c.scalar(static_cast<double>(p), t)});
  const ValueId sum = window_of(c, powered, w, "sum");
  c.out(0, p == 1 ? sum : p == 2 ? c.unary(Op::sqrt, sum) : c.emit(Op::pow, {sum, c.scalar(1.0 / static_cast<double>(p), t)}));
}

std::vector<int64_t> spatial_axes(OpContext& c, ValueId x) {
  std::vector<int64_t> axes(c.rank(x) > 2 ? c.rank(x) - 2 : 0);
  std::iota(axes.begin(), axes.end(), 2);
  if (axes.empty()) c.bad("the input has no spatial dims");
  return axes;
}
void global_average_pool(OpContext& c) {
  const ValueId x = c.in(0);
  const auto axes = spatial_axes(c, x);
  if (c.ok()) c.out(0, c.mean(x, axes, true));
}
void global_max_pool(OpContext& c) {
  const ValueId x = c.in(0);
  const auto axes = spatial_axes(c, x);
  if (c.ok()) c.out(0, c.reduce(Op::reduce_max, x, axes, true));
}

// --- Resize, one axis after another with indices and weights worked out here
struct Axis {
  int64_t in, out;
  double scale, roi_first, roi_last;
};
double source(const Axis& a, int64_t i, const std::string& mode, double floor_scale) {
  const double x = static_cast<double>(i), in = static_cast<double>(a.in), out = static_cast<double>(a.out);
  if (mode == "align_corners") return a.out == 1 ? 0 : x * (in - 1) / (out - 1);
  if (mode == "asymmetric") return x / a.scale;
  if (mode == "pytorch_half_pixel") return a.out > 1 ? (x + 0.5) / a.scale - 0.5 : 0;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / a.scale;
  if (mode == "half_pixel_symmetric") {
    const double adjust = out / floor_scale, centre = in / 2;
    return centre * (1 - adjust) + (x + 0.5) / a.scale - 0.5;
  }
  if (mode == "tf_crop_and_resize")
    return a.out > 1 ? a.roi_first * (in - 1) + x * (a.roi_last - a.roi_first) * (in - 1) / (out - 1) : 0.5 * (a.roi_first + a.roi_last) * (in - 1);
  return (x + 0.5) / a.scale - 0.5; // half_pixel
}
int64_t nearest(double x, const std::string& mode) {
  if (mode == "floor") return static_cast<int64_t>(std::floor(x));
  if (mode == "ceil") return static_cast<int64_t>(std::ceil(x));
  if (mode == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5));
  return static_cast<int64_t>(std::ceil(x - 0.5)); // round_prefer_floor
}

ValueId resize_axis(OpContext& c, ValueId x, size_t axis, const Axis& a, const std::string& kind) {
  const std::string where = c.attr_s("coordinate_transformation_mode", c.opset >= 11 ? "half_pixel" : "asymmetric");
  const std::string round = c.opset >= 11 ? c.attr_s("nearest_mode", "round_prefer_floor") : "floor";
  std::vector<int64_t> low, high;
  std::vector<double> weight;
  for (int64_t i = 0; i < a.out; ++i) {
    const double at = source(a, i, where, a.scale * static_cast<double>(a.in));
    if (kind == "nearest") {
      low.push_back(std::clamp<int64_t>(nearest(at, round), 0, a.in - 1));
      continue;
    }
    const double clamped = std::clamp(at, 0.0, static_cast<double>(a.in - 1));
    const auto first = static_cast<int64_t>(std::floor(clamped));
    low.push_back(first);
    high.push_back(std::min(first + 1, a.in - 1));
    weight.push_back(clamped - static_cast<double>(first));
  }
  const auto along = static_cast<int64_t>(axis);
  const ValueId left = c.gather(x, c.vector_i64(low), along);
  if (kind == "nearest") return left;
  std::vector<int64_t> shape(c.rank(x) - axis, 1);
  shape[0] = a.out;
  const ValueId w = c.cast(c.constant(Tensor::of<double>(DType::f64, shape, weight)), c.dtype(x));
  const ValueId right = c.gather(x, c.vector_i64(high), along);
  return c.add(c.mul(left, c.sub(c.scalar(1, c.dtype(x)), w)), c.mul(right, w));
}

void resize(OpContext& c) {
  ValueId x = c.in(0);
  const auto d = c.dims(x);
  const std::string kind = c.attr_s("mode", "nearest");
  const size_t scales_at = c.opset >= 11 ? 2 : 1;
  std::vector<int64_t> axes = c.attr_ints("axes");
  if (!c.ok()) return;
  if ((kind != "nearest" && kind != "linear") || c.attr_i("antialias", 0) || c.attr_s("coordinate_transformation_mode", "") == "tf_crop_and_resize" ||
      c.attr_s("keep_aspect_ratio_policy", "stretch") != "stretch")
    return c.defer(BreakCause::unknown_op, "Resize by " + kind + " with these attributes");
  if (axes.empty()) {
    axes.resize(d.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (int64_t& a : axes) a = c.axis(a, d.size());
  std::vector<double> scales;
  std::vector<int64_t> sizes;
  if (c.node.op_type == "Upsample" && c.opset < 9) {
    for (float f : c.attr_floats("scales")) scales.push_back(f);
  } else if (c.opset >= 11 && c.has(3)) {
    sizes = c.known_ints(3);
  } else if (c.has(scales_at)) {
    const Tensor t = c.known(scales_at);
    for (int64_t i = 0; i < t.count() && c.ok(); ++i) scales.push_back(t.as_double(i));
  }
  if (!c.ok()) return;
  if (sizes.size() != axes.size() && scales.size() != axes.size()) return c.bad("scales or sizes must have one entry an axis");
  const bool by_size = sizes.size() == axes.size();
  for (size_t k = 0; k < axes.size(); ++k) {
    const auto axis = static_cast<size_t>(axes[k]);
    const int64_t in = d[axis];
    const int64_t out = by_size ? sizes[k] : static_cast<int64_t>(std::floor(static_cast<double>(in) * scales[k]));
    const double scale = by_size ? static_cast<double>(out) / static_cast<double>(in) : scales[k];
    if (out < 0 || out > (int64_t{1} << 24) || (in == 0 && out > 0)) return c.bad("dim " + std::to_string(axis) + " would become " + std::to_string(out));
    if (out == in && scale == 1) continue;
    x = resize_axis(c, x, axis, {in, out, scale, 0, 1}, kind);
  }
  c.out(0, x);
}

} // namespace

std::vector<LoweringRow> pooling_rows() {
  return {{"MaxPool", max_pool}, {"AveragePool", average_pool}, {"LpPool", lp_pool}, {"GlobalAveragePool", global_average_pool},
          {"GlobalMaxPool", global_max_pool}, {"Resize", resize}, {"Upsample", resize}};
}

} // namespace cutaway::onnx
