#pragma once
// The kernel dialect for NVRTC (see prelude.h). No toolkit header: bf16 and half are our own.
typedef unsigned int u32;
struct bf16 { unsigned short bits; };
struct half16 { unsigned short bits; };
#define CW_KERNEL(name, threads) extern "C" __global__ void __launch_bounds__(threads) name
#define CW_FN __device__ __forceinline__
#define CW_SHARED(type, name, offset)                       \
  extern __shared__ __align__(16) unsigned char cw_shared[]; \
  type* name = reinterpret_cast<type*>(cw_shared + (offset))

CW_FN float to_float(bf16 v) { return __uint_as_float(u32(v.bits) << 16); }
CW_FN bf16 to_bf16(float v) {
  bf16 r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(v));
  return r;
}
CW_FN float to_float(half16 v) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v.bits));
  return r;
}
CW_FN half16 to_half(float v) {
  half16 r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(v));
  return r;
}
CW_FN u32 to_tf32(float v) {
  u32 r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return r;
}
// d += a b for a warp, fragments as in the PTX manual (mma.m16n8k16, mma.m16n8k8).
CW_FN void mma_16n8k16_bf16(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
CW_FN void mma_16n8k8_tf32(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
CW_FN void cp_async16(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(u32(__cvta_generic_to_shared(shared))), "l"(global)
               : "memory");
}
CW_FN void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> CW_FN void cp_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
#if __CUDA_ARCH__ >= 900
CW_FN void grid_dependency_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
CW_FN void grid_dependency_launch() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
#else
CW_FN void grid_dependency_wait() {}
CW_FN void grid_dependency_launch() {}
#endif
