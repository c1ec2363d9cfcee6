#include "import/onnx/window.h"

#include <algorithm>

namespace cutaway::onnx {

ValueId matmul_of(OpContext& c, ValueId a, ValueId b) {
  const bool row = c.rank(a) == 1, column = c.rank(b) == 1;
  if (c.rank(a) == 0 || c.rank(b) == 0) {
    c.bad("a product of scalars");
    return {};
  }
  if (row) a = c.reshape(a, Shape{1, c.shape(a)[0]});
  if (column) b = c.reshape(b, Shape{c.shape(b)[0], 1});
  ValueId y = c.emit(Op::dot_general, {a, b});
  if (!c.ok()) return {};
  Shape s = c.shape(y);
  if (row) s.erase(s.end() - 2);
  if (column) s.pop_back();
  return c.reshape(y, s);
}

namespace {

void matmul(OpContext& c) { c.out(0, matmul_of(c, c.in(0), c.in(1))); }

void gemm(OpContext& c) {
  ValueId a = c.in(0), b = c.in(1);
  if (c.rank(a) != 2 || c.rank(b) != 2) return c.bad("operands must be matrices");
  if (c.attr_i("transA", 0)) a = c.permute(a, {1, 0});
  if (c.attr_i("transB", 0)) b = c.permute(b, {1, 0});
  ValueId y = c.emit(Op::dot_general, {a, b});
  const double alpha = c.attr_f("alpha", 1), beta = c.attr_f("beta", 1);
  if (alpha != 1) y = c.mul(y, c.scalar(alpha, c.dtype(y)));
  if (c.has(2) && beta != 0) {
    ValueId bias = c.in(2);
    if (beta != 1) bias = c.mul(bias, c.scalar(beta, c.dtype(y)));
    y = c.add(y, bias);
  }
  c.out(0, y);
}

ValueId with_bias(OpContext& c, ValueId y, size_t input) {
  if (!c.has(input)) return y;
  Shape s(c.rank(y) > 0 ? c.rank(y) - 1 : 0, Dim(1));
  const ValueId bias = c.in(input);
  if (!s.empty() && c.rank(bias) == 1) s[0] = c.shape(bias)[0];
  return c.add(y, c.reshape(bias, s));
}

void conv(OpContext& c) {
  const ValueId x = c.in(0), w = c.in(1);
  const auto dw = c.dims(w);
  if (dw.size() < 3) return c.bad("the weights need spatial dims");
  const Window win = read_window(c, x, {dw.begin() + 2, dw.end()});
  if (c.ok()) c.out(0, with_bias(c, conv_of(c, x, w, win, c.attr_i("group", 1)), 2));
}

// A transposed convolution is a convolution of the input spread by the stride, with the kernel turned round.
void conv_transpose(OpContext& c) {
  ValueId x = c.in(0), w = c.in(1);
  const auto dx = c.dims(x), dw = c.dims(w);
  const int64_t groups = c.attr_i("group", 1);
  if (!c.ok()) return;
  if (dx.size() < 3 || dw.size() != dx.size() || groups < 1 || dx[1] % groups || dw[0] != dx[1]) return c.bad("operands do not fit");
  const size_t n = dx.size() - 2;
  auto strides = c.attr_ints("strides", std::vector<int64_t>(n, 1)), dilations = c.attr_ints("dilations", std::vector<int64_t>(n, 1));
  auto extra = c.attr_ints("output_padding", std::vector<int64_t>(n, 0)), pads = c.attr_ints("pads", std::vector<int64_t>(2 * n, 0));
  const auto want = c.attr_ints("output_shape");
  const std::string automatic = c.attr_s("auto_pad", "NOTSET");
  if (strides.size() != n || dilations.size() != n || extra.size() != n || pads.size() != 2 * n) return c.bad("attributes do not have one entry a spatial dim");
  std::vector<int64_t> low(n + 2, 0), high(n + 2, 0), interior(n + 2, 0), size = dx;
  for (size_t i = 0; i < n; ++i) {
    const int64_t reach = (dw[i + 2] - 1) * dilations[i] + 1, full = strides[i] * (dx[i + 2] - 1) + extra[i] + reach;
    int64_t target = want.size() == n ? want[i] : want.size() == n + 2 ? want[i + 2] : full - pads[i] - pads[n + i];
    if (want.empty() && automatic.rfind("SAME", 0) == 0) target = dx[i + 2] * strides[i];
    int64_t begin = pads[i];
    if (!want.empty() || automatic.rfind("SAME", 0) == 0) {
      const int64_t total = std::max<int64_t>(full - target, 0);
      begin = automatic == "SAME_LOWER" ? total - total / 2 : total / 2;
    }
    low[i + 2] = reach - 1 - begin;
    high[i + 2] = target - (strides[i] * (dx[i + 2] - 1) + 1) - low[i + 2] + reach - 1;
    interior[i + 2] = strides[i] - 1;
    size[i + 2] = strides[i] * (dx[i + 2] - 1) + 1;
  }
  const ValueId zero = c.scalar(0, c.dtype(x));
  // Spread and pad; what the padding would cut is cut afterwards.
  std::vector<int64_t> pl(n + 2, 0), ph(n + 2, 0), from(n + 2, 0), ones(n + 2, 1);
  for (size_t i = 2; i < n + 2; ++i) {
    pl[i] = std::max<int64_t>(low[i], 0), ph[i] = std::max<int64_t>(high[i], 0);
    from[i] = std::max<int64_t>(-low[i], 0);
    size[i] += low[i] + high[i];
    if (size[i] < 0) return c.bad("the output has a negative extent");
  }
  const auto some = [](const std::vector<int64_t>& v) { return std::any_of(v.begin(), v.end(), [](int64_t e) { return e != 0; }); };
  if (some(pl) || some(ph) || some(interior)) x = c.emit(Op::pad, {x, zero}, {{"low", pl}, {"high", ph}, {"interior", interior}});
  x = c.slice(x, from, ones, size);
  // w[C, M/g, k] -> [M, C/g, k reversed]
  std::vector<int64_t> split{groups, dw[0] / groups, dw[1]}, perm{0, 2, 1}, flat{groups * dw[1], dw[0] / groups};
  std::vector<int64_t> starts(n + 2, 0), steps(n + 2, 1), whole = dw;
  for (size_t i = 0; i < n; ++i) {
    split.push_back(dw[i + 2]), flat.push_back(dw[i + 2]), perm.push_back(static_cast<int64_t>(i) + 3);
    starts[i + 2] = dw[i + 2] - 1, steps[i + 2] = -1;
  }
  w = c.emit(Op::slice, {w}, {{"starts", starts}, {"steps", steps}, {"sizes", whole}});
  w = c.reshape(c.permute(c.reshape(w, split), perm), flat);
  Window win{std::vector<int64_t>(dw.begin() + 2, dw.end()), std::vector<int64_t>(n, 1), dilations, std::vector<int64_t>(n, 0), std::vector<int64_t>(n, 0)};
  c.out(0, with_bias(c, conv_of(c, x, w, win, groups), 2));
}

// Whole-number products accumulate in i32, zero points taken off first.
ValueId less_zero_point(OpContext& c, ValueId x, size_t input, bool rows) {
  const ValueId wide = c.cast(x, DType::i32);
  if (!c.has(input)) return wide;
  ValueId z = c.cast(c.in(input), DType::i32);
  if (c.rank(z) == 1 && rows && !c.shape(z)[0].is(1)) z = c.reshape(z, Shape{c.shape(z)[0], 1});
  return c.sub(wide, c.rank(z) == 1 && c.shape(z)[0].is(1) ? c.reshape(z, Shape{}) : z);
}
void matmul_integer(OpContext& c) {
  c.out(0, matmul_of(c, less_zero_point(c, c.in(0), 2, true), less_zero_point(c, c.in(1), 3, false)));
}
void conv_integer(OpContext& c) {
  const ValueId x = less_zero_point(c, c.in(0), 2, false);
  ValueId w = c.cast(c.in(1), DType::i32);
  if (c.has(3)) {
    ValueId z = c.cast(c.in(3), DType::i32);
    if (c.rank(z) == 1 && !c.shape(z)[0].is(1)) {
      Shape s(c.rank(w), Dim(1));
      s[0] = c.shape(z)[0];
      z = c.reshape(z, s);
    } else {
      z = c.reshape(z, Shape{});
    }
    w = c.sub(w, z);
  }
  const auto dw = c.dims(w);
  if (!c.ok() || dw.size() < 3) return;
  const Window win = read_window(c, x, {dw.begin() + 2, dw.end()});
  if (c.ok()) c.out(0, conv_of(c, x, w, win, c.attr_i("group", 1)));
}

} // namespace

std::vector<LoweringRow> contraction_rows() {
  return {{"MatMul", matmul}, {"Gemm", gemm}, {"Conv", conv}, {"ConvTranspose", conv_transpose}, {"MatMulInteger", matmul_integer}, {"ConvInteger", conv_integer}};
}

} // namespace cutaway::onnx
