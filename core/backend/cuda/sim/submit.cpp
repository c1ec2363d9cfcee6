#include "backend/cuda/sim/submit.h"

#include <algorithm>

namespace cutaway::cuda::sim {

CUresult forbidden(Sim& sim, CUresult code) {
  CUresult out = CUDA_SUCCESS;
  for (Capture* c : sim.active_captures()) {
    const bool own = c->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && c->thread == std::this_thread::get_id();
    if (c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL || own) out = forbidden(*c, code);
  }
  return out;
}

CUresult forbidden(Capture& capture, CUresult code) {
  capture.invalid = true;
  return code;
}

CUresult settle(Call& call, const Point* point) {
  const std::optional<Point> copy = point ? std::optional(*point) : std::nullopt;
  Sim& sim = call.sim();
  Point all = sim.gone;
  join(all, sim.default_stream.tail);
  for (const auto& [handle, stream] : sim.streams) join(all, stream->tail);
  call.lock.unlock();
  const DeviceFault fault = sim.executor.wait(copy ? &*copy : nullptr);
  call.lock.lock();
  if (fault.code != CUDA_SUCCESS && sim.sticky == CUDA_SUCCESS) {
    sim.reports.push_back("fault: " + fault.text);
    sim.sticky = fault.code;
  }
  join(sim.host, copy ? *copy : all);
  sim.host.ops.clear();
  sim.clock.wait_until(sim.host.us);
  trim_pools(sim);
  return sim.sticky;
}

Point issue(Sim& sim, Work work, Point at, int lane, int stream) {
  sim.order.add(work.note, at, lane, stream, sim.reports);
  at.us = sim.clock.place(work, at.us, stream);
  at.ops = {sim.executor.submit(std::move(work), std::move(at.ops))};
  return at;
}

void order_default(Sim& sim, Stream& stream) {
  if (&stream == &sim.default_stream) {
    for (const auto& [handle, other] : sim.streams)
      if (other->blocking) join(stream.tail, other->tail);
  } else if (stream.blocking) {
    join(stream.tail, sim.default_stream.tail);
  }
  join(stream.tail, sim.host);
}

void describe(Work& work, std::shared_ptr<Launch> launch, std::optional<Note> note, const std::string& label) {
  if (note) {
    if (!launch) note->touches = std::move(work.note.touches); // a copy knows what it touches
    work.note = std::move(*note);
  }
  if (work.note.label.empty()) work.note.label = label;
  if (!launch) return;
  launch->label = launch->kernel->name == work.note.label ? work.note.label : work.note.label + " (" + launch->kernel->name + ")";
  launch->touches = work.note.touches;
  work.launch = std::move(launch);
}

CUresult post(Call& call, CUstream handle, Work work, const std::string& label) {
  Sim& sim = call.sim();
  if (!work.launch) describe(work, nullptr, take_note(), label);
  Stream* stream = sim.stream(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream == &sim.default_stream) {
    CUresult implicit = CUDA_SUCCESS;
    for (Capture* c : sim.active_captures())
      if (c->origin->blocking) implicit = forbidden(*c, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    if (implicit != CUDA_SUCCESS) return implicit;
  }
  if (Capture* c = stream->capture.get()) {
    if (c->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    c->graph->nodes.push_back({std::move(work), stream->captured});
    stream->captured = {c->graph->nodes.size() - 1};
    return CUDA_SUCCESS;
  }
  order_default(sim, *stream);
  sim.clock.spend(sim.device.launch_us, work.note.label, stream->id);
  stream->tail = issue(sim, std::move(work), stream->tail, stream->lane, stream->id);
  return CUDA_SUCCESS;
}

std::shared_ptr<Launch> make_launch(const Function* f, CwDim3 grid, CwDim3 block, unsigned shared, void** params) {
  if (!f || block.x == 0 || block.y == 0 || block.z == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0) return nullptr;
  if (block.x > max_block || block.y > max_block || block.z > 64) return nullptr;
  if (block.x * block.y * block.z > f->kernel->threads || grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535) return nullptr;
  const std::vector<unsigned>& sizes = f->kernel->sizes;
  if (shared > f->shared_limit || (!params && !sizes.empty())) return nullptr;
  auto launch = std::make_shared<Launch>();
  launch->kernel = f->kernel;
  launch->grid = grid;
  launch->block = block;
  launch->shared_bytes = shared;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto* value = static_cast<const unsigned char*>(params[i]);
    launch->values.emplace_back(value, value + sizes[i]);
  }
  return launch;
}

} // namespace cutaway::cuda::sim
