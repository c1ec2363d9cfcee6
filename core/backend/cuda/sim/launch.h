#pragma once
#include "backend/cuda/sim/sim.h"
#include "base/prelude/cuda/sim_abi.h"

#include <memory>
#include <string>
#include <vector>

namespace cutaway::cuda::sim {

constexpr unsigned max_params = 256;

struct KernelEntry {
  std::string name;
  void (*thread)(CwThread*, void** params) = nullptr;
  void (*block)(CwThread*, void** params) = nullptr; // null where the kernel has collectives, or is checked
  std::vector<unsigned> sizes;                       // bytes of each parameter
  unsigned threads = 0;                              // at most in a block
  std::shared_ptr<const void> code;                  // keeps the machine code
};

// One launch, complete: parameters are copied when it is submitted, as the driver does.
struct Launch {
  std::shared_ptr<const KernelEntry> kernel;
  std::string label;
  CwDim3 grid{}, block{};
  unsigned shared_bytes = 0;
  std::vector<std::vector<unsigned char>> values;
  std::vector<Range> touches;
};

struct DeviceFault {
  CUresult code = CUDA_SUCCESS;
  std::string text;
};

} // namespace cutaway::cuda::sim
