#pragma once
#include "backend/cuda/sim/launch.h"
#include "base/result.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace cutaway::cpu {
class KernelCompiler;
class Linker;
} // namespace cutaway::cpu

namespace cutaway::cuda::sim {

struct ProgramOptions {
  bool contract = true, fast = false, checked = false;
};

// The simulated NVRTC: kernel text to an image (what cuModuleLoadData takes), which holds an object of this machine. The
// error is the compiler's log.
Result<std::string> compile_image(cpu::KernelCompiler& compiler, const std::string& text, const ProgramOptions& options);

// All that images hang on beside text and options: the compiler, this machine, and what is put around a text.
const std::string& image_identity(bool checked);

// The simulated module loader: the kernels of an image by name. An image says its own length, as a cubin does.
using Kernels = std::map<std::string, std::shared_ptr<const KernelEntry>>;
Result<Kernels> load_image(cpu::Linker& linker, const void* image);

} // namespace cutaway::cuda::sim
