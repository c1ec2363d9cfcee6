#pragma once
// Embedded math library, part 1: types, bit casts, and the operations that are one exactly rounded instruction.
//
// The same text is compiled into the program as C++20 and prepended to generated C kernels (gnu11, no includes; see
// prelude.h). Contract of all its parts: with -ffp-contract=off and without -ffast-math both give the same bits for the
// same input, any NaN being equal to any NaN. No library call, no mutable state; rounding mode nearest-even; no
// flushing of subnormals. A line `//@ name` starts a section, the unit that prelude_for() includes or leaves out.

//@ types
typedef __INT8_TYPE__ cw_i8;
typedef __INT16_TYPE__ cw_i16;
typedef __INT32_TYPE__ cw_i32;
typedef __INT64_TYPE__ cw_i64;
typedef __UINT8_TYPE__ cw_u8;
typedef __UINT16_TYPE__ cw_u16;
typedef __UINT32_TYPE__ cw_u32;
typedef __UINT64_TYPE__ cw_u64;

//@ bits
static inline cw_u32 cw_bits_f32(float x) {
  cw_u32 u;
  __builtin_memcpy(&u, &x, 4);
  return u;
}
static inline cw_u64 cw_bits_f64(double x) {
  cw_u64 u;
  __builtin_memcpy(&u, &x, 8);
  return u;
}
static inline float cw_from_bits_f32(cw_u32 u) {
  float x;
  __builtin_memcpy(&x, &u, 4);
  return x;
}
static inline double cw_from_bits_f64(cw_u64 u) {
  double x;
  __builtin_memcpy(&x, &u, 8);
  return x;
}

//@ abs
static inline float cw_abs_f32(float x) {
  return __builtin_fabsf(x);
}
static inline double cw_abs_f64(double x) {
  return __builtin_fabs(x);
}

//@ copysign
static inline float cw_copysign_f32(float x, float s) {
  return __builtin_copysignf(x, s);
}
static inline double cw_copysign_f64(double x, double s) {
  return __builtin_copysign(x, s);
}

//@ round
static inline float cw_floor_f32(float x) {
  return __builtin_floorf(x);
}
static inline double cw_floor_f64(double x) {
  return __builtin_floor(x);
}
static inline float cw_ceil_f32(float x) {
  return __builtin_ceilf(x);
}
static inline double cw_ceil_f64(double x) {
  return __builtin_ceil(x);
}
static inline float cw_trunc_f32(float x) {
  return __builtin_truncf(x);
}
static inline double cw_trunc_f64(double x) {
  return __builtin_trunc(x);
}
static inline float cw_round_even_f32(float x) {
  return __builtin_rintf(x);
}
static inline double cw_round_even_f64(double x) {
  return __builtin_rint(x);
}

//@ sqrt
#if defined(__clang__) // the instruction, whatever -fmath-errno says
static inline float cw_sqrt_f32(float x) {
  return __builtin_elementwise_sqrt(x);
}
static inline double cw_sqrt_f64(double x) {
  return __builtin_elementwise_sqrt(x);
}
#else
static inline float cw_sqrt_f32(float x) {
  return __builtin_sqrtf(x);
}
static inline double cw_sqrt_f64(double x) {
  return __builtin_sqrt(x);
}
#endif

//@ rsqrt
// A correctly rounded root, then a correctly rounded division (at most 1 ulp together); rsqrt(-0) = -inf.
static inline float cw_rsqrt_f32(float x) {
  return 1.0f / cw_sqrt_f32(x);
}
static inline double cw_rsqrt_f64(double x) {
  return 1.0 / cw_sqrt_f64(x);
}

//@ recip
static inline float cw_recip_f32(float x) {
  return 1.0f / x;
}
static inline double cw_recip_f64(double x) {
  return 1.0 / x;
}

//@ fma
static inline float cw_fma_f32(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
static inline double cw_fma_f64(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

//@ sign
// 1 or -1; zeros and NaN are returned as they are.
static inline float cw_sign_f32(float x) {
  return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x;
}
static inline double cw_sign_f64(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}

//@ minmax
// A NaN operand gives NaN; -0 is less than +0.
static inline float cw_max_f32(float a, float b) {
  float r = a > b ? a : b;
  r = a == b ? cw_from_bits_f32(cw_bits_f32(a) & cw_bits_f32(b)) : r;
  return a != a ? a : r;
}
static inline float cw_min_f32(float a, float b) {
  float r = a < b ? a : b;
  r = a == b ? cw_from_bits_f32(cw_bits_f32(a) | cw_bits_f32(b)) : r;
  return a != a ? a : r;
}
static inline double cw_max_f64(double a, double b) {
  double r = a > b ? a : b;
  r = a == b ? cw_from_bits_f64(cw_bits_f64(a) & cw_bits_f64(b)) : r;
  return a != a ? a : r;
}
static inline double cw_min_f64(double a, double b) {
  double r = a < b ? a : b;
  r = a == b ? cw_from_bits_f64(cw_bits_f64(a) | cw_bits_f64(b)) : r;
  return a != a ? a : r;
}

//@ select
static inline float cw_select_f32(int c, float a, float b) {
  return c ? a : b;
}
static inline double cw_select_f64(int c, double a, double b) {
  return c ? a : b;
}

//@ fmod_f64
// C's fmod, exact: the sign is the dividend's; x mod 0, inf mod y and NaN give NaN; x mod inf = x.
static inline double cw_fmod_f64(double x, double y) {
  cw_u64 a = cw_bits_f64(x) & 0x7fffffffffffffffu, b = cw_bits_f64(y) & 0x7fffffffffffffffu, s = cw_bits_f64(x) ^ a;
  if (a >= 0x7ff0000000000000u || b > 0x7ff0000000000000u || b == 0) return (x * y) / (x * y);
  if (a < b) return x;
  cw_i64 ea = (cw_i64)(a >> 52), eb = (cw_i64)(b >> 52);
  cw_u64 ma = (a & 0xfffffffffffffu) | (ea ? 0x10000000000000u : 0),
         mb = (b & 0xfffffffffffffu) | (eb ? 0x10000000000000u : 0);
  ea += !ea, eb += !eb;
  ma %= mb;
  for (cw_i64 d = ea - eb; d > 0 && ma; d -= 11) ma = (ma << (d < 11 ? d : 11)) % mb;
  if (!ma) return cw_from_bits_f64(s);
  int up = __builtin_clzll(ma) - 11;
  if (up > eb - 1) up = (int)(eb - 1);
  ma <<= up, eb -= up;
  return cw_from_bits_f64(s | (ma >= 0x10000000000000u ? (ma - 0x10000000000000u) | ((cw_u64)eb << 52) : ma));
}
//@ fmod_f32
static inline float cw_fmod_f32(float x, float y) {
  return (float)cw_fmod_f64((double)x, (double)y);
}

//@ mod
// Floor modulus as Python's %: the sign is the divisor's, also of a zero result.
static inline float cw_mod_f32(float x, float y) {
  float r = cw_fmod_f32(x, y);
  return r == 0.0f ? __builtin_copysignf(0.0f, y) : (r < 0.0f) != (y < 0.0f) ? r + y : r;
}
static inline double cw_mod_f64(double x, double y) {
  double r = cw_fmod_f64(x, y);
  return r == 0.0 ? __builtin_copysign(0.0, y) : (r < 0.0) != (y < 0.0) ? r + y : r;
}
