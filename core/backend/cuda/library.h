#pragma once
#include "backend/cuda/abi.h"
#include "base/result.h"

namespace cutaway::cuda {

// What libraries compute with: of all operands of a routine; sums are in f32.
enum class LibraryType : uint8_t { f32, f16, bf16 };

// A routine of NVIDIA's libraries, prepared for one shape, in a kernel's place.
class LibraryCall {
 public:
  virtual ~LibraryCall() = default;
  // The addresses are those of the first elements. From any thread; may be captured.
  virtual Status launch(CUdeviceptr a, CUdeviceptr b, CUdeviceptr out, CUstream stream) const = 0;
};

} // namespace cutaway::cuda
