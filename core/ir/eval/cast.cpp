#include "ir/eval/dispatch.h"

#include <cmath>

namespace cutaway::eval_impl {
namespace {

// A small float as f32, exactly.
float decode(DType t, uint8_t v) {
  switch (t) {
  case DType::f8e4m3fn: return cw_f8e4m3fn_to_f32(v);
  case DType::f8e4m3fnuz: return cw_f8e4m3fnuz_to_f32(v);
  case DType::f8e5m2: return cw_f8e5m2_to_f32(v);
  case DType::f8e5m2fnuz: return cw_f8e5m2fnuz_to_f32(v);
  case DType::f8e8m0: return cw_f8e8m0_to_f32(v);
  default: return cw_f4e2m1_to_f32(v);
  }
}

// Any element as double (exact but for 64-bit integers) or as int64.
double read_float(const Tensor& t, int64_t i) {
  if (is_float(t.dtype()) && dtype_size(t.dtype()) == 1) return decode(t.dtype(), t.get<uint8_t>(i));
  return t.as_double(i);
}

template <class T> void store_int_from_float(double v, T* out) {
  if constexpr (std::is_same_v<T, int64_t>) *out = cw_f64_to_i64(v);
  else if constexpr (std::is_same_v<T, uint64_t>) *out = cw_f64_to_u64(v);
  else if constexpr (std::is_same_v<T, int32_t>) *out = cw_f64_to_i32(v);
  else if constexpr (std::is_same_v<T, uint32_t>) *out = cw_f64_to_u32(v);
  else if constexpr (std::is_same_v<T, int16_t>) *out = cw_f64_to_i16(v);
  else if constexpr (std::is_same_v<T, uint16_t>) *out = cw_f64_to_u16(v);
  else if constexpr (std::is_same_v<T, int8_t>) *out = cw_f64_to_i8(v);
  else *out = cw_f64_to_u8(v);
}

void to_integers(const Tensor& x, Tensor& out) {
  visit_integer(out.dtype(), [&](auto t) {
    using T = typename decltype(t)::Stored;
    T* o = out.mutable_as<T>();
    const bool real = is_float(x.dtype());
    for (int64_t i = 0; i < out.count(); ++i) {
      if (real) store_int_from_float<T>(read_float(x, i), o + i);
      else o[i] = static_cast<T>(x.as_int(i));
    }
  });
}

// 4- and 2-bit integers: one byte an element; the low bits of the truncated value stay.
void to_nibbles(const Tensor& x, Tensor& out) {
  const int bits = integer_bits(out.dtype());
  const bool is_signed = is_signed_integer(out.dtype());
  for (int64_t i = 0; i < out.count(); ++i) {
    int64_t v = 0;
    if (is_float(x.dtype())) {
      v = cw_f64_to_i64(read_float(x, i));
    } else {
      v = x.as_int(i);
    }
    v &= (1 << bits) - 1;
    if (is_signed && (v >> (bits - 1))) v -= int64_t{1} << bits;
    out.mutable_as<int8_t>()[i] = static_cast<int8_t>(v);
  }
}

// From an integer to float: rounded once.
template <class F> F from_integer(const Tensor& x, int64_t i) {
  return x.dtype() == DType::u64 ? static_cast<F>(x.get<uint64_t>(i)) : static_cast<F>(x.as_int(i));
}

void to_floats(const Tensor& x, Tensor& out) {
  const bool real = is_float(x.dtype());
  if (x.dtype() == DType::f32 && out.dtype() == DType::f16) {
    for (int64_t i = 0; i < out.count(); ++i) out.mutable_as<uint16_t>()[i] = cw_f32_to_f16(data<float>(x)[i]);
    return;
  }
  switch (out.dtype()) {
  case DType::f64:
    for (int64_t i = 0; i < out.count(); ++i) out.mutable_as<double>()[i] = real ? read_float(x, i) : from_integer<double>(x, i);
    break;
  case DType::f32:
    for (int64_t i = 0; i < out.count(); ++i) out.mutable_as<float>()[i] = real ? static_cast<float>(read_float(x, i)) : from_integer<float>(x, i);
    break;
  case DType::f16:
    for (int64_t i = 0; i < out.count(); ++i)
      out.mutable_as<uint16_t>()[i] = real ? cw_f64_to_f16(read_float(x, i)) : cw_f32_to_f16(from_integer<float>(x, i));
    break;
  default:
    for (int64_t i = 0; i < out.count(); ++i)
      out.mutable_as<uint16_t>()[i] = real ? cw_f64_to_bf16(read_float(x, i)) : cw_f32_to_bf16(from_integer<float>(x, i));
  }
}

void to_small_floats(const Tensor& x, Tensor& out, int saturate) {
  uint8_t* o = out.mutable_as<uint8_t>();
  for (int64_t i = 0; i < out.count(); ++i) {
    double v = is_float(x.dtype()) ? read_float(x, i) : from_integer<double>(x, i);
    // Saturating, infinity becomes the greatest value (ONNX Cast, table of float8); e2m1 has no NaN and takes -0 for it.
    if (saturate && std::isinf(v)) v = std::copysign(1e9, v);
    if (out.dtype() == DType::f4e2m1 && v != v) v = -0.0;
    switch (out.dtype()) {
    case DType::f8e4m3fn: o[i] = cw_f64_to_f8e4m3fn(v, saturate); break;
    case DType::f8e4m3fnuz: o[i] = cw_f64_to_f8e4m3fnuz(v, saturate); break;
    case DType::f8e5m2: o[i] = cw_f64_to_f8e5m2(v, saturate); break;
    case DType::f8e5m2fnuz: o[i] = cw_f64_to_f8e5m2fnuz(v, saturate); break;
    default: o[i] = cw_f64_to_f4e2m1(v); break;
    }
  }
}

Tensors bitcast(const Call& c) {
  const DType to = c.attrs.dtype("to");
  if (c.oracle && (is_float(c.in[0].dtype()) || is_float(to))) return unsupported("bitcast", "the oracle has no bits of narrower floats");
  Tensor out(to, c.out_dims());
  std::memcpy(out.mutable_data(), c.in[0].data(), static_cast<size_t>(c.in[0].bytes()));
  return std::vector<Tensor>{out};
}

} // namespace

Tensors cast(const Call& c) {
  if (c.op == Op::bitcast) return bitcast(c);
  const Tensor& x = c.in[0];
  Tensor out = c.make();
  if (x.dtype() == out.dtype()) return std::vector<Tensor>{x};
  const DType to = out.dtype();
  if (to == DType::f8e8m0 || x.dtype() == DType::string) return c.refuse(to);
  if (to == DType::boolean) {
    for (int64_t i = 0; i < out.count(); ++i) out.mutable_as<uint8_t>()[i] = is_float(x.dtype()) ? read_float(x, i) != 0 : x.as_int(i) != 0;
  } else if (is_integer(to)) {
    if (is_computable(to)) to_integers(x, out);
    else to_nibbles(x, out);
  } else if (is_computable(to)) {
    to_floats(x, out);
  } else {
    to_small_floats(x, out, static_cast<int>(c.attrs.i("saturate", 1)));
  }
  return std::vector<Tensor>{out};
}

} // namespace cutaway::eval_impl
