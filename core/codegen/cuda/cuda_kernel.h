#pragma once
#include "codegen/group_kernel.h"

#include <array>

namespace cutaway::codegen {

struct CudaOptions {
  bool strict = false; // every sum in the one order of the reference; to be compiled without contraction
  int capability = 80; // of the device, times ten: tensor cores and asynchronous copies from 80 on
};

// A kernel that is nothing but a product of matrices of one type, as libraries compute it: out[b][m][n] = sum over k of
// a[b][m][k] * b[b][k][n]. Of a side's row and column strides one is 1; all count elements.
struct PlainProduct {
  struct Side {
    size_t buffer = 0; // of the kernel
    int64_t offset = 0, row = 0, column = 1, batch = 0;
  };
  DType type = DType::f32; // f32, f16 or bf16
  int64_t batch = 1, m = 0, n = 0, k = 0;
  Side a, b, out;
};

// A fused group as text in the kernel dialect (see the dialect's preludes), for NVRTC and the simulated driver alike. The
// kernel is CW_KERNEL(symbol, threads); its parameters are the pointers of `buffers`, then the error flag (int*) where
// `checks_indices`. Extents are part of the text. Buffers are aligned to 16 bytes. What a device kernel cannot do has an
// empty text and `why_not`: it runs by the reference evaluation.
struct CudaKernel : GroupKernel {
  std::optional<PlainProduct> product;
  std::array<int64_t, 3> grid{1, 1, 1};
  int threads = 0;           // of a block, in one dimension
  int64_t shared_bytes = 0;  // dynamic, of a block
  double bytes = 0;          // that the launch must at least read and write; beside `flops`
  std::string why_not;       // "no kernel for topk"
};

CudaKernel make_cuda_kernel(const Graph& g, const plan::Storage& storage, GroupId group, const std::vector<NodeId>& nodes, const std::string& symbol, const CudaOptions& options);

} // namespace cutaway::codegen
