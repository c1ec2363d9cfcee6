#pragma once
#include "backend/cuda/device.h"
#include "backend/cuda/dnn_calls.h"
#include "backend/cuda/library.h"

#include <mutex>
#include <vector>

namespace cutaway::cuda {

// out[n][o][at] = sum over channels and taps of in * weights, as convolutions of models are (a cross-correlation), the image
// padded by the same zeros on both sides. Dims [N, C, spatial], of weights [O, C / groups, taps]; strides count elements.
struct Convolution {
  struct Side {
    std::vector<int64_t> dims, strides;
  };
  LibraryType type = LibraryType::f32;
  Side in, weights, out;
  std::vector<int64_t> stride, dilation, pad; // one a spatial dim
  int64_t groups = 1;
};

class Dnn;

// A convolution as cuDNN computes it, by the first algorithm of its heuristic that needs no workspace, so that convolutions
// in several streams share nothing.
class DnnConvolution : public LibraryCall {
 public:
  DnnConvolution(const DnnConvolution&) = delete;
  DnnConvolution& operator=(const DnnConvolution&) = delete;
  ~DnnConvolution() override;
  Status launch(CUdeviceptr in, CUdeviceptr weights, CUdeviceptr out, CUstream stream) const override;

 private:
  friend class Dnn;
  explicit DnnConvolution(std::shared_ptr<const Dnn> dnn) : dnn_(std::move(dnn)) {}

  std::shared_ptr<const Dnn> dnn_;
  DnnTensor in_ = nullptr, out_ = nullptr;
  DnnFilter weights_ = nullptr;
  DnnConvolutionDesc desc_ = nullptr;
  int algorithm_ = 0;
};

// cuDNN on a device: NVIDIA's on a real one, opened at run time; on a simulated one, plain loops behind the same calls.
class Dnn : public std::enable_shared_from_this<Dnn> {
 public:
  // `unsupported` where there is none.
  static Result<std::shared_ptr<const Dnn>> open(std::shared_ptr<const Device> device);
  ~Dnn();

  std::string name() const; // "cuDNN 9.13"
  // `unsupported` where the library has no algorithm for it.
  Result<std::shared_ptr<const LibraryCall>> prepare(const Convolution& convolution) const;

 private:
  friend class DnnConvolution;
  Dnn(std::shared_ptr<const Device> device, const DnnCalls& calls) : device_(std::move(device)), calls_(calls) {}
  Status check(DnnStatus status, const char* call) const;
  Status lay_out(DnnTensor& tensor, LibraryType type, const Convolution::Side& side) const;
  Status lay_out(DnnFilter& filter, LibraryType type, const Convolution::Side& side) const;
  Status describe(DnnConvolutionDesc& desc, const Convolution& convolution) const;
  Status choose(DnnConvolution& convolution) const;

  std::shared_ptr<const Device> device_;
  DnnCalls calls_;
  DnnHandle handle_ = nullptr;
  mutable std::mutex streams_; // the handle knows one stream at a time
};

// The calls of cuDNN: from the toolkit in `cuda_path` or CUTAWAY_CUDA_PATH, or where the linker finds it.
Result<DnnCalls> load_dnn(const std::string& cuda_path = "");

} // namespace cutaway::cuda
