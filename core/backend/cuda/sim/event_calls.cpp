#include "backend/cuda/sim/submit.h"

#include <algorithm>

namespace cutaway::cuda::sim {

namespace {

CUresult create(Call& call, CUevent* out, unsigned flags) {
  if (flags & ~(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
  auto event = std::make_shared<Event>();
  event->timed = !(flags & CU_EVENT_DISABLE_TIMING);
  *out = call.sim().events.add(std::move(event));
  return CUDA_SUCCESS;
}

CUresult destroy(Call& call, CUevent handle) {
  return call.sim().events.take(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult record(Call& call, CUevent event_handle, CUstream stream_handle) {
  Sim& sim = call.sim();
  Stream* stream = sim.stream(stream_handle);
  const std::shared_ptr<Event> event = sim.events.find(event_handle);
  if (!stream || !event) return CUDA_ERROR_INVALID_HANDLE;
  event->recorded = true;
  event->in_capture = stream->capture != nullptr;
  event->capture = stream->capture;
  event->captured = stream->captured;
  if (event->in_capture) return CUDA_SUCCESS;
  order_default(sim, *stream);
  event->point = stream->tail;
  event->point.us = std::max(stream->tail.us, sim.clock.host_us());
  return CUDA_SUCCESS;
}

// Of an event that a capture recorded nothing can be asked.
CUresult refuse_captured(const Event& event) {
  if (!event.in_capture) return CUDA_SUCCESS;
  if (const std::shared_ptr<Capture> capture = event.capture.lock()) capture->invalid = true;
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult query(Call& call, CUevent handle) {
  const std::shared_ptr<Event> event = call.sim().events.find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult code = refuse_captured(*event); code != CUDA_SUCCESS) return code;
  return call.sim().executor.done(event->point) ? settle(call, &event->point) : CUDA_ERROR_NOT_READY;
}

CUresult synchronize(Call& call, CUevent handle) {
  const std::shared_ptr<Event> event = call.sim().events.find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult code = refuse_captured(*event); code != CUDA_SUCCESS) return code;
  return settle(call, &event->point);
}

CUresult elapsed(Call& call, float* ms, CUevent from_handle, CUevent to_handle) {
  Sim& sim = call.sim();
  const std::shared_ptr<Event> from = sim.events.find(from_handle), to = sim.events.find(to_handle);
  if (!from || !to || !from->recorded || !to->recorded || !from->timed || !to->timed) return CUDA_ERROR_INVALID_HANDLE;
  if (from->in_capture || to->in_capture) return CUDA_ERROR_CAPTURED_EVENT;
  if (!sim.executor.done(from->point) || !sim.executor.done(to->point)) return CUDA_ERROR_NOT_READY;
  *ms = float((to->point.us - from->point.us) / 1000);
  return CUDA_SUCCESS;
}

} // namespace

void put_event_calls(Api& api) {
  put<"cuEventCreate", Scope::context, create>(api.cuEventCreate);
  put<"cuEventDestroy", Scope::context, destroy>(api.cuEventDestroy);
  put<"cuEventRecord", Scope::context, record>(api.cuEventRecord);
  put<"cuEventQuery", Scope::context, query>(api.cuEventQuery);
  put<"cuEventSynchronize", Scope::context, synchronize>(api.cuEventSynchronize);
  put<"cuEventElapsedTime", Scope::context, elapsed>(api.cuEventElapsedTime);
}

} // namespace cutaway::cuda::sim
