#pragma once
#include "cw_half.h"
// Embedded math library, part 8: float8 (e4m3fn, e4m3fnuz, e5m2, e5m2fnuz), float8e8m0 and float4e2m1.
//
// Semantics are those of the ONNX documents "Float stored in 8 bits" and "Float stored in 4 bits". Encoding rounds once
// to nearest even; `saturate` decides between the largest finite value and NaN or infinity. The *fnuz types have no -0
// and turn infinities into NaN also when saturating. float4e2m1 always saturates and turns NaN into 6 (its sign kept).

//@ f8_core
static inline cw_u32 cw_f8_magnitude(double x, int m, int e, cw_u32 cap) { // least code above the range: cap + 1
  cw_u64 n = cw_round_to_format(__builtin_fabs(x), m, e);
  return n > cap ? cap + 1 : (cw_u32)n;
}
static inline float cw_f8_decode(cw_u32 a, int m, int bias) { // finite magnitudes; subnormals by one exact product
  cw_u32 mask = (1u << m) - 1, ex = a >> m;
  float sub = (float)(cw_i32)a * cw_from_bits_f32((cw_u32)(128 - bias - m) << 23);
  return ex ? cw_from_bits_f32((ex + (cw_u32)(127 - bias)) << 23 | (a & mask) << (23 - m)) : sub;
}
//@ f8e4m3fn
static inline cw_u8 cw_f64_to_f8e4m3fn(double x, int saturate) {
  cw_u32 n = cw_f8_magnitude(x, 3, -6, 0x7e), s = (cw_u32)(cw_bits_f64(x) >> 56) & 0x80u;
  n = x != x ? 0x7fu : n > 0x7eu && saturate ? 0x7eu : n;
  return (cw_u8)(s | n);
}
static inline cw_u8 cw_f32_to_f8e4m3fn(float x, int saturate) {
  return cw_f64_to_f8e4m3fn((double)x, saturate);
}
static inline float cw_f8e4m3fn_to_f32(cw_u8 b) {
  cw_u32 a = b & 0x7fu;
  float y = a == 0x7fu ? __builtin_nanf("") : cw_f8_decode(a, 3, 7);
  return b & 0x80u ? -y : y;
}
//@ f8e4m3fnuz
static inline cw_u8 cw_f64_to_f8e4m3fnuz(double x, int saturate) {
  cw_u32 n = cw_f8_magnitude(x, 3, -7, 0x7f), s = (cw_u32)(cw_bits_f64(x) >> 56) & 0x80u;
  cw_u32 nan = __builtin_fabs(x) < __builtin_inf() ? n > 0x7fu && !saturate : 1u;
  n = n > 0x7fu ? 0x7fu : n;
  return (cw_u8)(nan ? 0x80u : n ? s | n : 0u);
}
static inline cw_u8 cw_f32_to_f8e4m3fnuz(float x, int saturate) {
  return cw_f64_to_f8e4m3fnuz((double)x, saturate);
}
static inline float cw_f8e4m3fnuz_to_f32(cw_u8 b) {
  float y = cw_f8_decode(b & 0x7fu, 3, 8);
  return b == 0x80u ? __builtin_nanf("") : b & 0x80u ? -y : y;
}
//@ f8e5m2
static inline cw_u8 cw_f64_to_f8e5m2(double x, int saturate) {
  cw_u32 n = cw_f8_magnitude(x, 2, -14, 0x7b), s = (cw_u32)(cw_bits_f64(x) >> 56) & 0x80u;
  n = x != x ? 0x7fu : n > 0x7bu && saturate ? 0x7bu : n;
  return (cw_u8)(s | n);
}
static inline cw_u8 cw_f32_to_f8e5m2(float x, int saturate) {
  return cw_f64_to_f8e5m2((double)x, saturate);
}
static inline float cw_f8e5m2_to_f32(cw_u8 b) {
  cw_u32 a = b & 0x7fu;
  float y = a > 0x7cu ? __builtin_nanf("") : a == 0x7cu ? __builtin_inff() : cw_f8_decode(a, 2, 15);
  return b & 0x80u ? -y : y;
}
//@ f8e5m2fnuz
static inline cw_u8 cw_f64_to_f8e5m2fnuz(double x, int saturate) {
  cw_u32 n = cw_f8_magnitude(x, 2, -15, 0x7f), s = (cw_u32)(cw_bits_f64(x) >> 56) & 0x80u;
  cw_u32 nan = __builtin_fabs(x) < __builtin_inf() ? n > 0x7fu && !saturate : 1u;
  n = n > 0x7fu ? 0x7fu : n;
  return (cw_u8)(nan ? 0x80u : n ? s | n : 0u);
}
static inline cw_u8 cw_f32_to_f8e5m2fnuz(float x, int saturate) {
  return cw_f64_to_f8e5m2fnuz((double)x, saturate);
}
static inline float cw_f8e5m2fnuz_to_f32(cw_u8 b) {
  float y = cw_f8_decode(b & 0x7fu, 2, 16);
  return b == 0x80u ? __builtin_nanf("") : b & 0x80u ? -y : y;
}
//@ f4e2m1
static inline cw_u8 cw_f64_to_f4e2m1(double x) { // in the low four bits
  cw_u32 n = cw_f8_magnitude(x, 1, 0, 7), s = (cw_u32)(cw_bits_f64(x) >> 60) & 8u;
  return (cw_u8)(s | (n > 7u || x != x ? 7u : n));
}
static inline cw_u8 cw_f32_to_f4e2m1(float x) {
  return cw_f64_to_f4e2m1((double)x);
}
static inline float cw_f4e2m1_to_f32(cw_u8 b) {
  float y = cw_f8_decode(b & 7u, 1, 1);
  return b & 8u ? -y : y;
}
//@ f8e8m0
// 2^(b - 127); 255 is NaN. Encoding: mode 0 rounds up to a power of two, 1 down, 2 to nearest (a tie goes up); the sign
// is dropped; zero gives the least value; too large or infinite gives 254 if saturating, else NaN.
static inline cw_u8 cw_f64_to_f8e8m0(double x, int saturate, int mode) {
  cw_u64 a = cw_bits_f64(x) & 0x7fffffffffffffffu;
  cw_u64 up = mode == 1 ? 0u : mode == 2 ? 0x8000000000000u : 0xfffffffffffffu, n = (a + up) >> 52;
  cw_u64 v = n < 896u ? 0u : n - 896u;
  v = v > 254u ? (saturate ? 254u : 255u) : v;
  return (cw_u8)(x != x ? 255u : v);
}
static inline cw_u8 cw_f32_to_f8e8m0(float x, int saturate, int mode) {
  return cw_f64_to_f8e8m0((double)x, saturate, mode);
}
static inline float cw_f8e8m0_to_f32(cw_u8 b) {
  return cw_from_bits_f32(b == 255u ? 0x7fc00000u : b ? (cw_u32)b << 23 : 0x00400000u);
}
