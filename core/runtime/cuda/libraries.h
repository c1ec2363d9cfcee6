#pragma once
#include "backend/cuda/blas.h"
#include "backend/cuda/dnn.h"
#include "base/settings.h"
#include "runtime/cuda/program.h"

#include <span>

namespace cutaway::runtime {

// Microseconds of a launch of our kernel, and of the library's in its place.
struct LibraryTimes {
  double ours = 0, theirs = 0;
};
// Both on zeros, in memory of their own; `limit` where there is no room for it.
Result<LibraryTimes> time_library(const codegen::CudaKernel& kernel, const Graph& graph, const cuda::Device& device, const DeviceLaunch& launch);

// A kernel that is plainly what a library computes, as the library is told of it, and where its operands lie.
std::array<LibraryOperand, 3> library_operands(const codegen::CudaKernel& kernel);
cuda::Product library_product(const codegen::PlainProduct& product);
cuda::Convolution library_convolution(const codegen::PlainConvolution& convolution);

// Gives launches that are plain products to the device's cuBLASLt and those that are plain convolutions to its cuDNN, as
// `libraries` asks; Libraries::measured times both. What the library cannot do stays ours. The journal, which may be null,
// receives each choice.
Status take_libraries(std::span<const codegen::CudaKernel> kernels, const Graph& graph, const std::shared_ptr<const cuda::Device>& device, Libraries libraries, std::vector<DeviceLaunch>& launches, Journal* journal);

} // namespace cutaway::runtime
