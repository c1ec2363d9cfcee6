#pragma once
#include "cw_types.h"
// Embedded math library, part 7: float16 and bfloat16, held as their bits.
//
// Encoding rounds once, to nearest even, from float32 or float64; overflow gives infinity, a NaN stays one (quiet, with
// the leading bits of its payload). Decoding is exact. Branch-free.

//@ round_to_format
// |x| (finite or not, no NaN) as the bits of a format with m mantissa bits and least normal exponent e; the exponent
// field has no upper end, the caller caps. Integer rounding above 2^e; below, adding 2^(e - m + 52) rounds to the step.
static inline cw_u64 cw_round_to_format(double x, int m, int e) {
  cw_u64 u = cw_bits_f64(x), big = u + (0x7ffffffffffffu >> m) + (u >> (52 - m) & 1);
  double step = cw_from_bits_f64((cw_u64)(e - m + 52 + 1023) << 52);
  cw_u64 small = cw_bits_f64(x + step) - cw_bits_f64(step);
  return u < (cw_u64)(e + 1023) << 52 ? small : (big >> (52 - m)) - ((cw_u64)(e + 1022) << m);
}
//@ f16
static inline float cw_f16_to_f32(cw_u16 h) {
#if defined(__clang__) && defined(__F16C__) && !defined(__cplusplus)
  _Float16 v;
  __builtin_memcpy(&v, &h, 2);
  return (float)v;
#else
  cw_u32 a = h & 0x7fffu, s = (cw_u32)(h & 0x8000u) << 16, n = a << 13;
  float tiny = cw_from_bits_f32(n + 0x38800000u) - 6.103515625e-5f; // 2^-14 + a 2^-24, then 2^-14 taken off
  n = a < 0x400u ? cw_bits_f32(tiny) : a < 0x7c00u ? n + 0x38000000u : n | (a > 0x7c00u ? 0x7fc00000u : 0x7f800000u);
  return cw_from_bits_f32(s | n);
#endif
}
static inline cw_u16 cw_f32_to_f16(float x) {
#if defined(__clang__) && defined(__F16C__) && !defined(__cplusplus)
  _Float16 v = (_Float16)x;
  cw_u16 h;
  __builtin_memcpy(&h, &v, 2);
  return h;
#else
  cw_u32 u = cw_bits_f32(x), a = u & 0x7fffffffu;
  cw_u32 n = (a + 0xfffu + (a >> 13 & 1) - 0x38000000u) >> 13;
  cw_u32 tiny = cw_bits_f32(cw_from_bits_f32(a) + 0.5f) - 0x3f000000u;
  n = a < 0x38800000u ? tiny : a >= 0x47800000u ? 0x7c00u : n;
  n = a > 0x7f800000u ? 0x7e00u | (a >> 13 & 0x3ffu) : n;
  return (cw_u16)(n | (u >> 16 & 0x8000u));
#endif
}
//@ f64_f16
static inline cw_u16 cw_f64_to_f16(double x) {
  cw_u64 u = cw_bits_f64(x), a = u & 0x7fffffffffffffffu, n = cw_round_to_format(cw_from_bits_f64(a), 10, -14);
  n = n > 0x7c00u ? 0x7c00u : n;
  n = x != x ? 0x7e00u | (a >> 42 & 0x3ffu) : n;
  return (cw_u16)(n | (u >> 48 & 0x8000u));
}
static inline double cw_f16_to_f64(cw_u16 h) {
  return (double)cw_f16_to_f32(h);
}
//@ bf16
static inline float cw_bf16_to_f32(cw_u16 h) {
  return cw_from_bits_f32((cw_u32)h << 16);
}
static inline cw_u16 cw_f32_to_bf16(float x) {
  cw_u32 u = cw_bits_f32(x), n = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
  return (cw_u16)(x != x ? u >> 16 | 0x40u : n);
}
//@ f64_bf16
static inline cw_u16 cw_f64_to_bf16(double x) {
  cw_u64 u = cw_bits_f64(x), a = u & 0x7fffffffffffffffu, n = cw_round_to_format(cw_from_bits_f64(a), 7, -126);
  n = n > 0x7f80u ? 0x7f80u : n;
  n = x != x ? 0x7fc0u | (a >> 45 & 0x7fu) : n;
  return (cw_u16)(n | (u >> 48 & 0x8000u));
}
static inline double cw_bf16_to_f64(cw_u16 h) {
  return (double)cw_bf16_to_f32(h);
}
//@ round_half
// To the 16-bit type and back.
static inline float cw_round_f16(float x) {
  return cw_f16_to_f32(cw_f32_to_f16(x));
}
static inline float cw_round_bf16(float x) {
  return cw_bf16_to_f32(cw_f32_to_bf16(x));
}
//@ load_store_half
// Element i of an array of 16-bit floats of any alignment of its own type.
static inline float cw_load_f16(const void* p, long i) {
  cw_u16 h;
  __builtin_memcpy(&h, (const cw_u16*)p + i, 2);
  return cw_f16_to_f32(h);
}
static inline float cw_load_bf16(const void* p, long i) {
  cw_u16 h;
  __builtin_memcpy(&h, (const cw_u16*)p + i, 2);
  return cw_bf16_to_f32(h);
}
static inline void cw_store_f16(void* p, long i, float x) {
  cw_u16 h = cw_f32_to_f16(x);
  __builtin_memcpy((cw_u16*)p + i, &h, 2);
}
static inline void cw_store_bf16(void* p, long i, float x) {
  cw_u16 h = cw_f32_to_bf16(x);
  __builtin_memcpy((cw_u16*)p + i, &h, 2);
}
