#pragma once
#include "backend/cuda/device.h"
#include "codegen/cuda/cuda_kernel.h"
#include "runtime/executable.h"

namespace cutaway::runtime {

// On a GPU, real or simulated: kernels that have a text run there, one after another in one stream; the others by the
// reference evaluation on the host, with what they read and write copied. Where every kernel has a text, the launches are
// captured at a context's second run and replayed from then on; inputs are copied to where the capture reads them.
Result<std::shared_ptr<const Executable>> make_cuda_executable(const Graph& graph, std::vector<codegen::CudaKernel> kernels, const plan::Storage& storage,
                                                               std::shared_ptr<const cuda::Device> device, const ExecutableOptions& options);

} // namespace cutaway::runtime
