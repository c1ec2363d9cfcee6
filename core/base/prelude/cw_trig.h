#pragma once
#include "cw_types.h"
// Embedded math library, part 5: sin, cos, tan, asin, acos, atan.
//
// Reduction of x by multiples of pi/2 held in four parts of 33, 33, 33 and 53 bits (Cody and Waite, 1980), the remainder
// kept as a pair of doubles. The float32 functions compute in double and round once.

//@ trig_core
typedef struct { double hi, lo; cw_u32 n; } cw_angle;
static inline cw_angle cw_reduce(double x) {
  double t = x * 0x1.45f306dc9c883p-1 + 6755399441055744.0, n = t - 6755399441055744.0;
  double a = x - n * 0x1.921fb54400000p+0, w = n * 0x1.0b4611a600000p-34, b = a - w, u = b - a;
  double e = (a - (b - u)) - (w + u);
  double v = n * 0x1.3198a2e000000p-69, c = b - v, q = c - b;
  e = (e + ((b - (c - q)) - (v + q))) - n * 0x1.b839a252049c1p-104;
  cw_angle r = {c + e, (c - (c + e)) + e, (cw_u32)cw_bits_f64(t)};
  return r;
}
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
//@ sin
static inline double cw_sin_f64(double x) {
  cw_angle a = cw_reduce(x);
  double s = cw_sin_poly(a.hi, a.lo), c = cw_cos_poly(a.hi, a.lo), y = a.n & 1 ? c : s;
  return x == 0.0 ? x : a.n & 2 ? -y : y;
}
static inline float cw_sin_f32(float x) { return (float)cw_sin_f64((double)x); }
//@ cos
static inline double cw_cos_f64(double x) {
  cw_angle a = cw_reduce(x);
  double s = cw_sin_poly(a.hi, a.lo), c = cw_cos_poly(a.hi, a.lo), y = a.n & 1 ? s : c;
  return (a.n + 1) & 2 ? -y : y;
}
static inline float cw_cos_f32(float x) { return (float)cw_cos_f64((double)x); }
//@ tan
static inline double cw_tan_f64(double x) {
  cw_angle a = cw_reduce(x);
  double s = cw_sin_poly(a.hi, a.lo), c = cw_cos_poly(a.hi, a.lo), y = (a.n & 1 ? -c : s) / (a.n & 1 ? s : c);
  return x == 0.0 ? x : y;
}
static inline float cw_tan_f32(float x) { return (float)cw_tan_f64((double)x); }
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
static inline float cw_atan_f32(float x) { return (float)cw_atan_f64((double)x); }
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
  double a = __builtin_fabs(x), z = a > 0.5 ? 0.5 * (1.0 - a) : a * a, p = cw_asin_poly(z), s = __builtin_sqrt(z);
  double f = cw_from_bits_f64(cw_bits_f64(s) & 0xffffffff00000000u), c = (z - f * f) / (s + f + 1e-300);
  double far = 0x1.921fb54442d18p-1 - ((2.0 * s * p - (0x1.1a62633145c07p-54 - 2.0 * c)) - (0x1.921fb54442d18p-1 - 2.0 * f));
  return __builtin_copysign(a > 0.5 ? far : a + a * p, x);
}
static inline float cw_asin_f32(float x) { return (float)cw_asin_f64((double)x); }
//@ acos
static inline double cw_acos_f64(double x) {
  double a = __builtin_fabs(x), z = a > 0.5 ? 0.5 * (1.0 - a) : a * a, p = cw_asin_poly(z), s = __builtin_sqrt(z);
  double f = cw_from_bits_f64(cw_bits_f64(s) & 0xffffffff00000000u), c = (z - f * f) / (s + f + 1e-300);
  double right = 2.0 * (f + (s * p + c)), left = 2.0 * (0x1.921fb54442d18p+0 - (s + (s * p - 0x1.1a62633145c07p-54)));
  double mid = 0x1.921fb54442d18p+0 - (x - (0x1.1a62633145c07p-54 - x * p));
  return a > 0.5 ? (x > 0.0 ? right : left) : mid;
}
static inline float cw_acos_f32(float x) { return (float)cw_acos_f64((double)x); }
