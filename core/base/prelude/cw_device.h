#pragma once
// Embedded math library for generated device kernels: sections that stand in for those of the same name in the other
// parts (see device_prelude_for), and helpers that only device kernels have. The text is compiled by NVRTC and, for the
// simulated driver, as members of a C++ class; the dialect's own prelude comes before it (CW_FN, half16, bf16, shuffles).
// Values are those of the parts that it replaces.

//@ types
#if defined(__CUDACC__)
#define __builtin_memcpy memcpy
#define __builtin_fabs fabs
#define __builtin_fabsf fabsf
#define __builtin_copysign copysign
#define __builtin_copysignf copysignf
#define __builtin_floor floor
#define __builtin_floorf floorf
#define __builtin_ceil ceil
#define __builtin_ceilf ceilf
#define __builtin_trunc trunc
#define __builtin_truncf truncf
#define __builtin_rint rint
#define __builtin_rintf rintf
#define __builtin_sqrt __dsqrt_rn
#define __builtin_sqrtf __fsqrt_rn
#define __builtin_fma __fma_rn
#define __builtin_fmaf __fmaf_rn
#define __builtin_clzll __clzll
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_nanf(text) __int_as_float(0x7fc00000)
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000ll)
#endif
typedef signed char cw_i8;
typedef short cw_i16;
typedef int cw_i32;
typedef long cw_i64;
typedef unsigned char cw_u8;
typedef unsigned short cw_u16;
typedef unsigned int cw_u32;
typedef unsigned long cw_u64;

//@ round_half
static inline float cw_round_f16(float x) {
  return to_float(to_half(x));
}
static inline float cw_round_bf16(float x) {
  return to_float(to_bf16(x));
}
//@ load_store_half
static inline float cw_load_f16(const void* p, long i) {
  return to_float(((const half16*)p)[i]);
}
static inline float cw_load_bf16(const void* p, long i) {
  return to_float(((const bf16*)p)[i]);
}
static inline void cw_store_f16(void* p, long i, float x) {
  ((half16*)p)[i] = to_half(x);
}
static inline void cw_store_bf16(void* p, long i, float x) {
  ((bf16*)p)[i] = to_bf16(x);
}
//@ vec defines: cw_vec
// N neighbours that are loaded and stored at once; their address is a multiple of their size.
template <class T, int N> struct alignas(N * sizeof(T)) cw_vec {
  T at[N];
};
//@ lane_words
// The value that the thread whose lane differs by `mask` holds, of all 32 threads of a warp at once.
static inline cw_u32 cw_lane_word(cw_u32 x, int mask) {
  return __shfl_xor_sync(0xffffffffu, x, mask);
}
static inline cw_u64 cw_lane_words(cw_u64 x, int mask) {
  cw_u64 high = cw_lane_word((cw_u32)(x >> 32), mask);
  return high << 32 | cw_lane_word((cw_u32)x, mask);
}
//@ lane_f32
static inline float cw_lane_f32(float x, int mask) {
  return cw_from_bits_f32(cw_lane_word(cw_bits_f32(x), mask));
}
//@ lane_f64
static inline double cw_lane_f64(double x, int mask) {
  return cw_from_bits_f64(cw_lane_words(cw_bits_f64(x), mask));
}
//@ lane_int defines: cw_lane_*
#define CW_F(T, U, W, B)                                                                                               \
  static inline cw_##T cw_lane_##T(cw_##T x, int mask) {                                                               \
    return (cw_##T)cw_lane_words((cw_u64)x, mask);                                                                     \
  }
CW_INTS(CW_F)
#undef CW_F
