#pragma once

namespace cutaway {

// The kernel dialect: CUDA C++ without includes that NVRTC compiles after cuda_device_prelude(), and that the simulated
// driver compiles as the body of a C++20 struct after cuda_sim_prelude(). One text serves both.
//
//   CW_KERNEL(name, threads)(params) { ... }  a kernel launched with at most `threads` threads a block; parameters are
//                                             pointers, ints and longs
//   CW_FN type name(params) { ... }           a device function (static inline functions will do where they use no
//                                             member of the dialect)
//   CW_SHARED(type, name, byte_offset);       a pointer into the dynamic shared memory of the launch
//   threadIdx blockIdx blockDim gridDim, __syncthreads, __syncwarp, __shfl_sync __shfl_up_sync __shfl_down_sync
//   __shfl_xor_sync (4 and 8 bytes), __ballot_sync, atomicAdd atomicMax atomicMin atomicOr atomicExch atomicCAS
//   float2 float4 int2 int4 uint2 uint4 double2 and make_*; u32; bf16, half16, to_float, to_bf16, to_half
//   mma_16n8k16_bf16, mma_16n8k8_tf32, to_tf32; cp_async16, cp_async_commit, cp_async_wait<N>
//   grid_dependency_wait, grid_dependency_launch
//   the float functions of C by their C names, __expf, __logf, __fdividef and the bit casts __float_as_uint ...
//
// At the top level of a text stand functions, types, macros and static constexpr values only: no variables, as a struct
// has none that are shared.
const char* cuda_device_prelude();
const char* cuda_sim_prelude();

} // namespace cutaway
