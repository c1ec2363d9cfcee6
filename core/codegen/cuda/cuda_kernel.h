#pragma once
#include "codegen/cuda/plain.h"
#include "codegen/group_kernel.h"

#include <array>

namespace cutaway::codegen {

struct CudaOptions {
  bool strict = false; // every sum in the one order of the reference; to be compiled without contraction
  int capability = 80; // of the device, times ten: tensor cores and asynchronous copies from 80 on
};

// A fused group as text in the kernel dialect (see the dialect's preludes), for NVRTC and the simulated driver alike. The
// kernel is CW_KERNEL(symbol, threads); its parameters are the pointers of `buffers`, then the error flag (int*) where
// `checks_indices`. Extents are part of the text. Buffers are aligned to 16 bytes. What a device kernel cannot do has an
// empty text and `why_not`: it runs by the reference evaluation.
struct CudaKernel : GroupKernel {
  std::optional<PlainProduct> product; // where it is one, or the other
  std::optional<PlainConvolution> convolution;
  std::array<int64_t, 3> grid{1, 1, 1};
  int threads = 0;           // of a block, in one dimension
  int64_t shared_bytes = 0;  // dynamic, of a block
  double bytes = 0;          // that the launch must at least read and write; beside `flops`
  std::string why_not;       // "no kernel for topk"
};

CudaKernel make_cuda_kernel(const Graph& g, const plan::Storage& storage, GroupId group, const std::vector<NodeId>& nodes, const std::string& symbol, const CudaOptions& options);

} // namespace cutaway::codegen
