#pragma once
#include "cw_exp.h"
// Embedded math library, part 3: log, log1p, pow, asinh, acosh, atanh.
//
// Method: x = 2^k m, m in [sqrt(1/2), sqrt(2)), s = (m-1)/(m+1), log m = 2 atanh s as an odd polynomial in s (Cody and
// Waite, 1980; coefficients are our own Remez fits). pow carries log x as a pair of doubles, products and sums kept
// exact by T. J. Dekker's methods (Numerische Mathematik 18, 1971), so that y log x is known to about 2^-64.

//@ log_f32
static inline float cw_log_f32(float x) {
  float v = x < 1.17549435e-38f ? x * 8388608.0f : x;
  cw_u32 u = cw_bits_f32(v);
  cw_i32 k = (cw_i32)(u - 0x3f3504f3u) >> 23;
  float f = cw_from_bits_f32(u - ((cw_u32)k << 23)) - 1.0f, n = (float)(k - (x < 1.17549435e-38f ? 23 : 0));
  float s = f / (2.0f + f), z = s * s, h = 0.5f * f * f;
  float p = ((0.236216336f * z + 0.285358399f) * z + 0.400003433f) * z + 0.666666687f;
  float y = n * 0.693359375f - ((h - (s * (h + z * p) + n * -2.12194440054690583e-4f)) - f);
  y = x < 0.0f ? __builtin_nanf("") : y;
  y = x == 0.0f ? -__builtin_inff() : y;
  return x < __builtin_inff() ? y : x;
}
//@ log_f64
static inline double cw_log_f64(double x) {
  double v = x < 2.2250738585072014e-308 ? x * 0x1p54 : x;
  cw_u64 u = cw_bits_f64(v);
  cw_i32 k = (cw_i32)(cw_u32)((u - 0x3fe6a09e667f3bcdu + (1024ull << 52)) >> 52 & 0xfff) - 1024;
  double f = cw_from_bits_f64(u - ((cw_u64)(cw_i64)k << 52)) - 1.0;
  double n = (double)(k - (x < 2.2250738585072014e-308 ? 54 : 0));
  double s = f / (2.0 + f), z = s * s, h = 0.5 * f * f;
  double p = 0x1.0fb80c12d28acp-3 * z + 0x1.0f55f38c1fed6p-3;
  p = (p * z + 0x1.3b20d3514c5adp-3) * z + 0x1.745cde75bdb98p-3;
  p = (p * z + 0x1.c71c7253261bap-3) * z + 0x1.2492492436246p-2;
  p = (p * z + 0x1.9999999999d09p-2) * z + 0x1.5555555555555p-1;
  double y = n * 0x1.62e42fee00000p-1 - ((h - (s * (h + z * p) + n * 0x1.a39ef35793c76p-33)) - f);
  y = x < 0.0 ? __builtin_nan("") : y;
  y = x == 0.0 ? -__builtin_inf() : y;
  return x < __builtin_inf() ? y : x;
}
//@ log1p
// u = 1 + x and the rounding error c of that sum: log1p x = log u + c / u.
static inline double cw_log1p_f64(double x) {
  double u = 1.0 + x, c = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
  double y = cw_log_f64(u) + (u > 0.0 && u < __builtin_inf() ? c / u : 0.0);
  return __builtin_fabs(x) < 1e-16 ? x : y;
}
static inline float cw_log1p_f32(float x) {
  return (float)cw_log1p_f64((double)x);
}
//@ asinh
static inline double cw_asinh_f64(double x) {
  double a = __builtin_fabs(x), v = a < 0x1p28 ? a : 0.0, q = v * v;
  double y = a < 0x1p28 ? cw_log1p_f64(v + q / (1.0 + cw_sqrt_f64(q + 1.0))) : cw_log_f64(a) + 0x1.62e42fefa39efp-1;
  return __builtin_copysign(y, x);
}
static inline float cw_asinh_f32(float x) {
  return (float)cw_asinh_f64((double)x);
}
//@ acosh
static inline double cw_acosh_f64(double x) {
  double v = x < 0x1p28 ? x : 1.0, t = v - 1.0;
  double y = x < 0x1p28 ? cw_log1p_f64(t + cw_sqrt_f64(2.0 * t + t * t)) : cw_log_f64(x) + 0x1.62e42fefa39efp-1;
  return x < 1.0 ? __builtin_nan("") : y;
}
static inline float cw_acosh_f32(float x) {
  return (float)cw_acosh_f64((double)x);
}
//@ atanh
static inline double cw_atanh_f64(double x) {
  double a = __builtin_fabs(x), t = a + a;
  double y = 0.5 * cw_log1p_f64(a < 0.5 ? t + t * a / (1.0 - a) : t / (1.0 - a));
  return __builtin_copysign(a < 1e-16 ? a : y, x);
}
static inline float cw_atanh_f32(float x) {
  return (float)cw_atanh_f64((double)x);
}

//@ dekker
static inline cw_pair cw_two_sum(double a, double b) {
  double s = a + b, t = s - a;
  cw_pair r = {s, (a - (s - t)) + (b - t)};
  return r;
}
// |a|, |b| < 2^990. The error of the product is itself a double, so both ways give the same bits.
static inline cw_pair cw_two_prod(double a, double b) {
  double p = a * b;
#if defined(__FMA__)
  cw_pair r = {p, __builtin_fma(a, b, -p)};
#else
  double ca = 134217729.0 * a, cb = 134217729.0 * b;
  double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
  cw_pair r = {p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)};
#endif
  return r;
}
//@ pow_log
// log x of a positive finite x, about 2^-65 relative.
static inline cw_pair cw_log_pair(double x) {
  double v = x < 2.2250738585072014e-308 ? x * 0x1p54 : x;
  cw_u64 u = cw_bits_f64(v);
  cw_i32 k = (cw_i32)(cw_u32)((u - 0x3fe6a09e667f3bcdu + (1024ull << 52)) >> 52 & 0xfff) - 1024;
  double f = cw_from_bits_f64(u - ((cw_u64)(cw_i64)k << 52)) - 1.0;
  double n = (double)(k - (x < 2.2250738585072014e-308 ? 54 : 0));
  double d = 2.0 + f, dl = f - (d - 2.0), s = f / d;
  cw_pair sd = cw_two_prod(s, d), z = cw_two_prod(s, s);
  double sl = (((f - sd.hi) - sd.lo) - s * dl) / d;
  z.lo += 2.0 * s * sl;
  double q = z.hi;
  double t = 0x1.0c1ce35fdf19cp-3 * q + 0x1.0fbf89677fdddp-3;
  t = (t * q + 0x1.3b1c000fa01a5p-3) * q + 0x1.745cfb217a8b9p-3;
  t = (t * q + 0x1.c71c71f86bc09p-3) * q + 0x1.249249247f07cp-2;
  t = (t * q + 0x1.99999999999e0p-2) * q;
  double ah = 0x1.5555555555555p-1 + t, al = (0x1.5555555555555p-1 - ah) + t + 0x1.5555555555555p-55;
  cw_pair b = cw_two_prod(q, ah);
  b.lo += q * al + z.lo * ah;
  cw_pair c = cw_two_prod(s, b.hi), w = cw_two_sum(n * 0x1.62e42fee00000p-1, 2.0 * s), y = cw_two_sum(w.hi, c.hi);
  double lo = w.lo + y.lo + (c.lo + s * b.lo + sl * b.hi + 2.0 * sl + n * 0x1.a39ef35793c76p-33);
  cw_pair r = {y.hi + lo, lo - ((y.hi + lo) - y.hi)};
  return r;
}
//@ pow_special
// The IEEE 754 cases around mag = |x|^y.
static inline double cw_pow_special(double x, double y, double mag) {
  double a = __builtin_fabs(x), h = 0.5 * y;
  double whole = __builtin_trunc(y) == y, odd = whole != 0.0 && __builtin_trunc(h) != h;
  mag = a == 0.0 || a == __builtin_inf() ? ((y > 0.0) == (a != 0.0) ? __builtin_inf() : 0.0) : mag;
  mag = x < 0.0 && a != __builtin_inf() && whole == 0.0 ? __builtin_nan("") : mag;
  mag = odd != 0.0 ? __builtin_copysign(mag, x) : mag;
  mag = x != x || y != y ? x + y : mag;
  mag = y == 2.0 ? x * x : mag;
  return y == 0.0 || x == 1.0 ? 1.0 : mag;
}
//@ pow_f64
static inline double cw_pow_f64(double x, double y) {
  double a = __builtin_fabs(x), v = a > 0.0 && a < __builtin_inf() ? a : 1.0;
  double w = y > 0x1p80 ? 0x1p80 : y;
  w = w < -0x1p80 ? -0x1p80 : w;
  cw_pair l = cw_log_pair(v), p = cw_two_prod(l.hi, w);
  p.lo += l.lo * w;
  double lo = p.hi > 710.0 || p.hi < -746.0 ? 0.0 : p.lo;
  double hi = p.hi > 710.0 ? 710.0 : p.hi;
  return cw_pow_special(x, y, cw_exp_core_f64(hi < -746.0 ? -746.0 : hi, lo, 0));
}
//@ pow_f32
static inline float cw_pow_f32(float x, float y) {
  double a = __builtin_fabs((double)x), v = a > 0.0 && a < __builtin_inf() ? a : 1.0;
  double w = y > 1e30f ? 1e30 : (double)y; // keeps log 1 * inf from being NaN
  return (float)cw_pow_special((double)x, (double)y, cw_exp_f64(cw_log_f64(v) * (w < -1e30 ? -1e30 : w)));
}
