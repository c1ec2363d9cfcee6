#pragma once
// The kernel dialect for the simulated driver (see prelude.h). The text of the kernels becomes the body of a struct derived
// from Cw, so that threadIdx and its like are members: after inlining they sit in registers, without thread-local storage.
typedef unsigned int u32;
typedef unsigned long long cw_word;
struct bf16 { unsigned short bits; };
struct half16 { unsigned short bits; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) uint2 { u32 x, y; };
struct alignas(16) uint4 { u32 x, y, z, w; };
struct alignas(16) double2 { double x, y; };
#define CW_FN __attribute__((always_inline))
#define CW_KERNEL(name, threads)                       \
  static constexpr unsigned cw_threads_##name = threads; \
  CW_FN void name
#define CW_SHARED(type, name, offset) type* name = reinterpret_cast<type*>(this->shared + (offset))

struct Cw : CwThread {
  CW_FN static float2 make_float2(float x, float y) { return {x, y}; }
  CW_FN static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
  CW_FN static int2 make_int2(int x, int y) { return {x, y}; }
  CW_FN static int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
  CW_FN static uint2 make_uint2(u32 x, u32 y) { return {x, y}; }
  CW_FN static uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }
  CW_FN static double2 make_double2(double x, double y) { return {x, y}; }

  CW_FN static u32 __float_as_uint(float v) { return __builtin_bit_cast(u32, v); }
  CW_FN static int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
  CW_FN static float __uint_as_float(u32 v) { return __builtin_bit_cast(float, v); }
  CW_FN static float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
  CW_FN static long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
  CW_FN static double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }

  CW_FN static float to_float(bf16 v) { return __uint_as_float(u32(v.bits) << 16); }
  CW_FN static bf16 to_bf16(float v) {
    u32 b = __float_as_uint(v);
    return {(unsigned short)(v != v ? 0x7fff : (b + 0x7fff + ((b >> 16) & 1)) >> 16)};
  }
  CW_FN static float to_float(half16 v) { return (float)__builtin_bit_cast(_Float16, v.bits); }
  CW_FN static half16 to_half(float v) {
    if (v != v) return {0x7fff};
    return {__builtin_bit_cast(unsigned short, (_Float16)v)};
  }
  // To nearest, ties away from zero; NaN stays one.
  CW_FN static u32 to_tf32(float v) {
    u32 b = __float_as_uint(v);
    return v != v ? 0x7fffe000u : (b & 0x7f800000u) == 0x7f800000u ? b : (b + 0x1000) & 0xffffe000u;
  }

  CW_FN static float sqrtf(float v) { return __builtin_elementwise_sqrt(v); }
  CW_FN static double sqrt(double v) { return __builtin_elementwise_sqrt(v); }
  CW_FN static float rsqrtf(float v) { return 1.0f / sqrtf(v); }
  CW_FN static float fabsf(float v) { return __builtin_fabsf(v); }
  CW_FN static double fabs(double v) { return __builtin_fabs(v); }
  CW_FN static float floorf(float v) { return __builtin_floorf(v); }
  CW_FN static double floor(double v) { return __builtin_floor(v); }
  CW_FN static float ceilf(float v) { return __builtin_ceilf(v); }
  CW_FN static double ceil(double v) { return __builtin_ceil(v); }
  CW_FN static float truncf(float v) { return __builtin_truncf(v); }
  CW_FN static double trunc(double v) { return __builtin_trunc(v); }
  CW_FN static float rintf(float v) { return __builtin_rintf(v); }
  CW_FN static double rint(double v) { return __builtin_rint(v); }
  CW_FN static float copysignf(float v, float s) { return __builtin_copysignf(v, s); }
  CW_FN static double copysign(double v, double s) { return __builtin_copysign(v, s); }
  CW_FN static float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  CW_FN static double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
  CW_FN static float fmaxf(float a, float b) { return a != a || a < b ? b : a; }
  CW_FN static float fminf(float a, float b) { return a != a || b < a ? b : a; }
  template <class T> CW_FN static T max(T a, T b) { return a != a || a < b ? b : a; }
  template <class T> CW_FN static T min(T a, T b) { return a != a || b < a ? b : a; }
  CW_FN static float expf(float v) { return __builtin_expf(v); }
  CW_FN static float exp2f(float v) { return __builtin_exp2f(v); }
  CW_FN static float logf(float v) { return __builtin_logf(v); }
  CW_FN static float tanhf(float v) { return __builtin_tanhf(v); }
  CW_FN static float erff(float v) { return __builtin_erff(v); }
  CW_FN static float sinf(float v) { return __builtin_sinf(v); }
  CW_FN static float cosf(float v) { return __builtin_cosf(v); }
  CW_FN static float powf(float v, float p) { return __builtin_powf(v, p); }
  CW_FN static float __expf(float v) { return __builtin_expf(v); }
  CW_FN static float __logf(float v) { return __builtin_logf(v); }
  CW_FN static float __fdividef(float a, float b) { return a / b; }
  template <class T> CW_FN static T __ldg(const T* p) { return *p; }

  CW_FN void __syncthreads() { cw_block_sync(this); }
  CW_FN void __syncwarp(u32 mask = ~0u) { cw_warp_sync(this, 1, mask); }
  // Every lane of the mask lays its word down, and takes the one of lane `source`.
  template <class T> CW_FN T exchange(T v, u32 kind, u32 mask, u32 source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    u32 p = warp->phase;
    cw_word word = 0;
    __builtin_memcpy(&word, &v, sizeof v);
    warp->slot[p][lane] = word;
    cw_warp_sync(this, kind, mask);
    if (!(mask >> source & warp->present >> source & 1)) return v;
    word = warp->slot[p][source];
    __builtin_memcpy(&v, &word, sizeof v);
    return v;
  }
  template <class T> CW_FN T __shfl_sync(u32 m, T v, int from) { return exchange(v, 2, m, from & 31); }
  template <class T> CW_FN T __shfl_xor_sync(u32 m, T v, int x) { return exchange(v, 3, m, (lane ^ x) & 31); }
  template <class T> CW_FN T __shfl_down_sync(u32 m, T v, u32 n) {
    return exchange(v, 4, m, lane + n < 32 ? lane + n : lane);
  }
  template <class T> CW_FN T __shfl_up_sync(u32 m, T v, u32 n) { return exchange(v, 7, m, lane >= n ? lane - n : lane); }
  CW_FN u32 __ballot_sync(u32 m, int predicate) {
    u32 p = warp->phase, all = 0;
    warp->slot[p][lane] = predicate != 0;
    cw_warp_sync(this, 8, m);
    for (u32 i = 0; i < 32; ++i)
      if (m >> i & warp->present >> i & 1) all |= (u32)warp->slot[p][i] << i;
    return all;
  }

  template <class T> CW_FN static T atomic_add_int(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
  CW_FN static int atomicAdd(int* p, int v) { return atomic_add_int(p, v); }
  CW_FN static u32 atomicAdd(u32* p, u32 v) { return atomic_add_int(p, v); }
  CW_FN static cw_word atomicAdd(cw_word* p, cw_word v) { return atomic_add_int(p, v); }
  template <class F, class U> CW_FN static F atomic_add_float(F* p, F v) {
    U *q = (U*)p, old = __atomic_load_n(q, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(q, &old, __builtin_bit_cast(U, __builtin_bit_cast(F, old) + v), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return __builtin_bit_cast(F, old);
  }
  CW_FN static float atomicAdd(float* p, float v) { return atomic_add_float<float, u32>(p, v); }
  CW_FN static double atomicAdd(double* p, double v) { return atomic_add_float<double, cw_word>(p, v); }
  template <class T, class Better> CW_FN static T atomic_best(T* p, T v, Better better) {
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (better(v, old) && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
  }
  template <class T> CW_FN static T atomicMax(T* p, T v) {
    return atomic_best(p, v, [](T a, T b) { return a > b; });
  }
  template <class T> CW_FN static T atomicMin(T* p, T v) {
    return atomic_best(p, v, [](T a, T b) { return a < b; });
  }
  template <class T> CW_FN static T atomicOr(T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
  template <class T> CW_FN static T atomicExch(T* p, T v) {
    T old;
    __atomic_exchange(p, &v, &old, __ATOMIC_RELAXED);
    return old;
  }
  template <class T> CW_FN static T atomicCAS(T* p, T expected, T v) {
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
  }

  // Lanes unpack their fragments into the warp's matrices, the last one multiplies for all, each takes its four results.
  template <int K> CW_FN void mma(float (&d)[4], u32 kind) {
    u32 g = lane >> 2, c = (lane & 3) * 2;
    CwWarp& w = *warp;
    if (w.present != ~0u) cw_trap(this, "mma in a warp of fewer than 32 threads");
    if (__builtin_popcount(w.arrived) == 31) {
      typedef float v8 __attribute__((vector_size(32)));
      for (int i = 0; i < 16; ++i) {
        v8 acc = {};
        for (int k = 0; k < K; ++k) acc += w.a[i][k] * *(const v8*)w.b[k];
        *(v8*)w.d[i] = acc;
      }
    }
    cw_warp_sync(this, kind, ~0u);
    d[0] += w.d[g][c], d[1] += w.d[g][c + 1], d[2] += w.d[g + 8][c], d[3] += w.d[g + 8][c + 1];
  }
  CW_FN static float low(u32 v) { return __uint_as_float(v << 16); }
  CW_FN static float high(u32 v) { return __uint_as_float(v & 0xffff0000u); }
  CW_FN void mma_16n8k16_bf16(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    u32 g = lane >> 2, c = (lane & 3) * 2;
    for (u32 r = 0; r < 4; ++r) {
      float* to = &warp->a[g + 8 * (r & 1)][c + 8 * (r >> 1)];
      to[0] = low(a[r]), to[1] = high(a[r]);
    }
    for (u32 r = 0; r < 2; ++r) {
      warp->b[c + 8 * r][g] = low(b[r]);
      warp->b[c + 8 * r + 1][g] = high(b[r]);
    }
    mma<16>(d, 5);
  }
  CW_FN void mma_16n8k8_tf32(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    u32 g = lane >> 2, t = lane & 3;
    for (u32 r = 0; r < 4; ++r) warp->a[g + 8 * (r & 1)][t + 4 * (r >> 1)] = __uint_as_float(a[r] & 0xffffe000u);
    for (u32 r = 0; r < 2; ++r) warp->b[t + 4 * r][g] = __uint_as_float(b[r] & 0xffffe000u);
    mma<8>(d, 6);
  }

  CW_FN void cp_async16(void* to, const void* from) {
    if (copies == 16) return cw_trap(this, "more than 16 asynchronous copies in flight in one thread");
    if (((cw_word)to | (cw_word)from) & 15)
      return cw_trap(this, "misaligned asynchronous copy: its address is no multiple of 16");
    pending[copies++] = {to, from, 16, group};
  }
  CW_FN void cp_async_commit() { ++group; }
  template <int N> CW_FN void cp_async_wait() {
    u32 kept = 0;
    for (u32 i = 0; i < copies; ++i)
      if (pending[i].group + N < group)
        *(uint4*)pending[i].to = *(const uint4*)pending[i].from;
      else
        pending[kept++] = pending[i];
    copies = kept;
  }
  CW_FN void grid_dependency_wait() {}
  CW_FN void grid_dependency_launch() {}
};

template <class M, class... A> struct CwSizes { static constexpr unsigned value[] = {(unsigned)sizeof(A)..., 0}; };
template <class M, class... A> CW_FN constexpr const unsigned* cw_sizes(void (M::*)(A...)) {
  return CwSizes<M, A...>::value;
}
template <class T, T... I> struct CwSeq {};
template <class M, class... A, unsigned... I>
CW_FN void cw_apply(M* m, void (M::*f)(A...), void** p, CwSeq<unsigned, I...>) {
  (m->*f)(*(A*)p[I]...);
}
template <class M, class... A> CW_FN void cw_call(M* m, void (M::*f)(A...), void** p) {
  cw_apply(m, f, p, __make_integer_seq<CwSeq, unsigned, sizeof...(A)>{});
}
// All threads of a block, one after another.
template <class M, class... A> CW_FN void cw_loop(const M& first, void (M::*f)(A...), void** p) {
  M m = first;
  for (m.threadIdx.z = 0; m.threadIdx.z < m.blockDim.z; ++m.threadIdx.z)
    for (m.threadIdx.y = 0; m.threadIdx.y < m.blockDim.y; ++m.threadIdx.y)
      for (m.threadIdx.x = 0; m.threadIdx.x < m.blockDim.x; ++m.threadIdx.x) {
        m.copies = m.group = 0;
        cw_call(&m, f, p);
      }
}
