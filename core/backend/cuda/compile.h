#pragma once
#include "backend/cuda/api.h"

namespace cutaway::cuda {

struct CompileOptions {
  int capability = 90;  // code for this compute capability times ten, and no other
  bool strict = false;  // no contraction
  bool fast = false;    // approximate division, roots and functions; strict wins
};

// What a kernel takes, as the compiler reports it; nothing from the simulator.
struct KernelUsage {
  std::string name;
  int registers = 0, stack_bytes = 0, spill_store_bytes = 0, spill_load_bytes = 0, shared_bytes = 0; // shared: static
};

struct Cubin {
  std::string image; // for cuModuleLoadData
  std::string log;
  std::vector<KernelUsage> usage;
};

// Compiles a text of the kernel dialect (base/prelude/cuda/prelude.h). `unsupported` with the compiler's log where it
// refuses.
Result<Cubin> compile(const Api& api, const std::string& text, const CompileOptions& options);

// The compute capabilities, times ten, that the compiler makes code for.
std::vector<int> supported_capabilities(const Api& api);

// The arguments that compile() gives to NVRTC: what a cache of its results has to know beside text and version.
std::vector<std::string> compiler_arguments(const CompileOptions& options);

} // namespace cutaway::cuda
