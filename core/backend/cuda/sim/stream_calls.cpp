#include "backend/cuda/sim/submit.h"

#include <algorithm>
#include <set>

namespace cutaway::cuda::sim {

namespace {

CUresult create(Call& call, CUstream* out, unsigned flags) {
  Sim& sim = call.sim();
  if (flags & ~CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  auto stream = std::make_shared<Stream>();
  stream->id = sim.next_stream++;
  stream->lane = sim.order.new_lane();
  stream->blocking = !(flags & CU_STREAM_NON_BLOCKING);
  *out = sim.streams.add(std::move(stream));
  return CUDA_SUCCESS;
}

void drop(Sim& sim, const std::shared_ptr<Capture>& capture) {
  for (const auto& [handle, stream] : sim.streams) {
    if (stream->capture != capture) continue;
    stream->capture.reset();
    stream->captured.clear();
  }
}

// What it was given still runs.
CUresult destroy(Call& call, CUstream handle) {
  Sim& sim = call.sim();
  const std::shared_ptr<Stream> stream = sim.streams.find(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (const std::shared_ptr<Capture> capture = stream->capture) {
    capture->invalid = true;
    if (capture->origin == stream.get()) drop(sim, capture);
  }
  join(sim.gone, stream->tail);
  sim.streams.take(handle);
  return CUDA_SUCCESS;
}

CUresult synchronize(Call& call, CUstream handle) {
  const Stream* stream = call.sim().stream(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) return forbidden(*stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return settle(call, &stream->tail);
}

CUresult query(Call& call, CUstream handle) {
  const Stream* stream = call.sim().stream(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) return forbidden(*stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return call.sim().executor.done(stream->tail) ? settle(call, &stream->tail) : CUDA_ERROR_NOT_READY;
}

CUresult wait_event(Call& call, CUstream stream_handle, CUevent event_handle, unsigned) {
  Sim& sim = call.sim();
  Stream* stream = sim.stream(stream_handle);
  const std::shared_ptr<Event> event = sim.events.find(event_handle);
  if (!stream || !event) return CUDA_ERROR_INVALID_HANDLE;
  if (!event->in_capture) {
    if (stream->capture) return forbidden(*stream->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    join(stream->tail, event->point);
    return CUDA_SUCCESS;
  }
  const std::shared_ptr<Capture> capture = event->capture.lock();
  if (!capture) return CUDA_ERROR_CAPTURED_EVENT;
  if (stream == &sim.default_stream) return forbidden(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (stream->capture && stream->capture != capture) {
    capture->invalid = true;
    return forbidden(*stream->capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  stream->capture = capture;
  for (size_t node : event->captured)
    if (std::find(stream->captured.begin(), stream->captured.end(), node) == stream->captured.end()) stream->captured.push_back(node);
  return CUDA_SUCCESS;
}

CUresult begin_capture(Call& call, CUstream handle, CUstreamCaptureMode mode) {
  Sim& sim = call.sim();
  Stream* stream = sim.stream(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream == &sim.default_stream) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  stream->capture = std::make_shared<Capture>(Capture{stream, mode, std::this_thread::get_id(), std::make_shared<Graph>()});
  stream->captured.clear();
  sim.captures.push_back(stream->capture);
  return CUDA_SUCCESS;
}

// Whether every node leads to what the origin stream ended with.
bool joined(const Graph& graph, const std::vector<size_t>& ends) {
  std::set<size_t> reached(ends.begin(), ends.end());
  for (size_t n = graph.nodes.size(); n-- > 0;)
    if (reached.contains(n)) reached.insert(graph.nodes[n].after.begin(), graph.nodes[n].after.end());
  return reached.size() == graph.nodes.size();
}

CUresult end_capture(Call& call, CUstream handle, CUgraph* out) {
  Sim& sim = call.sim();
  Stream* stream = sim.stream(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  *out = nullptr;
  const std::shared_ptr<Capture> capture = stream->capture;
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) return forbidden(*capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  CUresult code = CUDA_SUCCESS;
  if (capture->invalid)
    code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  else if (!joined(*capture->graph, stream->captured))
    code = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  else
    *out = sim.graphs.add(capture->graph);
  drop(sim, capture);
  return code;
}

CUresult is_capturing(Call& call, CUstream handle, CUstreamCaptureStatus* out) {
  Sim& sim = call.sim();
  const Stream* stream = sim.stream(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream == &sim.default_stream)
    for (const Capture* c : sim.active_captures())
      if (c->origin->blocking) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  const Capture* c = stream->capture.get();
  *out = !c ? CU_STREAM_CAPTURE_STATUS_NONE : c->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

} // namespace

void put_stream_calls(Api& api) {
  put<"cuStreamCreate", Scope::context, create>(api.cuStreamCreate);
  put<"cuStreamDestroy", Scope::context, destroy>(api.cuStreamDestroy);
  put<"cuStreamSynchronize", Scope::context, synchronize>(api.cuStreamSynchronize);
  put<"cuStreamQuery", Scope::context, query>(api.cuStreamQuery);
  put<"cuStreamWaitEvent", Scope::context, wait_event>(api.cuStreamWaitEvent);
  put<"cuStreamBeginCapture", Scope::context, begin_capture>(api.cuStreamBeginCapture);
  put<"cuStreamEndCapture", Scope::context, end_capture>(api.cuStreamEndCapture);
  put<"cuStreamIsCapturing", Scope::context, is_capturing>(api.cuStreamIsCapturing);
}

} // namespace cutaway::cuda::sim
