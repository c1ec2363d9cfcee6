#include "runtime/cuda/run.h"

#include "backend/cuda/sim/sim.h"

namespace cutaway::runtime {

using Kind = DeviceWork::Kind;

Status CudaRun::run(CudaClock* clock) {
  const bool replays = !clock && !c_.observe && !c_.replays.empty();
  const auto all = [&]() -> Status {
    for (size_t r = 0; r < program_.regions.size(); ++r) {
      const DeviceRegion& region = program_.regions[r];
      for (const uint32_t k : region.host) {
        if (clock) clock->host_start(k);
        if (Status s = run_on_host(k); !s) return s;
        if (clock) clock->host_stop(k);
      }
      if (region.works.empty()) continue;
      Status s = replays ? c_.device->check(api().cuGraphLaunch(c_.replays[r].exec, c_.streams[0]), "replay", "cuGraphLaunch") : submit(r, clock);
      if (s) s = wait(c_.streams[0], "run");
      if (!s) return s;
    }
    return {};
  };
  Status done = all();
  if (!done)
    for (const cuda::CUstream s : c_.streams) api().cuStreamSynchronize(s);
  return done;
}

Status CudaRun::replay_once(CudaClock& clock) {
  clock.start_replay(c_.streams[0]);
  Status s;
  for (size_t r = 0; r < program_.regions.size() && s; ++r) {
    for (const uint32_t k : program_.regions[r].host)
      if (s) s = run_on_host(k);
    if (!s || program_.regions[r].works.empty()) continue;
    clock.start_call();
    s = c_.device->check(api().cuGraphLaunch(c_.replays[r].exec, c_.streams[0]), "replay", "cuGraphLaunch");
    clock.stop_call();
    if (s) s = wait(c_.streams[0], "replay");
  }
  clock.stop_replay(c_.streams[0]);
  return s ? wait(c_.streams[0], "replay") : s;
}

Status CudaRun::run_on_host(uint32_t kernel) {
  if (Status s = c_.host.run(kernels_[kernel], nullptr); !s) return s;
  if (!c_.observe) return {};
  for (const ValueId v : kernels_[kernel].writes) c_.observe(static_cast<int>(kernel), v, c_.host.view(v, nullptr));
  return {};
}

// The streams of a region start when stream 0 does.
Status CudaRun::fork(const DeviceRegion& region) {
  const auto& forks = region.wiring.forks;
  const cuda::CUevent begin = c_.events.empty() ? nullptr : c_.events.back();
  bool recorded = false;
  for (size_t q = 1; q < forks.size(); ++q) {
    if (!forks[q]) continue;
    if (!std::exchange(recorded, true))
      if (Status s = c_.device->check(api().cuEventRecord(begin, c_.streams[0]), "run", "cuEventRecord"); !s) return s;
    if (Status s = c_.device->check(api().cuStreamWaitEvent(c_.streams[q], begin, 0), "run", "cuStreamWaitEvent"); !s) return s;
  }
  return {};
}

Status CudaRun::join(const DeviceRegion& region) {
  for (const int last : region.wiring.joins)
    if (last >= 0)
      if (Status s = c_.device->check(api().cuStreamWaitEvent(c_.streams[0], c_.events[static_cast<size_t>(region.wiring.records[static_cast<size_t>(last)])], 0), "run", "cuStreamWaitEvent"); !s) return s;
  return {};
}

Status CudaRun::submit(size_t index, CudaClock* clock) {
  const DeviceRegion& region = program_.regions[index];
  if (Status s = fork(region); !s) return s;
  for (uint32_t i = 0; i < region.works.size(); ++i) {
    const cuda::CUstream stream = c_.streams[region.streams.schedule.queue[i]];
    for (const uint32_t first : region.wiring.waits[i])
      if (Status s = c_.device->check(api().cuStreamWaitEvent(stream, c_.events[static_cast<size_t>(region.wiring.records[first])], 0), "run", "cuStreamWaitEvent"); !s) return s;
    if (clock) clock->start(index, i, stream);
    if (Status s = start(region.works[i], region, stream); !s) return s;
    if (clock) clock->stop(stream);
    if (const int event = region.wiring.records[i]; event >= 0)
      if (Status s = c_.device->check(api().cuEventRecord(c_.events[static_cast<size_t>(event)], stream), "run", "cuEventRecord"); !s) return s;
    if (c_.observe && region.works[i].kind == Kind::launch)
      if (Status s = observe(region.works[i].kernel, stream); !s) return s;
  }
  return join(region);
}

Status CudaRun::start(const DeviceWork& work, const DeviceRegion& region, cuda::CUstream stream) {
  const uint32_t flags = region.last_kernel - region.first_kernel;
  switch (work.kind) {
  case Kind::copy_in: return c_.device->check(api().cuMemcpyHtoDAsync(c_.address[work.value.v], c_.host.address[work.value.v], bytes_of(work.value), stream), "copy to the device", "cuMemcpyHtoDAsync");
  case Kind::copy_out: return c_.device->check(api().cuMemcpyDtoHAsync(c_.host.address[work.value.v], c_.address[work.value.v], bytes_of(work.value), stream), "copy from the device", "cuMemcpyDtoHAsync");
  case Kind::clear_flags: return c_.device->check(api().cuMemsetD8Async(c_.flags.at() + region.first_kernel * sizeof(int), 0, flags * sizeof(int), stream), "flags", "cuMemsetD8Async");
  case Kind::read_flags: return c_.device->check(api().cuMemcpyDtoHAsync(c_.found + region.first_kernel, c_.flags.at() + region.first_kernel * sizeof(int), flags * sizeof(int), stream), "flags", "cuMemcpyDtoHAsync");
  case Kind::launch: break;
  }
  return launch(work, stream);
}

// What the simulator checks a launch against, and models its time from.
void CudaRun::declare(uint32_t kernel) {
  const codegen::GroupKernel& k = kernels_[kernel];
  const DeviceLaunch& l = program_.launches[kernel];
  cuda::sim::Note note{k.name, {}, l.bytes, l.flops};
  const auto add = [&](ValueId root, bool write) {
    if (c_.address[root.v]) note.touches.push_back({c_.address[root.v], c_.address[root.v] + bytes_of(root), write});
  };
  for (const ValueId v : k.reads) add(v, false);
  for (const ValueId v : k.writes) add(v, true);
  if (l.checks_indices) note.touches.push_back({c_.flags.at() + kernel * sizeof(int), c_.flags.at() + (kernel + 1) * sizeof(int), true});
  cuda::sim::note_next(std::move(note));
}

Status CudaRun::launch(const DeviceWork& work, cuda::CUstream stream) {
  const DeviceLaunch& l = program_.launches[work.kernel];
  if (c_.device->modelled()) declare(work.kernel);
  if (l.library) {
    const auto at = [&](size_t i) { return c_.pointers[l.first_pointer + l.operands[i].buffer] + l.operands[i].bytes; };
    if (Status s = l.library->launch(at(0), at(1), at(2), stream); !s) return within(place(work.kernel), s.error());
    return {};
  }
  const cuda::CUresult code = api().cuLaunchKernel(l.code->function(), l.grid[0], l.grid[1], l.grid[2], l.threads, 1, 1, l.shared, stream, c_.params.data() + l.first_pointer, nullptr);
  return code == cuda::CUDA_SUCCESS ? Status() : c_.device->check(code, place(work.kernel), "cuLaunchKernel");
}

Status CudaRun::observe(uint32_t kernel, cuda::CUstream stream) {
  for (const ValueId v : kernels_[kernel].writes) {
    if (!c_.host.address[v.v]) {
      c_.unpinned[v.v] = allocate_aligned(graph_.type(v).bytes());
      c_.host.address[v.v] = c_.unpinned[v.v].get();
    }
    if (Status s = c_.device->check(api().cuMemcpyDtoHAsync(c_.host.address[v.v], c_.address[v.v], bytes_of(v), stream), place(kernel), "cuMemcpyDtoHAsync"); !s) return s;
    if (Status s = wait(stream, place(kernel)); !s) return s;
    c_.observe(static_cast<int>(kernel), v, c_.host.view(v, c_.unpinned[v.v]));
  }
  return {};
}

Status CudaRun::capture() {
  for (size_t r = 0; r < program_.regions.size(); ++r)
    if (Status s = capture(r); !s) {
      c_.replays.clear(), c_.stale = false;
      return s;
    }
  c_.stale = false;
  return {};
}

// Into what was instantiated before, where only addresses differ.
Status CudaRun::instantiate(Replay& replay, cuda::CUgraph graph) {
  if (replay.exec) {
    cuda::CUgraphExecUpdateResultInfo info{};
    if (api().cuGraphExecUpdate(replay.exec, graph, &info) == cuda::CUDA_SUCCESS) return {};
    api().cuGraphExecDestroy(std::exchange(replay.exec, nullptr));
  }
  return c_.device->check(api().cuGraphInstantiateWithFlags(&replay.exec, graph, 0), "capture", "cuGraphInstantiateWithFlags");
}

// Streams that are in the midst of a failed capture are given back.
Status CudaRun::capture(size_t index) {
  if (c_.replays.size() == index) c_.replays.emplace_back(c_.device);
  if (program_.regions[index].works.empty()) return {};
  if (Status s = c_.device->check(api().cuStreamBeginCapture(c_.streams[0], cuda::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "capture", "cuStreamBeginCapture"); !s) return s;
  Status made = submit(index, nullptr);
  cuda::CUgraph graph = nullptr;
  const Status ended = c_.device->check(api().cuStreamEndCapture(c_.streams[0], &graph), "capture", "cuStreamEndCapture");
  if (made) made = ended;
  if (made) made = instantiate(c_.replays[index], graph);
  if (graph) api().cuGraphDestroy(graph);
  if (!made)
    if (Status s = c_.make_streams(program_.queues, program_.events); !s) return s;
  return made;
}

} // namespace cutaway::runtime
