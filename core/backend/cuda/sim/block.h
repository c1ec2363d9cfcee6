#pragma once
#include "backend/cuda/sim/launch.h"
#include "backend/cuda/sim/memory.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace cutaway::cuda::sim {

struct Tally {
  std::atomic<uint64_t> threads{0}, switches{0}, blocks{0};
};

class BlockState;

// Runs blocks of simulated kernels; the threads of a block are fibers of one OS thread. One a worker thread, made on the
// thread that uses it.
class BlockRunner {
 public:
  BlockRunner(DeviceMemory& memory, Tally& tally);
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  // What went wrong, and in which thread of the block.
  DeviceFault run(const Launch& launch, CwDim3 block_index);

  // From another thread: ends the kernel that now runs here, if any, with CUDA_ERROR_LAUNCH_TIMEOUT. May have to be
  // repeated until run() returns, as not every moment will do.
  void expire();

 private:
  std::unique_ptr<BlockState> state_;
};

} // namespace cutaway::cuda::sim
