#include "ir/eval/dispatch.h"

namespace cutaway::eval_impl {
namespace {

// acc[j] = acc[j] + a * b[j]: vectorised across outputs, so that the order for each output stays that of the calls. The
// clones contract nothing (-ffp-contract=off), so all give the same bits.
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3"))) void axpy(float* __restrict acc, const float* __restrict b, float a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) acc[j] = acc[j] + a * b[j];
}
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3"))) void axpy(double* __restrict acc, const double* __restrict b, double a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) acc[j] = acc[j] + a * b[j];
}
template <class C> void axpy(C* acc, const C* b, C a, int64_t n) {
  using W = std::conditional_t<(sizeof(C) < 8), uint32_t, uint64_t>;
  for (int64_t j = 0; j < n; ++j) acc[j] = static_cast<C>(static_cast<W>(acc[j]) + static_cast<W>(a) * static_cast<W>(b[j]));
}

// Four steps of k at once for four loads and stores less; each output still adds them one after another.
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3"))) void axpy4(float* __restrict acc, const float* const* b, const float* a, int64_t n) {
  const float *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
  const float a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  for (int64_t j = 0; j < n; ++j) {
    float s = acc[j] + a0 * b0[j];
    s = s + a1 * b1[j];
    s = s + a2 * b2[j];
    acc[j] = s + a3 * b3[j];
  }
}

template <class Tr> std::vector<typename Tr::Native> widen(const Tensor& t) {
  std::vector<typename Tr::Native> out(static_cast<size_t>(t.count()));
  for (int64_t i = 0; i < t.count(); ++i) out[static_cast<size_t>(i)] = Tr::load(data<typename Tr::Stored>(t)[i]);
  return out;
}

// The elements in the type they are computed in: the tensor's own bytes where that is the stored type.
template <class Tr> class Wide {
 public:
  using C = typename Tr::Native;
  explicit Wide(const Tensor& t) {
    if constexpr (!std::is_same_v<C, typename Tr::Stored>) copy_ = widen<Tr>(t);
    if constexpr (std::is_same_v<C, typename Tr::Stored>) data_ = data<C>(t);
    else data_ = copy_.data();
  }
  const C* operator+(int64_t i) const { return data_ + i; }
  C operator[](int64_t i) const { return data_[i]; }

 private:
  std::vector<C> copy_;
  const C* data_ = nullptr;
};

template <class Tr> void row_product(const typename Tr::Native* a, const typename Tr::Native* b, typename Tr::Native* acc, int64_t k, int64_t stride, int64_t width) {
  using C = typename Tr::Native;
  int64_t i = 0;
  if constexpr (std::is_same_v<C, float>)
    for (; i + 4 <= k; i += 4) {
      const float* rows[4] = {b + i * stride, b + (i + 1) * stride, b + (i + 2) * stride, b + (i + 3) * stride};
      axpy4(acc, rows, a + i, width);
    }
  for (; i < k; ++i) axpy(acc, b + i * stride, a[i], width);
}

template <class Tr> void dot(const Call& c, Tensor& out) {
  using C = typename Tr::Native;
  using S = typename Tr::Stored;
  const auto da = c.in[0].dims(), db = c.in[1].dims(), dims = out.dims();
  const int64_t m = da[da.size() - 2], k = da.back(), n = db.back();
  const Wide<Tr> a(c.in[0]), b(c.in[1]);
  std::vector<int64_t> batch(dims.begin(), dims.end() - 2), sa(batch.size(), 0), sb(batch.size(), 0);
  const auto fill = [&](const std::vector<int64_t>& d, int64_t unit, std::vector<int64_t>& s) {
    for (size_t i = d.size() - 2, at = batch.size(); i-- > 0;) {
      --at;
      s[at] = d[i] == 1 ? 0 : unit;
      unit *= d[i];
    }
  };
  fill(da, m * k, sa);
  fill(db, k * n, sb);
  if (out.count() == 0) return;
  Odometer at(batch, {sa, sb});
  constexpr int64_t block = 1024;
  std::vector<C> acc(static_cast<size_t>(std::min(n, block)));
  for (int64_t first = 0; first < out.count(); first += m * n, at.next())
    for (int64_t j = 0; j < n; j += block)
      for (int64_t i = 0; i < m; ++i) {
        const int64_t width = std::min(block, n - j);
        std::fill(acc.begin(), acc.end(), C(0));
        row_product<Tr>(a + (at.at(0) + i * k), b + (at.at(1) + j), acc.data(), k, n, width);
        for (int64_t q = 0; q < width; ++q) out.mutable_as<S>()[first + i * n + j + q] = Tr::store(acc[static_cast<size_t>(q)]);
      }
}

// The spatial side of a convolution, padded to three dims.
struct Space {
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, low[3] = {0, 0, 0}, padded[3];
};

template <class C> void pad_plane(const C* from, const Space& s, C* to) {
  std::fill(to, to + s.padded[0] * s.padded[1] * s.padded[2], C(0));
  for (int64_t z = 0; z < s.in[0]; ++z)
    for (int64_t y = 0; y < s.in[1]; ++y) {
      C* row = to + ((z + s.low[0]) * s.padded[1] + y + s.low[1]) * s.padded[2] + s.low[2];
      std::copy_n(from + (z * s.in[1] + y) * s.in[2], s.in[2], row);
    }
}

// One output plane: taps in row-major order, channels ascending inside a tap.
template <class C> void conv_plane(const std::vector<C>& x, int64_t first_channel, int64_t channels, const C* w, const Space& s, C* acc, std::vector<C>& line) {
  const int64_t plane = s.padded[0] * s.padded[1] * s.padded[2], taps = s.kernel[0] * s.kernel[1] * s.kernel[2], outputs = s.out[0] * s.out[1] * s.out[2];
  std::fill(acc, acc + outputs, C(0));
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t kz = tap / (s.kernel[1] * s.kernel[2]) * s.dilation[0], ky = tap / s.kernel[2] % s.kernel[1] * s.dilation[1], kx = tap % s.kernel[2] * s.dilation[2];
    for (int64_t ch = 0; ch < channels; ++ch) {
      const C weight = w[ch * taps + tap];
      const C* src = x.data() + (first_channel + ch) * plane;
      for (int64_t oz = 0; oz < s.out[0]; ++oz)
        for (int64_t oy = 0; oy < s.out[1]; ++oy) {
          const C* row = src + ((oz * s.stride[0] + kz) * s.padded[1] + oy * s.stride[1] + ky) * s.padded[2] + kx;
          C* to = acc + (oz * s.out[1] + oy) * s.out[2];
          if (s.stride[2] != 1) {
            for (int64_t i = 0; i < s.out[2]; ++i) line[static_cast<size_t>(i)] = row[i * s.stride[2]];
            row = line.data();
          }
          axpy(to, row, weight, s.out[2]);
        }
    }
  }
}

template <class Tr> void conv(const Call& c, Tensor& out) {
  using C = typename Tr::Native;
  using S = typename Tr::Stored;
  const auto dx = c.in[0].dims(), dw = c.in[1].dims(), dims = out.dims();
  const int64_t groups = c.attrs.i("groups");
  Space s;
  const size_t n = dx.size() - 2;
  for (size_t i = 0; i < n; ++i) {
    const size_t d = 3 - n + i;
    s.in[d] = dx[i + 2], s.out[d] = dims[i + 2], s.kernel[d] = dw[i + 2];
    s.stride[d] = c.attrs.ints("strides")[i], s.dilation[d] = c.attrs.ints("dilations")[i], s.low[d] = c.attrs.ints("pad_low")[i];
  }
  for (int d = 0; d < 3; ++d) s.padded[d] = std::max(s.in[d] + s.low[d], (s.out[d] - 1) * s.stride[d] + (s.kernel[d] - 1) * s.dilation[d] + 1);
  if (out.count() == 0) return;
  const int64_t plane = s.padded[0] * s.padded[1] * s.padded[2], pixels = s.in[0] * s.in[1] * s.in[2], outputs = s.out[0] * s.out[1] * s.out[2];
  const int64_t channels = dw[1], per_group = dims[1] / groups;
  const Wide<Tr> x(c.in[0]), w(c.in[1]);
  std::vector<C> padded(static_cast<size_t>(plane * dx[1])), acc(static_cast<size_t>(outputs)), line(static_cast<size_t>(s.out[2]));
  for (int64_t b = 0; b < dims[0]; ++b) {
    for (int64_t ch = 0; ch < dx[1]; ++ch) pad_plane<C>(x + (b * dx[1] + ch) * pixels, s, padded.data() + ch * plane);
    for (int64_t o = 0; o < dims[1]; ++o) {
      conv_plane<C>(padded, o / per_group * channels, channels, w + o * channels * s.kernel[0] * s.kernel[1] * s.kernel[2], s, acc.data(), line);
      S* to = out.mutable_as<S>() + (b * dims[1] + o) * outputs;
      for (int64_t i = 0; i < outputs; ++i) to[i] = Tr::store(acc[static_cast<size_t>(i)]);
    }
  }
}

} // namespace

Tensors contraction(const Call& c) {
  Tensor out = c.make();
  if (c.op == Op::conv && c.in[0].rank() > 5) return unsupported("conv", "more than three spatial dims");
  const bool ok = visit_number(out.dtype(), [&](auto t) {
    if (c.op == Op::conv) conv<decltype(t)>(c, out);
    else dot<decltype(t)>(c, out);
  });
  if (!ok) return c.refuse(out.dtype());
  return std::vector<Tensor>{out};
}

} // namespace cutaway::eval_impl
