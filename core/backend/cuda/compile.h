#pragma once
#include "backend/cuda/api.h"
#include "base/disk_cache.h"
#include "base/prelude/cuda/prelude.h"

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

// Names what compile() makes of a text on disk: by text, prelude, options and compiler (which NVRTC, of what version).
CacheKey image_key(std::string_view compiler, std::string_view text, const CompileOptions& options, std::string_view prelude = cuda_device_prelude());

} // namespace cutaway::cuda
