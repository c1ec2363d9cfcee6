#include "runtime/cuda/context.h"

namespace cutaway::runtime {

CudaContext::~CudaContext() {
  replays.clear();
  (void)device->bind();
  for (const cuda::CUevent e : events) device->api().cuEventDestroy(e);
  for (const cuda::CUstream s : streams) device->api().cuStreamDestroy(s);
}

void CudaContext::release() {
  if (!std::exchange(held, false)) return;
  arena = {}, values = {}, flags = {}, pinned = {};
  found = nullptr;
  for (std::shared_ptr<std::byte>& memory : unpinned) memory.reset();
  std::fill(host.address.begin(), host.address.end(), nullptr);
  stale = !replays.empty();
}

Status CudaContext::make_streams(uint32_t queues, int count) {
  const cuda::Api& api = device->api();
  for (const cuda::CUevent e : std::exchange(events, {})) api.cuEventDestroy(e);
  for (const cuda::CUstream s : std::exchange(streams, {})) api.cuStreamDestroy(s);
  for (uint32_t q = 0; q < queues; ++q) {
    cuda::CUstream made = nullptr;
    if (Status s = device->check(api.cuStreamCreate(&made, cuda::CU_STREAM_NON_BLOCKING), "run", "cuStreamCreate"); !s) return s;
    streams.push_back(made);
  }
  for (int i = 0; i < count; ++i) {
    cuda::CUevent made = nullptr;
    if (Status s = device->check(api.cuEventCreate(&made, cuda::CU_EVENT_DISABLE_TIMING), "run", "cuEventCreate"); !s) return s;
    events.push_back(made);
  }
  return {};
}

} // namespace cutaway::runtime
