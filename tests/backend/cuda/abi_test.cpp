// Checks backend/cuda/abi.h against the headers of the CUDA Toolkit; compiled where CMake finds them.
#include "backend/cuda/api.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <nvrtc.h>

// cuda.h renames calls that have more than one version; here they go by their names.
#undef cuDeviceTotalMem
#undef cuDevicePrimaryCtxRelease
#undef cuMemAlloc
#undef cuMemFree
#undef cuMemGetInfo
#undef cuMemcpyHtoD
#undef cuMemcpyDtoH
#undef cuMemcpyHtoDAsync
#undef cuMemcpyDtoHAsync
#undef cuMemcpyDtoDAsync
#undef cuStreamDestroy
#undef cuStreamBeginCapture
#undef cuEventDestroy
#undef cuEventElapsedTime
#undef cuGraphExecUpdate
#undef cuGraphExecKernelNodeSetParams

#include <cstddef>
#include <type_traits>

namespace ours = cutaway::cuda;

namespace {

// Two types that one call can hand over to the other: pointers, or values of one size and kind.
template <class A, class B> constexpr bool fits() {
  if constexpr (std::is_pointer_v<A> || std::is_pointer_v<B>) {
    return std::is_pointer_v<A> && std::is_pointer_v<B>;
  } else if constexpr (std::is_floating_point_v<A> || std::is_floating_point_v<B>) {
    return std::is_same_v<A, B>;
  } else {
    return sizeof(A) == sizeof(B) && (std::is_void_v<A> == std::is_void_v<B>);
  }
}

template <class F, class G> struct SameCall : std::false_type {};
template <class R, class S, class... A, class... B> struct SameCall<R (*)(A...), S (*)(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) == sizeof...(B))
      return fits<R, S>() && (fits<A, B>() && ...);
    else
      return false;
  }();
};
template <class F, class G> constexpr bool same = SameCall<F, G>::value;

using Api = ours::Api;
static_assert(same<decltype(Api::cuInit), PFN_cuInit_v2000>);
static_assert(same<decltype(Api::cuDriverGetVersion), PFN_cuDriverGetVersion_v2020>);
static_assert(same<decltype(Api::cuGetErrorName), PFN_cuGetErrorName_v6000>);
static_assert(same<decltype(Api::cuGetErrorString), PFN_cuGetErrorString_v6000>);
static_assert(same<decltype(Api::cuDeviceGetCount), PFN_cuDeviceGetCount_v2000>);
static_assert(same<decltype(Api::cuDeviceGet), PFN_cuDeviceGet_v2000>);
static_assert(same<decltype(Api::cuDeviceGetName), PFN_cuDeviceGetName_v2000>);
static_assert(same<decltype(Api::cuDeviceGetAttribute), PFN_cuDeviceGetAttribute_v2000>);
static_assert(same<decltype(Api::cuDeviceTotalMem), PFN_cuDeviceTotalMem_v3020>);
static_assert(same<decltype(Api::cuDeviceGetDefaultMemPool), PFN_cuDeviceGetDefaultMemPool_v11020>);
static_assert(same<decltype(Api::cuDevicePrimaryCtxRetain), PFN_cuDevicePrimaryCtxRetain_v7000>);
static_assert(same<decltype(Api::cuDevicePrimaryCtxRelease), PFN_cuDevicePrimaryCtxRelease_v11000>);
static_assert(same<decltype(Api::cuCtxSetCurrent), PFN_cuCtxSetCurrent_v4000>);
static_assert(same<decltype(Api::cuCtxSynchronize), PFN_cuCtxSynchronize_v2000>);
static_assert(same<decltype(Api::cuMemAlloc), PFN_cuMemAlloc_v3020>);
static_assert(same<decltype(Api::cuMemFree), PFN_cuMemFree_v3020>);
static_assert(same<decltype(Api::cuMemGetInfo), PFN_cuMemGetInfo_v3020>);
static_assert(same<decltype(Api::cuMemHostAlloc), PFN_cuMemHostAlloc_v2020>);
static_assert(same<decltype(Api::cuMemFreeHost), PFN_cuMemFreeHost_v2000>);
static_assert(same<decltype(Api::cuMemAllocAsync), PFN_cuMemAllocAsync_v11020>);
static_assert(same<decltype(Api::cuMemAllocFromPoolAsync), PFN_cuMemAllocFromPoolAsync_v11020>);
static_assert(same<decltype(Api::cuMemFreeAsync), PFN_cuMemFreeAsync_v11020>);
static_assert(same<decltype(Api::cuMemPoolCreate), PFN_cuMemPoolCreate_v11020>);
static_assert(same<decltype(Api::cuMemPoolDestroy), PFN_cuMemPoolDestroy_v11020>);
static_assert(same<decltype(Api::cuMemPoolSetAttribute), PFN_cuMemPoolSetAttribute_v11020>);
static_assert(same<decltype(Api::cuMemPoolGetAttribute), PFN_cuMemPoolGetAttribute_v11020>);
static_assert(same<decltype(Api::cuMemPoolTrimTo), PFN_cuMemPoolTrimTo_v11020>);
static_assert(same<decltype(Api::cuMemcpyHtoD), PFN_cuMemcpyHtoD_v3020>);
static_assert(same<decltype(Api::cuMemcpyDtoH), PFN_cuMemcpyDtoH_v3020>);
static_assert(same<decltype(Api::cuMemcpyHtoDAsync), PFN_cuMemcpyHtoDAsync_v3020>);
static_assert(same<decltype(Api::cuMemcpyDtoHAsync), PFN_cuMemcpyDtoHAsync_v3020>);
static_assert(same<decltype(Api::cuMemcpyDtoDAsync), PFN_cuMemcpyDtoDAsync_v3020>);
static_assert(same<decltype(Api::cuMemsetD8Async), PFN_cuMemsetD8Async_v3020>);
static_assert(same<decltype(Api::cuModuleLoadData), PFN_cuModuleLoadData_v2000>);
static_assert(same<decltype(Api::cuModuleUnload), PFN_cuModuleUnload_v2000>);
static_assert(same<decltype(Api::cuModuleGetFunction), PFN_cuModuleGetFunction_v2000>);
static_assert(same<decltype(Api::cuFuncGetAttribute), PFN_cuFuncGetAttribute_v2020>);
static_assert(same<decltype(Api::cuFuncSetAttribute), PFN_cuFuncSetAttribute_v9000>);
static_assert(same<decltype(Api::cuOccupancyMaxActiveBlocksPerMultiprocessor), PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050>);
static_assert(same<decltype(Api::cuLaunchKernel), PFN_cuLaunchKernel_v4000>);
static_assert(same<decltype(Api::cuStreamCreate), PFN_cuStreamCreate_v2000>);
static_assert(same<decltype(Api::cuStreamDestroy), PFN_cuStreamDestroy_v4000>);
static_assert(same<decltype(Api::cuStreamSynchronize), PFN_cuStreamSynchronize_v2000>);
static_assert(same<decltype(Api::cuStreamQuery), PFN_cuStreamQuery_v2000>);
static_assert(same<decltype(Api::cuStreamWaitEvent), PFN_cuStreamWaitEvent_v3020>);
static_assert(same<decltype(Api::cuStreamBeginCapture), PFN_cuStreamBeginCapture_v10010>);
static_assert(same<decltype(Api::cuStreamEndCapture), PFN_cuStreamEndCapture_v10000>);
static_assert(same<decltype(Api::cuStreamIsCapturing), PFN_cuStreamIsCapturing_v10000>);
static_assert(same<decltype(Api::cuEventCreate), PFN_cuEventCreate_v2000>);
static_assert(same<decltype(Api::cuEventDestroy), PFN_cuEventDestroy_v4000>);
static_assert(same<decltype(Api::cuEventRecord), PFN_cuEventRecord_v2000>);
static_assert(same<decltype(Api::cuEventQuery), PFN_cuEventQuery_v2000>);
static_assert(same<decltype(Api::cuEventSynchronize), PFN_cuEventSynchronize_v2000>);
static_assert(same<decltype(Api::cuEventElapsedTime), PFN_cuEventElapsedTime_v2000>);
static_assert(same<decltype(Api::cuGraphGetNodes), PFN_cuGraphGetNodes_v10000>);
static_assert(same<decltype(Api::cuGraphNodeGetType), PFN_cuGraphNodeGetType_v10000>);
static_assert(same<decltype(Api::cuGraphInstantiateWithFlags), PFN_cuGraphInstantiateWithFlags_v11040>);
static_assert(same<decltype(Api::cuGraphUpload), PFN_cuGraphUpload_v11010>);
static_assert(same<decltype(Api::cuGraphLaunch), PFN_cuGraphLaunch_v10000>);
static_assert(same<decltype(Api::cuGraphExecUpdate), PFN_cuGraphExecUpdate_v12000>);
static_assert(same<decltype(Api::cuGraphExecKernelNodeSetParams), PFN_cuGraphExecKernelNodeSetParams_v12000>);
static_assert(same<decltype(Api::cuGraphExecDestroy), PFN_cuGraphExecDestroy_v10000>);
static_assert(same<decltype(Api::cuGraphDestroy), PFN_cuGraphDestroy_v10000>);
static_assert(same<decltype(Api::nvrtcVersion), decltype(&::nvrtcVersion)>);
static_assert(same<decltype(Api::nvrtcGetNumSupportedArchs), decltype(&::nvrtcGetNumSupportedArchs)>);
static_assert(same<decltype(Api::nvrtcGetSupportedArchs), decltype(&::nvrtcGetSupportedArchs)>);
static_assert(same<decltype(Api::nvrtcGetErrorString), decltype(&::nvrtcGetErrorString)>);
static_assert(same<decltype(Api::nvrtcCreateProgram), decltype(&::nvrtcCreateProgram)>);
static_assert(same<decltype(Api::nvrtcDestroyProgram), decltype(&::nvrtcDestroyProgram)>);
static_assert(same<decltype(Api::nvrtcCompileProgram), decltype(&::nvrtcCompileProgram)>);
static_assert(same<decltype(Api::nvrtcGetCUBINSize), decltype(&::nvrtcGetCUBINSize)>);
static_assert(same<decltype(Api::nvrtcGetCUBIN), decltype(&::nvrtcGetCUBIN)>);
static_assert(same<decltype(Api::nvrtcGetProgramLogSize), decltype(&::nvrtcGetProgramLogSize)>);
static_assert(same<decltype(Api::nvrtcGetProgramLog), decltype(&::nvrtcGetProgramLog)>);

static_assert(sizeof(ours::CUDA_KERNEL_NODE_PARAMS) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
static_assert(offsetof(ours::CUDA_KERNEL_NODE_PARAMS, sharedMemBytes) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes));
static_assert(offsetof(ours::CUDA_KERNEL_NODE_PARAMS, kernelParams) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kernelParams));
static_assert(offsetof(ours::CUDA_KERNEL_NODE_PARAMS, ctx) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, ctx));
static_assert(sizeof(ours::CUgraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo_v1));
static_assert(offsetof(ours::CUgraphExecUpdateResultInfo, errorFromNode) == offsetof(CUgraphExecUpdateResultInfo_v1, errorFromNode));
static_assert(sizeof(ours::CUmemPoolProps) == sizeof(CUmemPoolProps_v1));
static_assert(offsetof(ours::CUmemPoolProps, location) == offsetof(CUmemPoolProps_v1, location));
static_assert(offsetof(ours::CUmemPoolProps, maxSize) == offsetof(CUmemPoolProps_v1, maxSize));
static_assert(sizeof(ours::CUdeviceptr) == sizeof(CUdeviceptr_v2));

template <auto mine, auto theirs> constexpr bool value = int(mine) == int(theirs) && sizeof(mine) == sizeof(theirs);
#define SAME(name) static_assert(value<ours::name, ::name>)
SAME(CUDA_SUCCESS);
SAME(CUDA_ERROR_INVALID_VALUE);
SAME(CUDA_ERROR_OUT_OF_MEMORY);
SAME(CUDA_ERROR_NOT_INITIALIZED);
SAME(CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME(CUDA_ERROR_NO_DEVICE);
SAME(CUDA_ERROR_INVALID_DEVICE);
SAME(CUDA_ERROR_INVALID_IMAGE);
SAME(CUDA_ERROR_INVALID_CONTEXT);
SAME(CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(CUDA_ERROR_ECC_UNCORRECTABLE);
SAME(CUDA_ERROR_INVALID_HANDLE);
SAME(CUDA_ERROR_ILLEGAL_STATE);
SAME(CUDA_ERROR_NOT_FOUND);
SAME(CUDA_ERROR_NOT_READY);
SAME(CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME(CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME(CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME(CUDA_ERROR_MISALIGNED_ADDRESS);
SAME(CUDA_ERROR_INVALID_ADDRESS_SPACE);
SAME(CUDA_ERROR_INVALID_PC);
SAME(CUDA_ERROR_LAUNCH_FAILED);
SAME(CUDA_ERROR_NOT_SUPPORTED);
SAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
SAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
SAME(CUDA_ERROR_STREAM_CAPTURE_MERGE);
SAME(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
SAME(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
SAME(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
SAME(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
SAME(CUDA_ERROR_CAPTURED_EVENT);
SAME(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
SAME(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
SAME(CUDA_ERROR_UNKNOWN);
SAME(NVRTC_SUCCESS);
SAME(NVRTC_ERROR_OUT_OF_MEMORY);
SAME(NVRTC_ERROR_PROGRAM_CREATION_FAILURE);
SAME(NVRTC_ERROR_INVALID_INPUT);
SAME(NVRTC_ERROR_INVALID_PROGRAM);
SAME(NVRTC_ERROR_INVALID_OPTION);
SAME(NVRTC_ERROR_COMPILATION);
SAME(NVRTC_ERROR_INTERNAL_ERROR);
SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
SAME(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
SAME(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES);
SAME(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC);
SAME(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES);
SAME(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
SAME(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
SAME(CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
SAME(CU_MEMPOOL_ATTR_USED_MEM_HIGH);
SAME(CU_STREAM_CAPTURE_MODE_GLOBAL);
SAME(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(CU_STREAM_CAPTURE_STATUS_NONE);
SAME(CU_STREAM_CAPTURE_STATUS_ACTIVE);
SAME(CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME(CU_GRAPH_NODE_TYPE_KERNEL);
SAME(CU_GRAPH_NODE_TYPE_MEMCPY);
SAME(CU_GRAPH_NODE_TYPE_MEMSET);
SAME(CU_GRAPH_EXEC_UPDATE_SUCCESS);
SAME(CU_GRAPH_EXEC_UPDATE_ERROR);
SAME(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
SAME(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
SAME(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
SAME(CU_GET_PROC_ADDRESS_SUCCESS);
SAME(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
SAME(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
#undef SAME
static_assert(ours::CU_STREAM_NON_BLOCKING == ::CU_STREAM_NON_BLOCKING);
static_assert(ours::CU_EVENT_BLOCKING_SYNC == ::CU_EVENT_BLOCKING_SYNC);
static_assert(ours::CU_EVENT_DISABLE_TIMING == ::CU_EVENT_DISABLE_TIMING);
static_assert(ours::CU_GET_PROC_ADDRESS_LEGACY_STREAM == ::CU_GET_PROC_ADDRESS_LEGACY_STREAM);
static_assert(ours::CU_MEM_ALLOCATION_TYPE_PINNED == ::CU_MEM_ALLOCATION_TYPE_PINNED);
static_assert(ours::CU_MEM_LOCATION_TYPE_DEVICE == ::CU_MEM_LOCATION_TYPE_DEVICE);

} // namespace
