#pragma once
#include "runtime/cuda/clock.h"

namespace cutaway::runtime {

// The works of a program on their way to the device, in one context.
class CudaRun {
 public:
  CudaRun(const Graph& graph, const CudaProgram& program, std::span<const codegen::GroupKernel> kernels, CudaContext& context) : graph_(graph), program_(program), kernels_(kernels), c_(context) {}

  // All regions one after the other, each launched one by one or, once captured, replayed. Done when it returns; where it
  // fails nothing of it goes on. `clock` may be null; with a clock or an observer nothing is replayed.
  Status run(CudaClock* clock);
  // All of it again, each region as one submission.
  Status replay_once(CudaClock& clock);
  // Captures all regions; what was instantiated before is updated. A capture that fails costs only itself: later runs launch one by one.
  Status capture();

 private:
  Status run_on_host(uint32_t kernel);
  Status submit(size_t region, CudaClock* clock);
  Status start(const DeviceWork& work, const DeviceRegion& region, cuda::CUstream stream);
  Status launch(const DeviceWork& work, cuda::CUstream stream);
  void declare(uint32_t kernel);
  Status fork(const DeviceRegion& region);
  Status join(const DeviceRegion& region);
  Status capture(size_t region);
  Status instantiate(Replay& replay, cuda::CUgraph graph);
  Status observe(uint32_t kernel, cuda::CUstream stream);
  Status wait(cuda::CUstream stream, const std::string& where) const { return c_.device->check(api().cuStreamSynchronize(stream), where, "cuStreamSynchronize"); }
  const cuda::Api& api() const { return c_.device->api(); }
  size_t bytes_of(ValueId v) const { return static_cast<size_t>(graph_.type(v).bytes()); }
  std::string place(uint32_t kernel) const { return "launch " + std::to_string(kernel) + " (" + kernels_[kernel].name + "), " + graph_.place(kernels_[kernel].nodes.front()); }

  const Graph& graph_;
  const CudaProgram& program_;
  std::span<const codegen::GroupKernel> kernels_;
  CudaContext& c_;
};

} // namespace cutaway::runtime
