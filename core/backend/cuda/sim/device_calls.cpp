#include "backend/cuda/sim/submit.h"

#include <cstdio>

namespace cutaway::cuda::sim {

namespace {

struct ErrorRow {
  CUresult code;
  const char *name, *text;
};
constexpr ErrorRow errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "not initialized"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy or unavailable"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no device"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "the kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "no context is current, or an invalid one"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image for this device"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE", "an uncorrectable memory error"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid handle"},
    {CUDA_ERROR_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "not in a state that allows this"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "not finished yet"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel touched an illegal address"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources for a launch"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel took too long and was stopped"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context is destroyed"},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, "CUDA_ERROR_HARDWARE_STACK_ERROR", "a stack of a kernel is broken"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel ran an illegal instruction"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel used a misaligned address"},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "a kernel used an address of another space"},
    {CUDA_ERROR_INVALID_PC, "CUDA_ERROR_INVALID_PC", "a kernel jumped to an invalid address"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "not supported"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not permitted while a stream captures"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "the capture failed because of an earlier error"},
    {CUDA_ERROR_STREAM_CAPTURE_MERGE, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "two captures would have merged"},
    {CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture began in another stream"},
    {CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "a branch of the capture was not joined"},
    {CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "a dependency on work outside the capture"},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "an implicit dependency of a capture on the default stream"},
    {CUDA_ERROR_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT", "not permitted on an event recorded in a capture"},
    {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "the capture began in another thread"},
    {CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph differs too much from the executable one"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorRow* row_of(CUresult code) {
  for (const ErrorRow& row : errors)
    if (row.code == code) return &row;
  return nullptr;
}

CUresult error_name(Call&, CUresult code, const char** out) {
  const ErrorRow* row = row_of(code);
  *out = row ? row->name : nullptr;
  return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult error_string(Call&, CUresult code, const char** out) {
  const ErrorRow* row = row_of(code);
  *out = row ? row->text : nullptr;
  return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult init(Call& call, unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  call.sim().initialized = true;
  return CUDA_SUCCESS;
}

CUresult driver_version(Call& call, int* out) {
  *out = call.sim().device.driver_version;
  return CUDA_SUCCESS;
}

CUresult device_count(Call&, int* out) {
  *out = 1;
  return CUDA_SUCCESS;
}

CUresult device_get(Call&, CUdevice* out, int ordinal) {
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  *out = 0;
  return CUDA_SUCCESS;
}

CUresult device_name(Call& call, char* out, int size, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (size <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(out, size_t(size), "%s", call.sim().device.name.c_str());
  return CUDA_SUCCESS;
}

CUresult device_attribute(Call& call, int* out, CUdevice_attribute attribute, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  const DeviceModel& d = call.sim().device;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *out = max_block; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *out = 48 * 1024; break;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *out = 32; break;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: *out = 65536; break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *out = d.sms; break;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *out = int(d.l2_bytes); break;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *out = d.threads_per_sm; break;
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: *out = 2; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *out = d.capability / 10; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *out = d.capability % 10; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *out = int(d.shared_per_sm); break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *out = int(d.shared_per_block); break;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: *out = d.blocks_per_sm; break;
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: *out = 1; break;
  default: return CUDA_ERROR_INVALID_VALUE; // clocks and bus width: a model has none
  }
  return CUDA_SUCCESS;
}

CUresult device_memory(Call& call, size_t* out, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *out = call.sim().device.memory;
  return CUDA_SUCCESS;
}

CUresult retain(Call& call, CUcontext* out, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  Sim& sim = call.sim();
  if (sim.retained++ == 0) {
    sim.context = reinterpret_cast<CUcontext>(next_handle());
    sim.default_pool = sim.pools.add(std::make_shared<Pool>());
  }
  *out = sim.context;
  return CUDA_SUCCESS;
}

CUresult release(Call& call, CUdevice device) {
  Sim& sim = call.sim();
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (sim.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (sim.retained > 1) {
    --sim.retained;
    return CUDA_SUCCESS;
  }
  settle(call, nullptr);
  sim.retained = 0;
  sim.release_context();
  return CUDA_SUCCESS;
}

CUresult set_current(Call& call, CUcontext context) {
  if (context && context != call.sim().context) return CUDA_ERROR_INVALID_CONTEXT;
  current_context() = context;
  return CUDA_SUCCESS;
}

CUresult synchronize(Call& call) {
  const CUresult code = forbidden(call.sim(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return code != CUDA_SUCCESS ? code : settle(call, nullptr);
}

} // namespace

void put_device_calls(Api& api) {
  put<"cuInit", Scope::library, init>(api.cuInit);
  put<"cuDriverGetVersion", Scope::library, driver_version>(api.cuDriverGetVersion);
  put<"cuGetErrorName", Scope::library, error_name>(api.cuGetErrorName);
  put<"cuGetErrorString", Scope::library, error_string>(api.cuGetErrorString);
  put<"cuDeviceGetCount", Scope::device, device_count>(api.cuDeviceGetCount);
  put<"cuDeviceGet", Scope::device, device_get>(api.cuDeviceGet);
  put<"cuDeviceGetName", Scope::device, device_name>(api.cuDeviceGetName);
  put<"cuDeviceGetAttribute", Scope::device, device_attribute>(api.cuDeviceGetAttribute);
  put<"cuDeviceTotalMem", Scope::device, device_memory>(api.cuDeviceTotalMem);
  put<"cuDevicePrimaryCtxRetain", Scope::device, retain>(api.cuDevicePrimaryCtxRetain);
  put<"cuDevicePrimaryCtxRelease", Scope::device, release>(api.cuDevicePrimaryCtxRelease);
  put<"cuCtxSetCurrent", Scope::device, set_current>(api.cuCtxSetCurrent);
  put<"cuCtxSynchronize", Scope::context, synchronize>(api.cuCtxSynchronize);
}

} // namespace cutaway::cuda::sim
