#pragma once
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

// Where what a plain product reads and writes lies.
std::array<LibraryOperand, 3> library_operands(const codegen::PlainProduct& product);
cuda::Product library_product(const codegen::PlainProduct& product);

// Gives launches that are plain products to the device's library, as `libraries` asks; Libraries::measured times both. What the library cannot do stays ours. The journal, which may be null, receives each choice.
Status take_libraries(std::span<const codegen::CudaKernel> kernels, const Graph& graph, const std::shared_ptr<const cuda::Device>& device, Libraries libraries, std::vector<DeviceLaunch>& launches, Journal* journal);

} // namespace cutaway::runtime
