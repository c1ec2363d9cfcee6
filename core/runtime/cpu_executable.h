#pragma once
#include "backend/cpu/jit/kernel_compiler.h"
#include "codegen/kernel.h"
#include "runtime/executable.h"

namespace cutaway::runtime {

// On the CPU: kernels that were compiled to machine code run in the threads of a pool; the others by the reference
// evaluation, all of them where `source` is null.
Result<std::shared_ptr<const Executable>> make_cpu_executable(const Graph& graph, std::vector<codegen::Kernel> kernels, const plan::Storage& storage,
                                                              cpu::KernelCompiler* source, const ExecutableOptions& options);

} // namespace cutaway::runtime
