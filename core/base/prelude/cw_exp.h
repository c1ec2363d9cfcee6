#pragma once
#include "cw_types.h"
// Embedded math library, part 2: exp, expm1, sigmoid, tanh, sinh, cosh. Branch-free, so that loops over them vectorise.
//
// Method: x = k ln2 + r with ln2 in two parts (W. J. Cody and W. Waite, Software Manual for the Elementary Functions,
// 1980), e^r - 1 - r = r^2 Q(r) with Q a minimax fit on |r| <= ln2/2 (Remez, weighted by the relative error of e^r -
// 1). k is rounded by adding 1.5 * 2^(p-1): its low bits then hold k, also in a vector of any width.

//@ pair
// A value as the unrounded sum hi + lo.
typedef struct {
  float hi, lo;
} cw_pair_f32;
typedef struct {
  double hi, lo;
} cw_pair;
//@ exp_core_f32
// e^x 2^d for x in [-104, 89] (NaN passes), |d| <= 1; scaled in two steps, so no early overflow or underflow.
static inline float cw_exp_poly_f32(float a) {
  float q = ((1.99078379e-4f * a + 1.39488198e-3f) * a + 8.33328534e-3f) * a + 0.0416662358f;
  return (q * a + 0.166666672f) * a + 0.5f;
}
static inline cw_pair_f32 cw_exp_pair_f32(float x, cw_i32 d) { // lo: what rounding took from hi
  float t = x * 1.44269504088896341f + 12582912.0f, n = t - 12582912.0f;
  float r = x - n * 0.693359375f, c = n * -2.12194440054690583e-4f, a = r - c;
  float m = 1.0f + r, l = (r - (m - 1.0f)) + (a * a * cw_exp_poly_f32(a) - c), y = m + l;
  cw_u32 e = cw_bits_f32(t) - 0x4b400000u + (cw_u32)(254 + d), h = e >> 1;
  float s = cw_from_bits_f32(h << 23), w = cw_from_bits_f32((e - h) << 23);
  cw_pair_f32 p = {y * s * w, (l - (y - m)) * s * w};
  return p;
}
static inline float cw_exp_core_f32(float x, cw_i32 d) {
  return cw_exp_pair_f32(x, d).hi;
}
//@ exp_core_f64
// e^(x + lo) 2^d for x in [-746, 711] (NaN passes), |lo| <= 2^-40, |d| <= 1.
static inline double cw_exp_poly_f64(double a) {
  double q = 0x1.1ee887ae2cddcp-29 * a + 0x1.af5f689ae72fbp-26;
  q = (q * a + 0x1.27e5369b5bd01p-22) * a + 0x1.71ddf7fe4d0bfp-19;
  q = (q * a + 0x1.a01a017b5da62p-16) * a + 0x1.a01a01b001f7ep-13;
  q = (q * a + 0x1.6c16c16c1f279p-10) * a + 0x1.111111110f673p-7;
  q = (q * a + 0x1.555555555553ep-5) * a + 0x1.5555555555559p-3;
  return q * a + 0.5;
}
static inline cw_pair cw_exp_pair_f64(double x, double lo, cw_i64 d) {
  double t = x * 0x1.71547652b82fep+0 + 6755399441055744.0, n = t - 6755399441055744.0;
  double r = x - n * 0x1.62e42fee00000p-1, c = n * 0x1.a39ef35793c76p-33 - lo, a = r - c;
  double m = 1.0 + r, l = (r - (m - 1.0)) + (a * a * cw_exp_poly_f64(a) - c), y = m + l;
  cw_u64 e = cw_bits_f64(t) - 0x4338000000000000u + (cw_u64)(2046 + d), h = e >> 1;
  double s = cw_from_bits_f64(h << 52), w = cw_from_bits_f64((e - h) << 52);
  cw_pair p = {y * s * w, (l - (y - m)) * s * w};
  return p;
}
static inline double cw_exp_core_f64(double x, double lo, cw_i64 d) {
  return cw_exp_pair_f64(x, lo, d).hi;
}
//@ exp
static inline float cw_exp_f32(float x) {
  x = x > 89.0f ? 89.0f : x;
  return cw_exp_core_f32(x < -104.0f ? -104.0f : x, 0);
}
static inline double cw_exp_f64(double x) {
  x = x > 710.0 ? 710.0 : x;
  return cw_exp_core_f64(x < -746.0 ? -746.0 : x, 0.0, 0);
}
//@ expm1_f32
// e^x - 1 for x in [-18, 89] as a head (half of it, which cannot overflow) and the rounding error of that.
static inline cw_pair_f32 cw_expm1_half_f32(float x) {
  float t = x * 1.44269504088896341f + 12582912.0f, n = t - 12582912.0f;
  float r = x - n * 0.693359375f, c = n * -2.12194440054690583e-4f, a = r - c;
  float q = a * a * cw_exp_poly_f32(a) - c, p = r + q;
  float s = cw_from_bits_f32((cw_bits_f32(t) - 0x4b400000u + 126u) << 23); // 2^(k-1)
  float b = s * p, m = s - 0.5f, y = m + b;
  cw_pair_f32 f = {y, (b - (y - m)) + s * (q - (p - r))};
  return f;
}
static inline float cw_expm1_f32(float x) {
  float v = x > 89.0f ? 89.0f : x;
  cw_pair_f32 y = cw_expm1_half_f32(v < -18.0f ? -18.0f : v);
  return __builtin_fabsf(x) < 1e-10f ? x : 2.0f * y.hi;
}
//@ expm1_f64
static inline cw_pair cw_expm1_half_f64(double x) { // x in [-38, 711]
  double t = x * 0x1.71547652b82fep+0 + 6755399441055744.0, n = t - 6755399441055744.0;
  double r = x - n * 0x1.62e42fee00000p-1, c = n * 0x1.a39ef35793c76p-33, a = r - c;
  double q = a * a * cw_exp_poly_f64(a) - c, p = r + q;
  double s = cw_from_bits_f64((cw_bits_f64(t) - 0x4338000000000000u + 1022u) << 52);
  double b = s * p, m = s - 0.5, y = m + b;
  cw_pair f = {y, (b - (y - m)) + s * (q - (p - r))};
  return f;
}
static inline double cw_expm1_f64(double x) {
  double v = x > 710.0 ? 710.0 : x;
  cw_pair y = cw_expm1_half_f64(v < -38.0 ? -38.0 : v);
  return __builtin_fabs(x) < 1e-20 ? x : 2.0 * y.hi;
}
//@ sigmoid
// 1 / (1 + e^-x), through e = e^-|x|: no overflow, and the left tail keeps its digits into the subnormals. What e and
// d = 1 + e lost is given back to the quotient q without a second division: 1/d is q, or 1 - q on the left.
static inline float cw_sigmoid_f32(float x) {
  float a = -__builtin_fabsf(x);
  cw_pair_f32 e = cw_exp_pair_f32(a < -104.0f ? -104.0f : a, 0);
  float d = 1.0f + e.hi, l = (e.hi - (d - 1.0f)) + e.lo, q = (x < 0.0f ? e.hi : 1.0f) / d;
  return q + ((x < 0.0f ? e.lo : 0.0f) - q * l) * (x < 0.0f ? 1.0f - q : q);
}
static inline double cw_sigmoid_f64(double x) {
  double a = -__builtin_fabs(x);
  cw_pair e = cw_exp_pair_f64(a < -746.0 ? -746.0 : a, 0.0, 0);
  double d = 1.0 + e.hi, l = (e.hi - (d - 1.0)) + e.lo, q = (x < 0.0 ? e.hi : 1.0) / d;
  return q + ((x < 0.0 ? e.lo : 0.0) - q * l) * (x < 0.0 ? 1.0 - q : q);
}
//@ tanh_f32
// -t / (2 + t) with t = e^-2|x| - 1; what t and 2 + t lost is given back, 1 / (2 + t) being (1 + tanh) / 2.
static inline float cw_tanh_f32(float x) {
  float a = __builtin_fabsf(x), v = -2.0f * a;
  cw_pair_f32 h = cw_expm1_half_f32(v < -18.0f ? -18.0f : v);
  float t = 2.0f * h.hi, l = 2.0f * h.lo, d = 2.0f + t, q = -t / d;
  q -= (l + q * ((t - (d - 2.0f)) + l)) * (0.5f + 0.5f * q);
  return a < 1e-10f ? x : __builtin_copysignf(q, x);
}
//@ tanh_f64
static inline double cw_tanh_f64(double x) {
  double a = __builtin_fabs(x), v = -2.0 * a;
  cw_pair h = cw_expm1_half_f64(v < -38.0 ? -38.0 : v);
  double t = 2.0 * h.hi, l = 2.0 * h.lo, d = 2.0 + t, q = -t / d;
  q -= (l + q * ((t - (d - 2.0)) + l)) * (0.5 + 0.5 * q);
  return a < 1e-20 ? x : __builtin_copysign(q, x);
}
//@ sinh
static inline double cw_sinh_f64(double x) {
  double a = __builtin_fabs(x), v = a > 711.0 ? 711.0 : a;
  double t = cw_expm1_f64(v), e = cw_exp_core_f64(v, 0.0, -1);
  double y = a < 1.0 ? 0.5 * (t + t / (t + 1.0)) : e - 0.25 / e;
  return __builtin_copysign(a < 1e-20 ? a : y, x);
}
static inline float cw_sinh_f32(float x) {
  return (float)cw_sinh_f64((double)x);
}
//@ cosh
static inline double cw_cosh_f64(double x) {
  double a = __builtin_fabs(x), v = a > 711.0 ? 711.0 : a;
  double e = cw_exp_core_f64(v, 0.0, -1);
  return e + 0.25 / e;
}
static inline float cw_cosh_f32(float x) {
  return (float)cw_cosh_f64((double)x);
}
