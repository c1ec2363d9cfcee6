#pragma once
#include "backend/cuda/api.h"

namespace cutaway::cuda {

// Visits the calls of the driver as visit("cuMemAlloc", "cuMemAlloc_v2", api.cuMemAlloc): the name, the symbol that the
// library exports it under at the 12.0 ABI, and the field. `Table` is Api or const Api.
template <class Table, class Visit> void each_driver_call(Table& a, Visit&& visit) {
  visit("cuInit", "cuInit", a.cuInit);
  visit("cuDriverGetVersion", "cuDriverGetVersion", a.cuDriverGetVersion);
  visit("cuGetErrorName", "cuGetErrorName", a.cuGetErrorName);
  visit("cuGetErrorString", "cuGetErrorString", a.cuGetErrorString);
  visit("cuDeviceGetCount", "cuDeviceGetCount", a.cuDeviceGetCount);
  visit("cuDeviceGet", "cuDeviceGet", a.cuDeviceGet);
  visit("cuDeviceGetName", "cuDeviceGetName", a.cuDeviceGetName);
  visit("cuDeviceGetAttribute", "cuDeviceGetAttribute", a.cuDeviceGetAttribute);
  visit("cuDeviceTotalMem", "cuDeviceTotalMem_v2", a.cuDeviceTotalMem);
  visit("cuDeviceGetDefaultMemPool", "cuDeviceGetDefaultMemPool", a.cuDeviceGetDefaultMemPool);
  visit("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain", a.cuDevicePrimaryCtxRetain);
  visit("cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", a.cuDevicePrimaryCtxRelease);
  visit("cuCtxSetCurrent", "cuCtxSetCurrent", a.cuCtxSetCurrent);
  visit("cuCtxSynchronize", "cuCtxSynchronize", a.cuCtxSynchronize);
  visit("cuMemAlloc", "cuMemAlloc_v2", a.cuMemAlloc);
  visit("cuMemFree", "cuMemFree_v2", a.cuMemFree);
  visit("cuMemGetInfo", "cuMemGetInfo_v2", a.cuMemGetInfo);
  visit("cuMemHostAlloc", "cuMemHostAlloc", a.cuMemHostAlloc);
  visit("cuMemFreeHost", "cuMemFreeHost", a.cuMemFreeHost);
  visit("cuMemAllocAsync", "cuMemAllocAsync", a.cuMemAllocAsync);
  visit("cuMemAllocFromPoolAsync", "cuMemAllocFromPoolAsync", a.cuMemAllocFromPoolAsync);
  visit("cuMemFreeAsync", "cuMemFreeAsync", a.cuMemFreeAsync);
  visit("cuMemPoolCreate", "cuMemPoolCreate", a.cuMemPoolCreate);
  visit("cuMemPoolDestroy", "cuMemPoolDestroy", a.cuMemPoolDestroy);
  visit("cuMemPoolSetAttribute", "cuMemPoolSetAttribute", a.cuMemPoolSetAttribute);
  visit("cuMemPoolGetAttribute", "cuMemPoolGetAttribute", a.cuMemPoolGetAttribute);
  visit("cuMemPoolTrimTo", "cuMemPoolTrimTo", a.cuMemPoolTrimTo);
  visit("cuMemcpyHtoD", "cuMemcpyHtoD_v2", a.cuMemcpyHtoD);
  visit("cuMemcpyDtoH", "cuMemcpyDtoH_v2", a.cuMemcpyDtoH);
  visit("cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", a.cuMemcpyHtoDAsync);
  visit("cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", a.cuMemcpyDtoHAsync);
  visit("cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2", a.cuMemcpyDtoDAsync);
  visit("cuMemsetD8Async", "cuMemsetD8Async", a.cuMemsetD8Async);
  visit("cuModuleLoadData", "cuModuleLoadData", a.cuModuleLoadData);
  visit("cuModuleUnload", "cuModuleUnload", a.cuModuleUnload);
  visit("cuModuleGetFunction", "cuModuleGetFunction", a.cuModuleGetFunction);
  visit("cuFuncGetAttribute", "cuFuncGetAttribute", a.cuFuncGetAttribute);
  visit("cuFuncSetAttribute", "cuFuncSetAttribute", a.cuFuncSetAttribute);
  visit("cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        a.cuOccupancyMaxActiveBlocksPerMultiprocessor);
  visit("cuLaunchKernel", "cuLaunchKernel", a.cuLaunchKernel);
  visit("cuStreamCreate", "cuStreamCreate", a.cuStreamCreate);
  visit("cuStreamDestroy", "cuStreamDestroy_v2", a.cuStreamDestroy);
  visit("cuStreamSynchronize", "cuStreamSynchronize", a.cuStreamSynchronize);
  visit("cuStreamQuery", "cuStreamQuery", a.cuStreamQuery);
  visit("cuStreamWaitEvent", "cuStreamWaitEvent", a.cuStreamWaitEvent);
  visit("cuStreamBeginCapture", "cuStreamBeginCapture_v2", a.cuStreamBeginCapture);
  visit("cuStreamEndCapture", "cuStreamEndCapture", a.cuStreamEndCapture);
  visit("cuStreamIsCapturing", "cuStreamIsCapturing", a.cuStreamIsCapturing);
  visit("cuEventCreate", "cuEventCreate", a.cuEventCreate);
  visit("cuEventDestroy", "cuEventDestroy_v2", a.cuEventDestroy);
  visit("cuEventRecord", "cuEventRecord", a.cuEventRecord);
  visit("cuEventQuery", "cuEventQuery", a.cuEventQuery);
  visit("cuEventSynchronize", "cuEventSynchronize", a.cuEventSynchronize);
  visit("cuEventElapsedTime", "cuEventElapsedTime", a.cuEventElapsedTime);
  visit("cuGraphGetNodes", "cuGraphGetNodes", a.cuGraphGetNodes);
  visit("cuGraphNodeGetType", "cuGraphNodeGetType", a.cuGraphNodeGetType);
  visit("cuGraphInstantiateWithFlags", "cuGraphInstantiateWithFlags", a.cuGraphInstantiateWithFlags);
  visit("cuGraphUpload", "cuGraphUpload", a.cuGraphUpload);
  visit("cuGraphLaunch", "cuGraphLaunch", a.cuGraphLaunch);
  visit("cuGraphExecUpdate", "cuGraphExecUpdate_v2", a.cuGraphExecUpdate);
  visit("cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams_v2", a.cuGraphExecKernelNodeSetParams);
  visit("cuGraphExecDestroy", "cuGraphExecDestroy", a.cuGraphExecDestroy);
  visit("cuGraphDestroy", "cuGraphDestroy", a.cuGraphDestroy);
}

// The same for the calls of NVRTC.
template <class Table, class Visit> void each_nvrtc_call(Table& a, Visit&& visit) {
  visit("nvrtcVersion", "nvrtcVersion", a.nvrtcVersion);
  visit("nvrtcGetNumSupportedArchs", "nvrtcGetNumSupportedArchs", a.nvrtcGetNumSupportedArchs);
  visit("nvrtcGetSupportedArchs", "nvrtcGetSupportedArchs", a.nvrtcGetSupportedArchs);
  visit("nvrtcGetErrorString", "nvrtcGetErrorString", a.nvrtcGetErrorString);
  visit("nvrtcCreateProgram", "nvrtcCreateProgram", a.nvrtcCreateProgram);
  visit("nvrtcDestroyProgram", "nvrtcDestroyProgram", a.nvrtcDestroyProgram);
  visit("nvrtcCompileProgram", "nvrtcCompileProgram", a.nvrtcCompileProgram);
  visit("nvrtcGetCUBINSize", "nvrtcGetCUBINSize", a.nvrtcGetCUBINSize);
  visit("nvrtcGetCUBIN", "nvrtcGetCUBIN", a.nvrtcGetCUBIN);
  visit("nvrtcGetProgramLogSize", "nvrtcGetProgramLogSize", a.nvrtcGetProgramLogSize);
  visit("nvrtcGetProgramLog", "nvrtcGetProgramLog", a.nvrtcGetProgramLog);
}

} // namespace cutaway::cuda
