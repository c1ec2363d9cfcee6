#pragma once
#include "cw_types.h"
// Embedded math library, part 6: total integer operations, cw_<op>_<i8..i64, u8..u64>.
//
//   add sub mul neg abs   wrap (abs of the least value is itself)
//   div                   truncates; x/0 = 0; MIN/-1 = MIN
//   mod                   floor modulus, sign of the divisor (Python's %); x mod 0 = 0
//   fmod                  C's %, sign of the dividend; x fmod 0 = 0
//   shl shr               a count outside [0, width) shifts all out; shr is arithmetic on signed types (then 0 or -1)
//   pow                   wraps; negative exponent: 1 gives 1, -1 gives 1 or -1, all else 0
//   sign min max          as named
//   cw_<f32|f64>_to_<T>   truncates toward zero; NaN gives 0; out of range saturates to the type's least or greatest
//
// X-macros stand in for templates here, because the text is also C.

//@ ints defines: CW_INTS
#define CW_INTS(F)                                                                                                     \
  F(i8, u8, cw_u32, 8)                                                                                                 \
  F(i16, u16, cw_u32, 16)                                                                                              \
  F(i32, u32, cw_u32, 32)                                                                                              \
  F(i64, u64, cw_u64, 64) F(u8, u8, cw_u32, 8) F(u16, u16, cw_u32, 16) F(u32, u32, cw_u32, 32) F(u64, u64, cw_u64, 64)

//@ int_wrap defines: cw_add_* cw_sub_* cw_mul_* cw_neg_* cw_abs_*
#define CW_F(T, U, W, B)                                                                                               \
  static inline cw_##T cw_add_##T(cw_##T a, cw_##T b) {                                                                \
    return (cw_##T)((W)a + (W)b);                                                                                      \
  }                                                                                                                    \
  static inline cw_##T cw_sub_##T(cw_##T a, cw_##T b) {                                                                \
    return (cw_##T)((W)a - (W)b);                                                                                      \
  }                                                                                                                    \
  static inline cw_##T cw_mul_##T(cw_##T a, cw_##T b) {                                                                \
    return (cw_##T)((W)a * (W)b);                                                                                      \
  }                                                                                                                    \
  static inline cw_##T cw_neg_##T(cw_##T a) {                                                                          \
    return (cw_##T)(0u - (W)a);                                                                                        \
  }                                                                                                                    \
  static inline cw_##T cw_abs_##T(cw_##T a) {                                                                          \
    return a < 1 ? (cw_##T)(0u - (W)a) : a;                                                                            \
  }
CW_INTS(CW_F)
#undef CW_F

//@ int_order defines: cw_min_* cw_max_* cw_sign_*
#define CW_F(T, U, W, B)                                                                                               \
  static inline cw_##T cw_min_##T(cw_##T a, cw_##T b) {                                                                \
    return a < b ? a : b;                                                                                              \
  }                                                                                                                    \
  static inline cw_##T cw_max_##T(cw_##T a, cw_##T b) {                                                                \
    return a > b ? a : b;                                                                                              \
  }                                                                                                                    \
  static inline cw_##T cw_sign_##T(cw_##T a) {                                                                         \
    return (cw_##T)((a > 0) - (a < (cw_##T)1 && a != 0));                                                              \
  }
CW_INTS(CW_F)
#undef CW_F

//@ int_div defines: cw_div_* cw_fmod_* cw_mod_*
// A division by -1 is a negation, so that MIN / -1 never reaches the instruction.
#define CW_F(T, U, W, B)                                                                                               \
  static inline cw_##T cw_div_##T(cw_##T a, cw_##T b) {                                                                \
    cw_##T m = (cw_##T)(~(W)0), d = b == 0 || (m < 1 && b == m) ? (cw_##T)1 : b, q = (cw_##T)(a / d);                  \
    return b == 0 ? (cw_##T)0 : d == b ? q : (cw_##T)(0u - (W)a);                                                      \
  }                                                                                                                    \
  static inline cw_##T cw_fmod_##T(cw_##T a, cw_##T b) {                                                               \
    cw_##T m = (cw_##T)(~(W)0), d = b == 0 || (m < 1 && b == m) ? (cw_##T)1 : b;                                       \
    return (cw_##T)(a % d);                                                                                            \
  }                                                                                                                    \
  static inline cw_##T cw_mod_##T(cw_##T a, cw_##T b) {                                                                \
    cw_##T r = cw_fmod_##T(a, b);                                                                                      \
    return r != 0 && (r < 1) != (b < 1) ? (cw_##T)(r + b) : r;                                                         \
  }
CW_INTS(CW_F)
#undef CW_F

//@ int_shift defines: cw_shl_* cw_shr_*
#define CW_F(T, U, W, B)                                                                                               \
  static inline cw_##T cw_shl_##T(cw_##T a, cw_##T n) {                                                                \
    return (cw_##U)n < B ? (cw_##T)((W)a << ((cw_##U)n & (B - 1))) : (cw_##T)0;                                        \
  }                                                                                                                    \
  static inline cw_##T cw_shr_##T(cw_##T a, cw_##T n) {                                                                \
    return (cw_##U)n < B ? (cw_##T)(a >> ((cw_##U)n & (B - 1))) : (cw_##T)(a < 1 && a != 0 ? -1 : 0);                  \
  }
CW_INTS(CW_F)
#undef CW_F

//@ int_pow defines: cw_pow_*
#define CW_F(T, U, W, B)                                                                                               \
  static inline cw_##T cw_pow_##T(cw_##T a, cw_##T n) {                                                                \
    W r = 1, p = (W)a;                                                                                                 \
    if (n < 1 && n != 0) return a == 1 ? (cw_##T)1 : a == (cw_##T)(~(W)0) ? (n & 1 ? a : (cw_##T)1) : (cw_##T)0;       \
    for (cw_##U e = (cw_##U)n; e; e = (cw_##U)(e >> 1), p *= p) r = e & 1 ? r * p : r;                                 \
    return (cw_##T)r;                                                                                                  \
  }
CW_INTS(CW_F)
#undef CW_F

//@ float_to_int defines: cw_f32_to_* cw_f64_to_*
// L is a bound that the type and the float type hold exactly; at or beyond H the value saturates.
#define CW_F(S, P, T, L, H, LEAST, MOST)                                                                               \
  static inline cw_##T cw_##S##_to_##T(P x) {                                                                          \
    return x != x ? (cw_##T)0 : x >= H ? (cw_##T)MOST : x <= L ? (cw_##T)LEAST : (cw_##T)x;                            \
  }
#define CW_S(S, P)                                                                                                     \
  CW_F(S, P, i8, (P) - 128, (P)128, -128, 127)                                                                         \
  CW_F(S, P, i16, (P) - 32768, (P)32768, -32768, 32767)                                                                \
  CW_F(S, P, i32, (P) - 2147483648.0, (P)2147483648.0, (-2147483647 - 1), 2147483647)                                  \
  CW_F(S, P, i64, (P) - 0x1p63, (P)0x1p63, (-9223372036854775807 - 1), 9223372036854775807)                            \
  CW_F(S, P, u8, (P)0, (P)256, 0, 255)                                                                                 \
  CW_F(S, P, u16, (P)0, (P)65536, 0, 65535)                                                                            \
  CW_F(S, P, u32, (P)0, (P)4294967296.0, 0, 4294967295u) CW_F(S, P, u64, (P)0, (P)0x1p64, 0, 18446744073709551615u)
CW_S(f32, float)
CW_S(f64, double)
#undef CW_F
#undef CW_S
