#pragma once
#include "cw_log.h"
// Embedded math library, part 5: sin, cos, tan, asin, acos, atan.
//
// float64: below 2^20 multiples of pi/2 in four parts (33, 33, 33 and 53 bits: Cody and Waite, 1980) are taken off,
// above it the bits of 2/pi that matter are multiplied in integers (M. Payne and R. Hanek, SIGNUM Newsletter 18, 1983);
// the remainder is a pair of doubles. float32: 2/pi in seven parts of 29 bits, each product with x exact in double, and
// only its residue modulo four turns of pi/2 kept: right for every float, without branch or table. One rounding.

//@ mul_high
// The upper half of a 128-bit product.
static inline cw_u64 cw_mul_high(cw_u64 a, cw_u64 b) {
  cw_u64 al = (cw_u32)a, ah = a >> 32, bl = (cw_u32)b, bh = b >> 32;
  cw_u64 m = ah * bl + (al * bl >> 32), n = al * bh + (cw_u32)m;
  return ah * bh + (m >> 32) + (n >> 32);
}
//@ trig_reduce_big
typedef struct {
  double hi, lo;
  cw_u32 n;
} cw_angle;
static inline cw_u64 cw_two_over_pi(cw_u32 i) { // 64-bit words of (2/pi) 2^-64
  static const cw_u64 words[21] = {0x0u,
                                   0xa2f9836e4e441529u,
                                   0xfc2757d1f534ddc0u,
                                   0xdb6295993c439041u,
                                   0xfe5163abdebbc561u,
                                   0xb7246e3a424dd2e0u,
                                   0x06492eea09d1921cu,
                                   0xfe1deb1cb129a73eu,
                                   0xe88235f52ebb4484u,
                                   0xe99c7026b45f7e41u,
                                   0x3991d639835339f4u,
                                   0x9c845f8bbdf9283bu,
                                   0x1ff897ffde05980fu,
                                   0xef2f118b5a0a6d1fu,
                                   0x6d367ecf27cb09b7u,
                                   0x4f463f669e5fea2du,
                                   0x7527bac7ebe5f17bu,
                                   0x3d0739f78a5292eau,
                                   0x6bfb5fb11f8d5d08u,
                                   0x56033046fc7b6babu,
                                   0xf0cfbc209af4361du};
  return words[i];
}
static inline cw_angle cw_reduce_big(double x) { // |x| >= 2^20
  cw_u64 u = cw_bits_f64(x), m = (u & 0xfffffffffffffu) | 0x10000000000000u, w[3];
  cw_u32 s = (cw_u32)(u >> 52 & 0x7ff) - 1075u + 62u;
  for (cw_u32 i = 0; i < 3; ++i)
    w[i] = cw_two_over_pi((s >> 6) + i) << (s & 63) | cw_two_over_pi((s >> 6) + i + 1) >> 1 >> (63 - (s & 63));
  cw_u64 carried = cw_mul_high(m, w[2]), p2 = m * w[2], p1 = m * w[1] + carried;
  cw_u64 p0 = m * w[0] + cw_mul_high(m, w[1]) + (p1 < carried);
  cw_u64 f0 = p0 << 2 | p1 >> 62, f1 = p1 << 2 | p2 >> 62,
         neg = 0 - (f0 >> 63); // a fraction of at least 1/2 is negative
  cw_u32 n = (cw_u32)(p0 >> 62) + (cw_u32)(neg & 1);
  f0 ^= neg, f1 ^= neg;
  cw_pair a = cw_two_sum((double)(cw_u32)(f0 >> 32) * 0x1p-32, (double)(cw_u32)f0 * 0x1p-64);
  cw_pair b = cw_two_sum(a.hi, (double)(cw_u32)(f1 >> 32) * 0x1p-96 + (double)(cw_u32)f1 * 0x1p-128);
  cw_pair p = cw_two_prod(b.hi, 0x1.921fb54442d18p+0);
  p.lo += b.hi * 0x1.1a62633145c07p-54 + (a.lo + b.lo) * 0x1.921fb54442d18p+0;
  double sign = (neg != 0) != (x < 0.0) ? -1.0 : 1.0;
  cw_angle r = {sign * p.hi + (x - x), sign * p.lo, x < 0.0 ? 0u - n : n};
  return r;
}
//@ trig_reduce
static inline cw_angle cw_reduce(double x) {
  if (!(__builtin_fabs(x) < 0x1p20)) return cw_reduce_big(x);
  double t = x * 0x1.45f306dc9c883p-1 + 6755399441055744.0, n = t - 6755399441055744.0;
  double a = x - n * 0x1.921fb54400000p+0, w = n * 0x1.0b4611a600000p-34, b = a - w, u = b - a;
  double e = (a - (b - u)) - (w + u);
  double v = n * 0x1.3198a2e000000p-69, c = b - v, q = c - b;
  e = (e + ((b - (c - q)) - (v + q))) - n * 0x1.b839a252049c1p-104;
  cw_angle r = {c + e, (c - (c + e)) + e, (cw_u32)cw_bits_f64(t)};
  return r;
}
//@ trig_reduce_f32
static inline double cw_turns(double x, double part) {
  double p = x * part;
  return p - 4.0 * __builtin_rint(0.25 * p);
}
static inline cw_angle cw_reduce_f32(float f) {
  double x = (double)f, a = cw_turns(x, 0x1.45f306dp-1), b = cw_turns(x, 0x1.9391054p-30),
         c = cw_turns(x, 0x1.4fe13abp-59);
  double d = cw_turns(x, 0x1.d1f534dp-88), e = cw_turns(x, 0x1.b81b6c5p-117), g = cw_turns(x, 0x1.5993c4p-148);
  double h = cw_turns(x, 0x1.c820ff2p-175);
  double t = a + b + c + d + e + g + h + 6755399441055744.0, n = t - 6755399441055744.0;
  cw_angle r = {(a - n + b + c + d + e + g + h) * 0x1.921fb54442d18p+0, 0.0, (cw_u32)cw_bits_f64(t)};
  return r;
}
//@ trig_poly
static inline double cw_sin_poly(double r, double lo) {
  double z = r * r;
  double p = (0x1.5d83c3b8e126fp-33 * z - 0x1.ae5e3ff8610c8p-26) * z + 0x1.71de35605ae3ep-19;
  p = ((p * z - 0x1.a01a019c209cep-13) * z + 0x1.111111110fadfp-7) * z - 0x1.555555555554cp-3;
  return r + (r * z * p + lo * (1.0 - 0.5 * z));
}
static inline double cw_cos_poly(double r, double lo) {
  double z = r * r, h = 0.5 * z, w = 1.0 - h;
  double p = (-0x1.8ff62c3ff96bcp-37 * z + 0x1.1eea832c99b28p-29) * z - 0x1.27e4f8fc7e906p-22;
  p = ((p * z + 0x1.a01a019e1ce08p-16) * z - 0x1.6c16c16c160fbp-10) * z + 0x1.5555555555553p-5;
  return w + (((1.0 - w) - h) + (z * z * p - r * lo));
}
//@ trig_poly_f32
// To 2^-36, the shorter fits that float32 needs.
static inline double cw_sin_poly_f32(double r) {
  double z = r * r, p = 0x1.6cb22bb0229a8p-19 * z - 0x1.a00f2367632e2p-13;
  return r + r * z * ((p * z + 0x1.1111085d40e86p-7) * z - 0x1.5555554d7f2e1p-3);
}
static inline double cw_cos_poly_f32(double r) {
  double z = r * r, p = -0x1.247173b1e8e5bp-22 * z + 0x1.a012c08517b75p-16;
  return 1.0 - 0.5 * z + z * z * ((p * z - 0x1.6c16bb9cd9334p-10) * z + 0x1.55555552b7aa8p-5);
}
//@ sin_f64
static inline double cw_sin_f64(double x) {
  cw_angle a = cw_reduce(x);
  double s = cw_sin_poly(a.hi, a.lo), c = cw_cos_poly(a.hi, a.lo), y = a.n & 1 ? c : s;
  return x == 0.0 ? x : a.n & 2 ? -y : y;
}
//@ sin_f32
static inline float cw_sin_f32(float x) {
  cw_angle a = cw_reduce_f32(x);
  double s = cw_sin_poly_f32(a.hi), c = cw_cos_poly_f32(a.hi), y = a.n & 1 ? c : s;
  return x == 0.0f ? x : (float)(a.n & 2 ? -y : y);
}
//@ cos_f64
static inline double cw_cos_f64(double x) {
  cw_angle a = cw_reduce(x);
  double s = cw_sin_poly(a.hi, a.lo), c = cw_cos_poly(a.hi, a.lo), y = a.n & 1 ? s : c;
  return (a.n + 1) & 2 ? -y : y;
}
//@ cos_f32
static inline float cw_cos_f32(float x) {
  cw_angle a = cw_reduce_f32(x);
  double s = cw_sin_poly_f32(a.hi), c = cw_cos_poly_f32(a.hi), y = a.n & 1 ? s : c;
  return (float)((a.n + 1) & 2 ? -y : y);
}
//@ tan_f64
static inline double cw_tan_f64(double x) {
  cw_angle a = cw_reduce(x);
  double s = cw_sin_poly(a.hi, a.lo), c = cw_cos_poly(a.hi, a.lo), y = (a.n & 1 ? -c : s) / (a.n & 1 ? s : c);
  return x == 0.0 ? x : y;
}
//@ tan_f32
static inline float cw_tan_f32(float x) {
  cw_angle a = cw_reduce_f32(x);
  double s = cw_sin_poly_f32(a.hi), c = cw_cos_poly_f32(a.hi), y = (a.n & 1 ? -c : s) / (a.n & 1 ? s : c);
  return x == 0.0f ? x : (float)y;
}
//@ atan
static inline double cw_atan_f64(double x) {
  double a = __builtin_fabs(x);
  int far = a > 0x1.3504f333f9de6p+1, mid = a > 0x1.a827999fcef32p-2;
  double t = (far ? -1.0 : mid ? a - 1.0 : a) / (far ? a : mid ? a + 1.0 : 1.0), z = t * t;
  double p = 0x1.ef026ab08f915p-7 * z - 0x1.11a81fab8e712p-5;
  p = (p * z + 0x1.70c3e5bc83504p-5) * z - 0x1.ab7963c40ae8bp-5;
  p = (p * z + 0x1.e172830caf75dp-5) * z - 0x1.110c8bf8f87bbp-4;
  p = (p * z + 0x1.3b13716e6ac0cp-4) * z - 0x1.745d14f46cfd2p-4;
  p = (p * z + 0x1.c71c71b9ae67fp-4) * z - 0x1.249249247c566p-3;
  p = (p * z + 0x1.9999999999781p-3) * z - 0x1.5555555555555p-2;
  double hi = far ? 0x1.921fb54442d18p+0 : mid ? 0x1.921fb54442d18p-1 : 0.0;
  double lo = far ? 0x1.1a62633145c07p-54 : mid ? 0x1.1a62633145c07p-55 : 0.0;
  return __builtin_copysign(hi + (t + (t * z * p + lo)), x);
}
static inline float cw_atan_f32(float x) {
  return (float)cw_atan_f64((double)x);
}
//@ asin_core
// (asin s - s) / s as a function of z = s^2 <= 1/4.
static inline double cw_asin_poly(double z) {
  double p = 0x1.0d0d3a5eeecf0p-5 * z - 0x1.5ba433738ef3dp-6;
  p = (p * z + 0x1.6499ed7d8ea48p-6) * z + 0x1.e88617cfe2019p-9;
  p = (p * z + 0x1.60a2fe63b8e0ep-7) * z + 0x1.75b6ebd81bd42p-7;
  p = (p * z + 0x1.ca16809743825p-7) * z + 0x1.1c4a7529fa21ap-6;
  p = (p * z + 0x1.6e8bd537e2e25p-6) * z + 0x1.f1c71b03d8c37p-6;
  p = (p * z + 0x1.6db6db70a51b0p-5) * z + 0x1.333333333065fp-4;
  return (p * z + 0x1.5555555555562p-3) * z;
}
//@ asin
// Beyond 1/2: asin x = pi/2 - 2 asin sqrt((1-x)/2), the root as a head f and a tail c.
static inline double cw_asin_f64(double x) {
  double a = __builtin_fabs(x), z = a > 0.5 ? 0.5 * (1.0 - a) : a * a, p = cw_asin_poly(z), s = cw_sqrt_f64(z);
  double f = cw_from_bits_f64(cw_bits_f64(s) & 0xffffffff00000000u), c = (z - f * f) / (s + f + 1e-300);
  double far =
      0x1.921fb54442d18p-1 - ((2.0 * s * p - (0x1.1a62633145c07p-54 - 2.0 * c)) - (0x1.921fb54442d18p-1 - 2.0 * f));
  return __builtin_copysign(a > 0.5 ? far : a + a * p, x);
}
static inline float cw_asin_f32(float x) {
  return (float)cw_asin_f64((double)x);
}
//@ acos
static inline double cw_acos_f64(double x) {
  double a = __builtin_fabs(x), z = a > 0.5 ? 0.5 * (1.0 - a) : a * a, p = cw_asin_poly(z), s = cw_sqrt_f64(z);
  double f = cw_from_bits_f64(cw_bits_f64(s) & 0xffffffff00000000u), c = (z - f * f) / (s + f + 1e-300);
  double right = 2.0 * (f + (s * p + c)), left = 2.0 * (0x1.921fb54442d18p+0 - (s + (s * p - 0x1.1a62633145c07p-54)));
  double mid = 0x1.921fb54442d18p+0 - (x - (0x1.1a62633145c07p-54 - x * p));
  return a > 0.5 ? (x > 0.0 ? right : left) : mid;
}
static inline float cw_acos_f32(float x) {
  return (float)cw_acos_f64((double)x);
}
