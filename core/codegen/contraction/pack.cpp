#include "codegen/contraction/geometry.h"
#include "codegen/contraction/matmul.h"

#include "base/check.h"

#include <bit>
#include <cstring>

namespace cutaway::codegen {
namespace {

float from_half(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16, exponent = (h >> 10) & 31, fraction = h & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -small : small;
}
float from_bfloat(uint16_t h) {
  return std::bit_cast<float>(static_cast<uint32_t>(h) << 16);
}

template <class Stored> Stored read(const void* p, int64_t i) {
  Stored x; // sources may lie unaligned in a mapped file
  std::memcpy(&x, static_cast<const char*>(p) + i * static_cast<int64_t>(sizeof x), sizeof x);
  return x;
}

// Calls `run` with a function from (source, element index) to the value as Acc.
template <class Acc, class Run> void with_reader(Elem elem, Run&& run) {
  const auto plain = [&]<class Stored>() {
    run([](const void* p, int64_t i) { return static_cast<Acc>(read<Stored>(p, i)); });
  };
  switch (elem) {
  case Elem::f32:
    return plain.template operator()<float>();
  case Elem::f64:
    return plain.template operator()<double>();
  case Elem::f16:
    return run([](const void* p, int64_t i) { return static_cast<Acc>(from_half(read<uint16_t>(p, i))); });
  case Elem::bf16:
    return run([](const void* p, int64_t i) { return static_cast<Acc>(from_bfloat(read<uint16_t>(p, i))); });
  case Elem::i8:
    return plain.template operator()<int8_t>();
  case Elem::u8:
    return plain.template operator()<uint8_t>();
  case Elem::i16:
    return plain.template operator()<int16_t>();
  case Elem::u16:
    return plain.template operator()<uint16_t>();
  case Elem::i32:
    return plain.template operator()<int32_t>();
  case Elem::u32:
    return plain.template operator()<uint32_t>();
  case Elem::i64:
    return plain.template operator()<int64_t>();
  case Elem::u64:
    return plain.template operator()<uint64_t>();
  }
}

template <class Run> void with_acc(Elem acc, Run&& run) {
  switch (acc) {
  case Elem::f32:
    return run.template operator()<float>();
  case Elem::f64:
    return run.template operator()<double>();
  case Elem::i32:
    return run.template operator()<int32_t>();
  case Elem::u32:
    return run.template operator()<uint32_t>();
  case Elem::i64:
    return run.template operator()<int64_t>();
  case Elem::u64:
    return run.template operator()<uint64_t>();
  default:
    CUTAWAY_CHECK(false, "packing: sums of 32 or 64 bits");
  }
}

// One product's panels, [panel][k][columns]; `at(k)` is the source index of (k, column 0).
template <class Acc, class Read, class At>
Acc* pack_panels(const Extent& e, int64_t width, int64_t column_stride, const void* from, Acc* to, const Read& value,
                 const At& at) {
  for (int64_t n0 = 0; n0 < e.cols; n0 += width)
    for (int64_t k = 0; k < e.depth(); ++k, to += width) {
      const int64_t base = at(k) + n0 * column_stride, there = std::min(width, e.cols - n0);
      for (int64_t j = 0; j < there; ++j) to[j] = value(from, base + j * column_stride);
      for (int64_t j = there; j < width; ++j) to[j] = 0;
    }
  return to;
}

} // namespace

void pack_matmul(const MatmulSpec& s, const void* b, void* packed, const Simd& simd) {
  const Extent e = extent_of(s);
  const int64_t width = choose_tile(e, s.tile, simd).vectors * lanes_of(s.acc, simd.bytes);
  with_acc(s.acc, [&]<class Acc>() {
    with_reader<Acc>(s.b.elem, [&](auto value) {
      Acc* to = static_cast<Acc*>(packed);
      for (int64_t z = 0; z < e.z; ++z) {
        int64_t start = s.b.offset, rest = z;
        for (size_t i = s.batch.size(); e.z > 1 && i-- > 0; rest /= s.batch[i])
          start += rest % s.batch[i] * s.b.batch_strides[i];
        to = pack_panels(e, width, s.b.col_stride, b, to, value, [&](int64_t k) { return start + k * s.b.row_stride; });
      }
    });
  });
}

namespace {

// [oc][ic / groups][kernel...] as given, or contiguous, with the kernel's strides widened to rank 3.
struct WeightStrides {
  int64_t output = 0, channel = 0;
  Geometry::Dims tap{0, 0, 0};
};

WeightStrides weight_strides(const ConvSpec& s, const Geometry& g) {
  WeightStrides w;
  if (s.weight_strides.empty()) {
    w.tap = {g.kernel[1] * g.kernel[2], g.kernel[2], 1};
    w.channel = g.taps();
    w.output = g.taps() * g.channels;
    return w;
  }
  CUTAWAY_CHECK(s.weight_strides.size() == g.rank + 2, "convolution: one stride a weight dim");
  w.output = s.weight_strides[0];
  w.channel = s.weight_strides[1];
  for (size_t i = 0; i < g.rank; ++i) w.tap[i + 3 - g.rank] = s.weight_strides[2 + i];
  return w;
}

} // namespace

void pack_conv(const ConvSpec& s, const void* weights, void* packed, const Simd& simd) {
  const Geometry g = geometry_of(s);
  const WeightStrides w = weight_strides(s, g);
  const auto tap_at = [&](int64_t t) {
    return t / (g.kernel[1] * g.kernel[2]) * w.tap[0] + t / g.kernel[2] % g.kernel[1] * w.tap[1] +
           t % g.kernel[2] * w.tap[2];
  };
  const bool depthwise = is_depthwise(g);
  const Extent e = extent_of(s, g);
  const int64_t width = depthwise ? 1 : choose_tile(e, s.tile, simd).vectors * lanes_of(s.acc, simd.bytes);
  with_acc(s.acc, [&]<class Acc>() {
    with_reader<Acc>(s.weights_elem, [&](auto value) {
      Acc* to = static_cast<Acc*>(packed);
      if (depthwise) {
        for (int64_t t = 0; t < g.taps(); ++t)
          for (int64_t c = 0; c < g.groups; ++c) *to++ = value(weights, tap_at(t) + c * w.output);
        return;
      }
      for (int64_t group = 0; group < g.groups; ++group)
        to = pack_panels(e, width, w.output, weights, to, value, [&](int64_t k) {
          return group * g.outputs * w.output + tap_at(k / g.channels) + k % g.channels * w.channel;
        });
    });
  });
}

} // namespace cutaway::codegen
