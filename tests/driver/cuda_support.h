#pragma once
#include "backend/cuda/api.h"
#include "codegen/cuda/cuda_kernel.h"
#include "driver/pipeline.h"

#include <span>

namespace cutaway::driver {

// The device kernels of a compiled segment, in the order of its own.
std::vector<codegen::CudaKernel> cuda_kernels(const CompiledSegment& segment, const plan::Storage& storage, bool strict);

// All values of a graph by the reference evaluation, by id; params and constants among them.
Result<std::vector<Tensor>> all_values(const Graph& g, std::span<const Tensor> inputs);

// A device of a call table, its context current in this thread.
class CudaDevice {
 public:
  static Result<CudaDevice> open(const cuda::Api& api);

  struct Outcome {
    std::vector<Tensor> written; // one a root of `writes`
    bool bad_index = false;
  };
  // Compiles and launches one kernel over the memory that `values` lie in; what the device reports is an error.
  Result<Outcome> run(const codegen::CudaKernel& kernel, const Graph& g, const plan::Storage& storage, std::span<const Tensor> values, bool strict) const;

 private:
  explicit CudaDevice(const cuda::Api& api) : api_(api) {}
  cuda::Api api_;
  int capability_ = 0;
};

// What is wrong with a result: empty where it has the very bits of `want` (any NaN equals any NaN), or with `bound` where
// no element is further off than that, relative to the larger of one and the wanted.
std::string difference(const Tensor& got, const Tensor& want, double bound = 0);

} // namespace cutaway::driver
