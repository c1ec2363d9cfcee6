// Stands in for kernel_compiler.cpp in a build without LLVM (CUTAWAY_CPU_JIT=OFF).
#include "backend/cpu/jit/kernel_compiler.h"

namespace cutaway::cpu {

Result<std::shared_ptr<KernelCompiler>> KernelCompiler::create(CompilerConfig) {
  return unsupported("cpu kernels", "this program was built without the kernel compiler",
                     "build with CUTAWAY_CPU_JIT=ON, or use another device");
}

} // namespace cutaway::cpu
