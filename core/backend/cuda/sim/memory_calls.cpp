#include "backend/cuda/sim/submit.h"

#include <cstdlib>
#include <cstring>

namespace cutaway::cuda::sim {

namespace {

CUresult forbidden(Sim& sim) {
  return sim::forbidden(sim, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult mem_alloc(Call& call, CUdeviceptr* out, size_t bytes) {
  Sim& sim = call.sim();
  if (const CUresult code = forbidden(sim); code != CUDA_SUCCESS) return code;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *out = bytes > sim.device.memory - sim.memory.used() ? 0 : sim.memory.allocate(bytes);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult mem_free(Call& call, CUdeviceptr at) {
  Sim& sim = call.sim();
  if (!at) return CUDA_SUCCESS;
  if (const CUresult code = forbidden(sim); code != CUDA_SUCCESS) return code;
  if (const CUresult code = settle(call, nullptr); code != CUDA_SUCCESS) return code;
  forget_pooled(sim, at);
  if (sim.memory.release(at)) return CUDA_SUCCESS;
  sim.reports.push_back("misuse: cuMemFree of what is no live allocation: " + sim.memory.check(at, 1));
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult mem_info(Call& call, size_t* free, size_t* total) {
  const Sim& sim = call.sim();
  *total = sim.device.memory;
  *free = *total - sim.memory.used();
  return CUDA_SUCCESS;
}

CUresult host_alloc(Call& call, void** out, size_t bytes, unsigned) {
  constexpr size_t page = 4096;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > SIZE_MAX - page) return CUDA_ERROR_OUT_OF_MEMORY;
  auto* at = static_cast<char*>(std::aligned_alloc(page, (bytes + page - 1) / page * page));
  if (!at) return CUDA_ERROR_OUT_OF_MEMORY;
  call.sim().pinned[at] = {bytes, std::unique_ptr<char, Free>(at)};
  *out = at;
  return CUDA_SUCCESS;
}

CUresult host_free(Call& call, void* at) {
  if (!call.sim().pinned.contains(static_cast<char*>(at))) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = settle(call, nullptr);
  call.sim().pinned.erase(static_cast<char*>(at));
  return code;
}

enum class Way { to_device, to_host, within };

struct Copy {
  CUdeviceptr to, from; // either may be a host address
  size_t bytes;
  Way way;

  bool to_is_device() const { return way != Way::to_host; }
  bool from_is_device() const { return way != Way::to_device; }
  const void* host() const { return reinterpret_cast<const void*>(to_is_device() ? from : to); }
};

std::string bad_address(const DeviceMemory& memory, const Copy& c) {
  std::string bad;
  if (c.to_is_device()) bad = memory.check(c.to, c.bytes);
  if (bad.empty() && c.from_is_device()) bad = memory.check(c.from, c.bytes);
  return bad;
}

bool is_pinned(const Sim& sim, const void* p, size_t bytes) {
  const auto* at = static_cast<const char*>(p);
  auto it = sim.pinned.upper_bound(const_cast<char*>(at));
  if (it == sim.pinned.begin()) return false;
  --it;
  return at + bytes <= it->first + it->second.bytes;
}

Work copy_work(Sim& sim, const Copy& c, std::shared_ptr<std::vector<char>> staged) {
  Work w;
  w.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  w.unit = c.way == Way::to_device ? Unit::to_device : c.way == Way::to_host ? Unit::to_host : Unit::within;
  w.note.bytes = double(c.bytes) * (c.way == Way::within ? 2 : 1);
  if (c.to_is_device()) w.note.touches.push_back({c.to, c.to + c.bytes, true});
  if (c.from_is_device()) w.note.touches.push_back({c.from, c.from + c.bytes, false});
  w.run = [c, staged, memory = &sim.memory]() -> DeviceFault {
    if (std::string bad = bad_address(*memory, c); !bad.empty()) return {CUDA_ERROR_ILLEGAL_ADDRESS, "copy: illegal address: " + bad};
    const void* from = staged ? staged->data() : reinterpret_cast<const void*>(c.from);
    std::memmove(reinterpret_cast<void*>(c.to), from, c.bytes);
    return {};
  };
  return w;
}

// Pageable host memory is read before the call returns, and has been written by then.
CUresult copy(Call& call, CUstream handle, const Copy& c, bool wait) {
  Sim& sim = call.sim();
  const Stream* stream = sim.stream(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (c.bytes == 0) return CUDA_SUCCESS;
  if (!bad_address(sim.memory, c).empty()) return CUDA_ERROR_INVALID_VALUE;
  const bool pageable = c.way != Way::within && !is_pinned(sim, c.host(), c.bytes), capturing = stream->capture != nullptr;
  std::shared_ptr<std::vector<char>> staged;
  if (pageable && c.way == Way::to_device && !capturing) {
    const auto* from = static_cast<const char*>(c.host());
    staged = std::make_shared<std::vector<char>>(from, from + c.bytes);
  }
  const char* label = c.way == Way::to_device ? "copy to device" : c.way == Way::to_host ? "copy to host" : "copy";
  const CUresult code = post(call, handle, copy_work(sim, c, std::move(staged)), label);
  if (code != CUDA_SUCCESS || capturing || !(wait || (pageable && c.way == Way::to_host))) return code;
  return settle(call, &stream->tail);
}

CUresult to_device(Call& call, CUdeviceptr to, const void* from, size_t n) {
  return copy(call, nullptr, {to, CUdeviceptr(from), n, Way::to_device}, true);
}
CUresult to_host(Call& call, void* to, CUdeviceptr from, size_t n) {
  return copy(call, nullptr, {CUdeviceptr(to), from, n, Way::to_host}, true);
}
CUresult to_device_async(Call& call, CUdeviceptr to, const void* from, size_t n, CUstream stream) {
  return copy(call, stream, {to, CUdeviceptr(from), n, Way::to_device}, false);
}
CUresult to_host_async(Call& call, void* to, CUdeviceptr from, size_t n, CUstream stream) {
  return copy(call, stream, {CUdeviceptr(to), from, n, Way::to_host}, false);
}
CUresult within_async(Call& call, CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream) {
  return copy(call, stream, {to, from, n, Way::within}, false);
}

CUresult set_bytes(Call& call, CUdeviceptr at, unsigned char value, size_t n, CUstream stream) {
  if (n == 0) return CUDA_SUCCESS;
  DeviceMemory& memory = call.sim().memory;
  if (!memory.check(at, n).empty()) return CUDA_ERROR_INVALID_VALUE;
  Work w;
  w.type = CU_GRAPH_NODE_TYPE_MEMSET;
  w.unit = Unit::within;
  w.note.touches = {{at, at + n, true}};
  w.run = [=, &memory]() -> DeviceFault {
    if (std::string bad = memory.check(at, n); !bad.empty()) return {CUDA_ERROR_ILLEGAL_ADDRESS, "memset: illegal address: " + bad};
    std::memset(reinterpret_cast<void*>(at), value, n);
    return {};
  };
  return post(call, stream, std::move(w), "memset");
}

} // namespace

void put_memory_calls(Api& api) {
  put<"cuMemAlloc", Scope::context, mem_alloc>(api.cuMemAlloc);
  put<"cuMemFree", Scope::context, mem_free>(api.cuMemFree);
  put<"cuMemGetInfo", Scope::context, mem_info>(api.cuMemGetInfo);
  put<"cuMemHostAlloc", Scope::context, host_alloc>(api.cuMemHostAlloc);
  put<"cuMemFreeHost", Scope::context, host_free>(api.cuMemFreeHost);
  put<"cuMemcpyHtoD", Scope::context, to_device>(api.cuMemcpyHtoD);
  put<"cuMemcpyDtoH", Scope::context, to_host>(api.cuMemcpyDtoH);
  put<"cuMemcpyHtoDAsync", Scope::context, to_device_async>(api.cuMemcpyHtoDAsync);
  put<"cuMemcpyDtoHAsync", Scope::context, to_host_async>(api.cuMemcpyDtoHAsync);
  put<"cuMemcpyDtoDAsync", Scope::context, within_async>(api.cuMemcpyDtoDAsync);
  put<"cuMemsetD8Async", Scope::context, set_bytes>(api.cuMemsetD8Async);
}

} // namespace cutaway::cuda::sim
