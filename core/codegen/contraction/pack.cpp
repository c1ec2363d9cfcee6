#include "base/check.h"
#include "base/prelude/cw_math.h"
#include "codegen/contraction/geometry.h"
#include "codegen/contraction/matmul.h"

#include <algorithm>
#include <cstring>

namespace cutaway::codegen {
namespace {

// Element i behind `from` widened to the type of the sums, written at `to`.
template <class T> void widen(Elem elem, const void* from, int64_t i, T* to) {
  switch (elem) {
  case Elem::f32: *to = static_cast<T>(static_cast<const float*>(from)[i]); break;
  case Elem::f64: *to = static_cast<T>(static_cast<const double*>(from)[i]); break;
  case Elem::f16: *to = static_cast<T>(cw_f16_to_f32(static_cast<const uint16_t*>(from)[i])); break;
  case Elem::bf16: *to = static_cast<T>(cw_bf16_to_f32(static_cast<const uint16_t*>(from)[i])); break;
  case Elem::i8: *to = static_cast<T>(static_cast<const int8_t*>(from)[i]); break;
  case Elem::u8: *to = static_cast<T>(static_cast<const uint8_t*>(from)[i]); break;
  case Elem::i16: *to = static_cast<T>(static_cast<const int16_t*>(from)[i]); break;
  case Elem::u16: *to = static_cast<T>(static_cast<const uint16_t*>(from)[i]); break;
  case Elem::i32: *to = static_cast<T>(static_cast<const int32_t*>(from)[i]); break;
  case Elem::u32: *to = static_cast<T>(static_cast<const uint32_t*>(from)[i]); break;
  case Elem::i64: *to = static_cast<T>(static_cast<const int64_t*>(from)[i]); break;
  case Elem::u64: *to = static_cast<T>(static_cast<const uint64_t*>(from)[i]); break;
  }
}

template <class F> void with_accumulator(Elem acc, F&& f) {
  switch (acc) {
  case Elem::f32: return f(float());
  case Elem::f64: return f(double());
  case Elem::i32: return f(int32_t());
  case Elem::u32: return f(uint32_t());
  case Elem::i64: return f(int64_t());
  default: return f(uint64_t());
  }
}

} // namespace

void pack_matmul(const MatmulSpec& s, const void* b, void* packed, const Simd& simd) {
  const Extent e = extent_of(s);
  CUTAWAY_CHECK(e.z == 1, "a packed operand has no batch of its own");
  const Plan plan = make_plan(e, choose_tile(e, s.tile, simd), simd, 1);
  with_accumulator(s.acc, [&](auto zero) {
    using T = decltype(zero);
    T* to = static_cast<T*>(packed);
    for (int64_t p = 0; p < plan.panels; ++p)
      for (int64_t k = 0; k < s.k; ++k, to += plan.columns) {
        const int64_t n0 = p * plan.columns, width = std::min<int64_t>(plan.columns, s.n - n0);
        const int64_t at = s.b.offset + k * s.b.row_stride + n0 * s.b.col_stride;
        if (s.b.col_stride == 1 && s.b.elem == s.acc) std::memcpy(to, static_cast<const T*>(b) + at, static_cast<size_t>(width) * sizeof(T));
        else for (int64_t j = 0; j < width; ++j) widen<T>(s.b.elem, b, at + j * s.b.col_stride, to + j);
        std::fill(to + width, to + plan.columns, T(0));
      }
  });
}

void pack_conv(const ConvSpec& s, const void* weights, void* packed, const Simd& simd) {
  const Geometry g = geometry_of(s);
  const Extent e = extent_of(s, g);
  std::vector<int64_t> strides = s.weight_strides;
  if (strides.empty()) {
    strides.assign(s.kernel.size() + 2, 1);
    for (size_t d = strides.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * (d + 1 == 1 ? g.channels : s.kernel[d - 1]);
  }
  // The source offset of a tap, counted in row-major order of the kernel.
  const auto tap_at = [&](int64_t tap) {
    int64_t at = 0;
    for (size_t d = s.kernel.size(); d-- > 0; tap /= s.kernel[d]) at += tap % s.kernel[d] * strides[d + 2];
    return at;
  };
  const bool depthwise = is_depthwise(g);
  const int columns = depthwise ? 1 : make_plan(e, choose_tile(e, s.tile, simd), simd, 1).columns;
  with_accumulator(s.acc, [&](auto zero) {
    using T = decltype(zero);
    T* to = static_cast<T*>(packed);
    if (depthwise) {
      for (int64_t tap = 0; tap < g.taps(); ++tap)
        for (int64_t o = 0; o < s.out_channels; ++o) widen<T>(s.weights_elem, weights, o * strides[0] + tap_at(tap), to++);
      return;
    }
    for (int64_t group = 0; group < g.groups; ++group)
      for (int64_t n0 = 0; n0 < g.outputs; n0 += columns)
        for (int64_t tap = 0; tap < g.taps(); ++tap)
          for (int64_t c = 0; c < g.channels; ++c)
            for (int64_t j = 0; j < columns; ++j, ++to) {
              if (n0 + j >= g.outputs) *to = T(0);
              else widen<T>(s.weights_elem, weights, (group * g.outputs + n0 + j) * strides[0] + c * strides[1] + tap_at(tap), to);
            }
  });
}

} // namespace cutaway::codegen
