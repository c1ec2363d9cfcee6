#pragma once
#include "backend/cuda/abi.h"
#include "backend/cuda/device_model.h"
#include "base/result.h"

#include <memory>
#include <string>
#include <vector>

namespace cutaway::cpu {
class KernelCompiler;
}

namespace cutaway::cuda {

// The one table through which the CUDA backend reaches the driver and NVRTC. Null where a library or an entry is missing.
// Like the driver's own functions those of a table are thread-safe and carry no state: it is the process's.
struct Api {
  CUresult (*cuInit)(unsigned flags) = nullptr;
  CUresult (*cuDriverGetVersion)(int* version) = nullptr; // 12040 is 12.4
  CUresult (*cuGetErrorName)(CUresult, const char** name) = nullptr;
  CUresult (*cuGetErrorString)(CUresult, const char** text) = nullptr;
  CUresult (*cuDeviceGetCount)(int* count) = nullptr;
  CUresult (*cuDeviceGet)(CUdevice*, int ordinal) = nullptr;
  CUresult (*cuDeviceGetName)(char* name, int size, CUdevice) = nullptr;
  CUresult (*cuDeviceGetAttribute)(int* value, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*cuDeviceTotalMem)(size_t* bytes, CUdevice) = nullptr;
  CUresult (*cuDeviceGetDefaultMemPool)(CUmemoryPool*, CUdevice) = nullptr;
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext*, CUdevice) = nullptr;
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice) = nullptr;
  CUresult (*cuCtxSetCurrent)(CUcontext) = nullptr;
  CUresult (*cuCtxSynchronize)() = nullptr;

  CUresult (*cuMemAlloc)(CUdeviceptr*, size_t bytes) = nullptr;
  CUresult (*cuMemFree)(CUdeviceptr) = nullptr;
  CUresult (*cuMemGetInfo)(size_t* free, size_t* total) = nullptr;
  CUresult (*cuMemHostAlloc)(void**, size_t bytes, unsigned flags) = nullptr;
  CUresult (*cuMemFreeHost)(void*) = nullptr;
  CUresult (*cuMemAllocAsync)(CUdeviceptr*, size_t bytes, CUstream) = nullptr;
  CUresult (*cuMemAllocFromPoolAsync)(CUdeviceptr*, size_t bytes, CUmemoryPool, CUstream) = nullptr;
  CUresult (*cuMemFreeAsync)(CUdeviceptr, CUstream) = nullptr;
  CUresult (*cuMemPoolCreate)(CUmemoryPool*, const CUmemPoolProps*) = nullptr;
  CUresult (*cuMemPoolDestroy)(CUmemoryPool) = nullptr;
  CUresult (*cuMemPoolSetAttribute)(CUmemoryPool, CUmemPool_attribute, void* value) = nullptr;
  CUresult (*cuMemPoolGetAttribute)(CUmemoryPool, CUmemPool_attribute, void* value) = nullptr;
  CUresult (*cuMemPoolTrimTo)(CUmemoryPool, size_t bytes_to_keep) = nullptr;
  CUresult (*cuMemcpyHtoD)(CUdeviceptr to, const void* from, size_t bytes) = nullptr;
  CUresult (*cuMemcpyDtoH)(void* to, CUdeviceptr from, size_t bytes) = nullptr;
  CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr to, const void* from, size_t bytes, CUstream) = nullptr;
  CUresult (*cuMemcpyDtoHAsync)(void* to, CUdeviceptr from, size_t bytes, CUstream) = nullptr;
  CUresult (*cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) = nullptr;
  CUresult (*cuMemsetD8Async)(CUdeviceptr, unsigned char value, size_t bytes, CUstream) = nullptr;

  CUresult (*cuModuleLoadData)(CUmodule*, const void* image) = nullptr;
  CUresult (*cuModuleUnload)(CUmodule) = nullptr;
  CUresult (*cuModuleGetFunction)(CUfunction*, CUmodule, const char* name) = nullptr;
  CUresult (*cuFuncGetAttribute)(int* value, CUfunction_attribute, CUfunction) = nullptr;
  CUresult (*cuFuncSetAttribute)(CUfunction, CUfunction_attribute, int value) = nullptr;
  CUresult (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, CUfunction, int threads, size_t shared) = nullptr;
  CUresult (*cuLaunchKernel)(CUfunction, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                             unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream, void** params,
                             void** extra) = nullptr;

  CUresult (*cuStreamCreate)(CUstream*, unsigned flags) = nullptr;
  CUresult (*cuStreamDestroy)(CUstream) = nullptr;
  CUresult (*cuStreamSynchronize)(CUstream) = nullptr;
  CUresult (*cuStreamQuery)(CUstream) = nullptr;
  CUresult (*cuStreamWaitEvent)(CUstream, CUevent, unsigned flags) = nullptr;
  CUresult (*cuStreamBeginCapture)(CUstream, CUstreamCaptureMode) = nullptr;
  CUresult (*cuStreamEndCapture)(CUstream, CUgraph*) = nullptr;
  CUresult (*cuStreamIsCapturing)(CUstream, CUstreamCaptureStatus*) = nullptr;
  CUresult (*cuEventCreate)(CUevent*, unsigned flags) = nullptr;
  CUresult (*cuEventDestroy)(CUevent) = nullptr;
  CUresult (*cuEventRecord)(CUevent, CUstream) = nullptr;
  CUresult (*cuEventQuery)(CUevent) = nullptr;
  CUresult (*cuEventSynchronize)(CUevent) = nullptr;
  CUresult (*cuEventElapsedTime)(float* ms, CUevent from, CUevent to) = nullptr;

  CUresult (*cuGraphGetNodes)(CUgraph, CUgraphNode*, size_t* count) = nullptr;
  CUresult (*cuGraphNodeGetType)(CUgraphNode, CUgraphNodeType*) = nullptr;
  CUresult (*cuGraphInstantiateWithFlags)(CUgraphExec*, CUgraph, unsigned long long flags) = nullptr;
  CUresult (*cuGraphUpload)(CUgraphExec, CUstream) = nullptr;
  CUresult (*cuGraphLaunch)(CUgraphExec, CUstream) = nullptr;
  CUresult (*cuGraphExecUpdate)(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo*) = nullptr;
  CUresult (*cuGraphExecKernelNodeSetParams)(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS*) = nullptr;
  CUresult (*cuGraphExecDestroy)(CUgraphExec) = nullptr;
  CUresult (*cuGraphDestroy)(CUgraph) = nullptr;

  nvrtcResult (*nvrtcVersion)(int* major, int* minor) = nullptr;
  nvrtcResult (*nvrtcGetNumSupportedArchs)(int*) = nullptr;
  nvrtcResult (*nvrtcGetSupportedArchs)(int* capabilities) = nullptr; // times ten
  const char* (*nvrtcGetErrorString)(nvrtcResult) = nullptr;
  nvrtcResult (*nvrtcCreateProgram)(nvrtcProgram*, const char* text, const char* name, int headers,
                                    const char* const* header_texts, const char* const* header_names) = nullptr;
  nvrtcResult (*nvrtcDestroyProgram)(nvrtcProgram*) = nullptr;
  nvrtcResult (*nvrtcCompileProgram)(nvrtcProgram, int count, const char* const* options) = nullptr;
  nvrtcResult (*nvrtcGetCUBINSize)(nvrtcProgram, size_t*) = nullptr;
  nvrtcResult (*nvrtcGetCUBIN)(nvrtcProgram, char*) = nullptr;
  nvrtcResult (*nvrtcGetProgramLogSize)(nvrtcProgram, size_t*) = nullptr;
  nvrtcResult (*nvrtcGetProgramLog)(nvrtcProgram, char*) = nullptr;
};

// What was found of the two libraries.
struct Libraries {
  std::string driver, nvrtc;        // what each was opened as; empty: not found
  int driver_version = 0;           // 12040
  int nvrtc_major = 0, nvrtc_minor = 0;
  std::vector<std::string> missing; // symbols that a library which was found does not have
};

// Binds what can be found; a library that is not there leaves its half of the table null. NVRTC is looked for by soname,
// in `cuda_path`, in $CUTAWAY_CUDA_PATH, and in the folder where CUDA is installed by convention; any of the three
// paths is that of a toolkit, or of its library folder.
Libraries find_libraries(Api& api, const std::string& cuda_path = {});

// Both halves from installed libraries, or `unsupported`: which is absent, incomplete, too old, or too new for the other.
Result<Api> load_real(const std::string& cuda_path = {});

// Whether the table is whole and its two halves fit each other: a driver of 12.0 at least, and an NVRTC that is not of a
// later major version than the driver. Asks the table alone, so that it holds for a simulated one too.
Status check_usable(const Api& api);

// 12040 as "12.4".
std::string version_text(int version);

// "CUDA_ERROR_OUT_OF_MEMORY", or the number where the driver does not know it.
std::string error_name(const Api& api, CUresult code);

// The simulated driver, started afresh for this device: handles of an earlier one are void. One simulated driver a
// process. Kernels are compiled by `compiler`, or by one of its own; `unsupported` where this program has none.
// backend/cuda/sim/sim.h has what only the simulator can do.
Result<Api> simulated(const DeviceModel& model, std::shared_ptr<cpu::KernelCompiler> compiler = {});
// Whether this program was built with it.
bool has_simulator();

} // namespace cutaway::cuda
