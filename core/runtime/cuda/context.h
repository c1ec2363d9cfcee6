#pragma once
#include "runtime/cuda/program.h"
#include "runtime/executable.h"
#include "runtime/host_values.h"

namespace cutaway::runtime {

// What all runs of a compiled graph share.
struct CudaProgram {
  std::shared_ptr<const cuda::Device> device;
  std::vector<DeviceLaunch> launches; // one a kernel
  std::vector<DeviceRegion> regions;
  cuda::Memory weights;
  std::vector<cuda::CUdeviceptr> weight;    // by value id: constants that kernels on the device read
  std::vector<ValueId> copied;        // to or from the device, by some work
  bool captures = true;
  bool checks = false;                // some kernel may find an index out of range
  uint32_t queues = 1;
  int events = 0;                     // that the streams of a region need at most; the last forks
};

// A captured region, submitted as one.
struct Replay {
  explicit Replay(std::shared_ptr<const cuda::Device> on) : device(std::move(on)) {}
  Replay(Replay&& other) noexcept : device(other.device), exec(std::exchange(other.exec, nullptr)) {}
  ~Replay() {
    if (!exec) return;
    (void)device->bind();
    device->api().cuGraphExecDestroy(exec);
  }
  std::shared_ptr<const cuda::Device> device;
  cuda::CUgraphExec exec = nullptr;
};

// One run's own: arena, streams, events, and pinned host memory in which all copies start and end, so that the addresses of
// a capture stay good. Inputs are copied in, outputs out: what the caller holds is never overwritten by a later run.
struct CudaContext final : RunContext {
  CudaContext(const Graph& graph, const plan::Storage& storage, std::shared_ptr<const cuda::Device> on) : device(std::move(on)), host(graph, storage) {}
  ~CudaContext() override;
  void release() override;
  // New streams and events; those there were are given back with whatever they were in the midst of.
  Status make_streams(uint32_t queues, int events);

  std::shared_ptr<const cuda::Device> device;
  cuda::Memory arena, values, flags; // values: params, outputs, and what the host makes
  cuda::PinnedMemory pinned;
  std::vector<cuda::CUstream> streams;
  std::vector<cuda::CUevent> events;
  std::vector<cuda::CUdeviceptr> address;  // by value id: where its storage starts; 0: inside kernels only, or on the host only
  std::vector<cuda::CUdeviceptr> pointers; // what launches take, one after another
  std::vector<void*> params;               // where each of them stands
  HostValues host;                         // of kernels that run on the host, and of what is observed
  std::vector<std::shared_ptr<std::byte>> unpinned; // by value id: mirrors of what is not copied by any work
  int* found = nullptr;                    // the flags, as read
  int64_t runs = 0;
  bool held = false;                       // memory
  std::vector<Replay> replays;             // one a region, once captured
  bool stale = false;                      // they hold addresses of memory that was released
};

} // namespace cutaway::runtime
