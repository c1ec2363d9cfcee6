#pragma once
#include "backend/cuda/blas_calls.h"
#include "backend/cuda/device.h"
#include "backend/cuda/library.h"

namespace cutaway::cuda {

// out[b][m][n] = sum over k of a[b][m][k] * b[b][k][n], summed in f32. Strides count elements; of row and column one is 1,
// and in `out` it is the column's. A batch stride of 0 repeats.
struct Product {
  struct Side {
    int64_t row = 0, column = 1, batch = 0;
  };
  LibraryType type = LibraryType::f32;
  int64_t batch = 1, m = 0, n = 0, k = 0;
  Side a, b, out;
};

class Blas;

// A product as cuBLASLt computes it, by the algorithm that its heuristic names first; without a workspace, so that products
// in several streams share nothing.
class BlasProduct : public LibraryCall {
 public:
  BlasProduct(const BlasProduct&) = delete;
  BlasProduct& operator=(const BlasProduct&) = delete;
  ~BlasProduct() override;
  Status launch(CUdeviceptr a, CUdeviceptr b, CUdeviceptr out, CUstream stream) const override;

 private:
  friend class Blas;
  explicit BlasProduct(std::shared_ptr<const Blas> blas) : blas_(std::move(blas)) {}

  std::shared_ptr<const Blas> blas_;
  BlasDesc desc_ = nullptr;
  BlasLayout a_ = nullptr, b_ = nullptr, out_ = nullptr;
  BlasAlgorithm algorithm_{};
};

// cuBLASLt on a device: NVIDIA's on a real one, opened at run time; on a simulated one, plain loops behind the same calls.
class Blas : public std::enable_shared_from_this<Blas> {
 public:
  // `unsupported` where there is none.
  static Result<std::shared_ptr<const Blas>> open(std::shared_ptr<const Device> device);
  ~Blas();

  std::string name() const; // "cuBLASLt 13.0"
  // `unsupported` where the library has no algorithm for it.
  Result<std::shared_ptr<const LibraryCall>> prepare(const Product& product) const;

 private:
  friend class BlasProduct;
  Blas(std::shared_ptr<const Device> device, const BlasCalls& calls) : device_(std::move(device)), calls_(calls) {}
  Status check(BlasStatus status, const char* call) const;
  Status lay_out(BlasLayout& layout, LibraryType type, int64_t rows, int64_t columns, const Product::Side& side, int64_t batch, bool& transposed) const;
  Status choose(BlasProduct& product) const;

  std::shared_ptr<const Device> device_;
  BlasCalls calls_;
  BlasHandle handle_ = nullptr;
};

// The calls of cuBLASLt: from the toolkit in `cuda_path` or CUTAWAY_CUDA_PATH, or where the linker finds it.
Result<BlasCalls> load_blas(const std::string& cuda_path = "");

} // namespace cutaway::cuda
