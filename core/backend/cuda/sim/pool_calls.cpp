#include "backend/cuda/sim/submit.h"

#include <algorithm>

namespace cutaway::cuda::sim {

namespace {

// A pool keeps what was freed up to its threshold; the simulator gives addresses back at once and keeps the account.
void give_back(Pool& pool, uint64_t keep) {
  pool.reserved = std::max(pool.used, std::min(pool.reserved, keep));
}

CUresult alloc_from(Call& call, CUdeviceptr* out, size_t bytes, CUmemoryPool handle, CUstream stream_handle) {
  Sim& sim = call.sim();
  const std::shared_ptr<Pool> pool = sim.pools.find(handle);
  const Stream* stream = sim.stream(stream_handle);
  if (!pool || !stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) return CUDA_ERROR_NOT_SUPPORTED; // no allocation nodes in simulated graphs
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *out = bytes > sim.device.memory - sim.memory.used() ? 0 : sim.memory.allocate(bytes);
  if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
  sim.pool_of[*out] = pool;
  pool->used += bytes;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved = std::max(pool->reserved, pool->used);
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  Work w; // counts as a write: whoever uses it must be ordered after it
  w.note.touches = {{*out, *out + bytes, true}};
  return post(call, stream_handle, std::move(w), "alloc");
}

CUresult alloc(Call& call, CUdeviceptr* out, size_t bytes, CUstream stream) {
  return alloc_from(call, out, bytes, call.sim().default_pool, stream);
}

CUresult free_async(Call& call, CUdeviceptr at, CUstream handle) {
  Sim& sim = call.sim();
  const Stream* stream = sim.stream(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) return CUDA_ERROR_NOT_SUPPORTED;
  const auto hit = sim.memory.find(at);
  if (!forget_pooled(sim, at)) {
    sim.reports.push_back("misuse: cuMemFreeAsync of what is no live allocation of a pool");
    return CUDA_ERROR_INVALID_VALUE;
  }
  Work w;
  w.note.touches = {{at, at + hit->second.bytes, true}};
  w.run = [at, memory = &sim.memory]() -> DeviceFault {
    return memory->release(at) ? DeviceFault{} : DeviceFault{CUDA_ERROR_ILLEGAL_ADDRESS, "freed twice"};
  };
  return post(call, handle, std::move(w), "free");
}

CUresult pool_create(Call& call, CUmemoryPool* out, const CUmemPoolProps* props) {
  if (!props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED || props->location.type != CU_MEM_LOCATION_TYPE_DEVICE || props->location.id != 0)
    return CUDA_ERROR_INVALID_VALUE;
  *out = call.sim().pools.add(std::make_shared<Pool>());
  return CUDA_SUCCESS;
}

CUresult pool_destroy(Call& call, CUmemoryPool handle) {
  Sim& sim = call.sim();
  if (handle == sim.default_pool) return CUDA_ERROR_INVALID_VALUE;
  return sim.pools.take(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

uint64_t* number(Pool& pool, CUmemPool_attribute attribute) {
  switch (attribute) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: return &pool.threshold;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: return &pool.reserved;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: return &pool.reserved_high;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: return &pool.used;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH: return &pool.used_high;
  default: return nullptr;
  }
}

bool is_reuse(CUmemPool_attribute attribute) {
  return attribute >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES && attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

CUresult pool_set(Call& call, CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  const std::shared_ptr<Pool> pool = call.sim().pools.find(handle);
  if (!pool) return CUDA_ERROR_INVALID_HANDLE;
  if (is_reuse(attribute)) {
    pool->reuse[attribute - 1] = *static_cast<int*>(value);
  } else if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
    pool->threshold = *static_cast<uint64_t*>(value);
  } else if (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH || attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH) {
    if (*static_cast<uint64_t*>(value) != 0) return CUDA_ERROR_INVALID_VALUE; // a high-water mark can only be reset
    pool->reserved_high = attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ? pool->reserved : pool->reserved_high;
    pool->used_high = attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? pool->used : pool->used_high;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult pool_get(Call& call, CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  const std::shared_ptr<Pool> pool = call.sim().pools.find(handle);
  if (!pool) return CUDA_ERROR_INVALID_HANDLE;
  if (is_reuse(attribute)) {
    *static_cast<int*>(value) = pool->reuse[attribute - 1];
  } else if (const uint64_t* from = number(*pool, attribute)) {
    *static_cast<uint64_t*>(value) = *from;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult pool_trim(Call& call, CUmemoryPool handle, size_t keep) {
  const std::shared_ptr<Pool> pool = call.sim().pools.find(handle);
  if (!pool) return CUDA_ERROR_INVALID_HANDLE;
  give_back(*pool, keep);
  return CUDA_SUCCESS;
}

CUresult default_pool(Call& call, CUmemoryPool* out, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *out = call.sim().default_pool;
  return CUDA_SUCCESS;
}

} // namespace

void trim_pools(Sim& sim) {
  for (const auto& [handle, pool] : sim.pools) give_back(*pool, pool->threshold);
}

bool forget_pooled(Sim& sim, CUdeviceptr at) {
  const auto owner = sim.pool_of.find(at);
  if (owner == sim.pool_of.end()) return false;
  owner->second->used -= sim.memory.find(at)->second.bytes;
  sim.pool_of.erase(owner);
  return true;
}

void put_pool_calls(Api& api) {
  put<"cuMemAllocAsync", Scope::context, alloc>(api.cuMemAllocAsync);
  put<"cuMemAllocFromPoolAsync", Scope::context, alloc_from>(api.cuMemAllocFromPoolAsync);
  put<"cuMemFreeAsync", Scope::context, free_async>(api.cuMemFreeAsync);
  put<"cuMemPoolCreate", Scope::context, pool_create>(api.cuMemPoolCreate);
  put<"cuMemPoolDestroy", Scope::context, pool_destroy>(api.cuMemPoolDestroy);
  put<"cuMemPoolSetAttribute", Scope::context, pool_set>(api.cuMemPoolSetAttribute);
  put<"cuMemPoolGetAttribute", Scope::context, pool_get>(api.cuMemPoolGetAttribute);
  put<"cuMemPoolTrimTo", Scope::context, pool_trim>(api.cuMemPoolTrimTo);
  put<"cuDeviceGetDefaultMemPool", Scope::context, default_pool>(api.cuDeviceGetDefaultMemPool);
}

} // namespace cutaway::cuda::sim
