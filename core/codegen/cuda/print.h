#pragma once
#include "codegen/cuda/cuda_kernel.h"
#include "codegen/nest.h"

namespace cutaway::codegen::cuda {

// Kernels by kind. Each fills geometry, loop nest and, as `text`, the statements of the body; false where the group has
// another form.
bool print_map(NestPrinter& p, const std::vector<NodeId>& nodes, CudaKernel& kernel, const CudaOptions& options);
bool print_rows(NestPrinter& p, const std::vector<NodeId>& nodes, CudaKernel& kernel, const CudaOptions& options);
bool print_window(NestPrinter& p, const std::vector<NodeId>& nodes, CudaKernel& kernel, const CudaOptions& options);
bool print_contraction(NestPrinter& p, const std::vector<NodeId>& nodes, CudaKernel& kernel, const CudaOptions& options);

inline bool is_half(DType t) { return t == DType::f16 || t == DType::bf16; }

// What most kernels use a block of.
constexpr int block_threads = 256;

// "const int NAME = " the number of this thread in the launch: one dimension of blocks.
std::string global_thread(const Dialect& dialect, const std::string& name, int threads);
// A block for each `threads` of the work.
void cover(CudaKernel& kernel, int64_t work, int threads);

// The loop nest as people read it: the launch, the given lines, the ops; at most 40 columns a line.
std::string nest_text(const Graph& g, const CudaKernel& kernel, const std::vector<std::string>& lines);

} // namespace cutaway::codegen::cuda
