#include "backend/cuda/dnn.h"

#include "backend/cuda/library_files.h"
#include "backend/cuda/sim/sim.h"

#include <algorithm>
#include <climits>

namespace cutaway::cuda {

namespace {

constexpr size_t least_spatial = 2; // descriptors have at least four dims

int type_code(LibraryType type) {
  return type == LibraryType::f32 ? CUDNN_DATA_FLOAT : type == LibraryType::f16 ? CUDNN_DATA_HALF : CUDNN_DATA_BFLOAT16;
}

// As the library takes them, with dims of `filler` before the last where there are too few.
Result<std::vector<int>> narrowed(std::vector<int64_t> values, size_t least, int64_t filler) {
  while (values.size() < least) values.insert(values.end() - 1, filler);
  if (std::any_of(values.begin(), values.end(), [](int64_t v) { return v < 0 || v > INT_MAX; })) return unsupported("cuDNN", "an extent or a stride does not fit its 32 bits", "");
  return std::vector<int>(values.begin(), values.end());
}

// True where dims taken in `order`, the slowest first, lie dense. What has one element lies anywhere.
bool is_dense(const Convolution::Side& side, const std::vector<size_t>& order) {
  int64_t next = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t d = order[i];
    if (side.dims[d] != 1 && side.strides[d] != next) return false;
    next *= side.dims[d];
  }
  return true;
}

} // namespace

Result<DnnCalls> load_dnn(const std::string& cuda_path) {
  DnnCalls calls;
  if (Status s = load_library({"cuDNN", {"libcudnn.so.9", "libcudnn.so.8"}, "8 or 9"}, cuda_path, [&](auto&& entry) { each_dnn_call(calls, entry); }); !s) return s.error();
  return calls;
}

Result<std::shared_ptr<const Dnn>> Dnn::open(std::shared_ptr<const Device> device) {
  auto calls = device->modelled() ? Result<DnnCalls>(sim::dnn_calls()) : load_dnn();
  if (!calls) return calls.error();
  std::shared_ptr<Dnn> dnn(new Dnn(std::move(device), *calls));
  if (Status s = dnn->device_->bind(); !s) return s.error();
  if (Status s = dnn->check(calls->create(&dnn->handle_), "cudnnCreate"); !s) return s.error();
  return std::shared_ptr<const Dnn>(std::move(dnn));
}

Dnn::~Dnn() {
  if (!handle_) return;
  (void)device_->bind();
  calls_.destroy(handle_);
}

std::string Dnn::name() const {
  const size_t version = calls_.version(), major = version >= 10000 ? 10000 : 1000;
  return "cuDNN " + std::to_string(version / major) + "." + std::to_string(version % major / 100);
}

Status Dnn::check(DnnStatus status, const char* call) const {
  if (status == 0) return {};
  return unsupported("cuDNN", std::string(call) + " answers " + std::to_string(status), "use --set libraries=off");
}

Status Dnn::lay_out(DnnTensor& tensor, LibraryType type, const Convolution::Side& side) const {
  const auto dims = narrowed(side.dims, 2 + least_spatial, 1), strides = narrowed(side.strides, 2 + least_spatial, side.strides.back() * side.dims.back());
  if (!dims) return dims.error();
  if (!strides) return strides.error();
  if (Status s = check(calls_.tensor_create(&tensor), "cudnnCreateTensorDescriptor"); !s) return s;
  return check(calls_.tensor_set(tensor, type_code(type), int(dims->size()), dims->data(), strides->data()), "cudnnSetTensorNdDescriptor");
}

Status Dnn::lay_out(DnnFilter& filter, LibraryType type, const Convolution::Side& side) const {
  std::vector<size_t> channels_first(side.dims.size());
  for (size_t d = 0; d < channels_first.size(); ++d) channels_first[d] = d;
  std::vector<size_t> channels_last = channels_first;
  std::rotate(channels_last.begin() + 1, channels_last.begin() + 2, channels_last.end());
  const bool first = is_dense(side, channels_first);
  if (!first && !is_dense(side, channels_last)) return unsupported("cuDNN", "the weights lie in an order that it has not", "");
  const auto dims = narrowed(side.dims, 2 + least_spatial, 1);
  if (!dims) return dims.error();
  if (Status s = check(calls_.filter_create(&filter), "cudnnCreateFilterDescriptor"); !s) return s;
  return check(calls_.filter_set(filter, type_code(type), first ? CUDNN_TENSOR_NCHW : CUDNN_TENSOR_NHWC, int(dims->size()), dims->data()), "cudnnSetFilterNdDescriptor");
}

Status Dnn::describe(DnnConvolutionDesc& desc, const Convolution& c) const {
  const auto pad = narrowed(c.pad, least_spatial, 0), stride = narrowed(c.stride, least_spatial, 1), dilation = narrowed(c.dilation, least_spatial, 1);
  for (const auto* values : {&pad, &stride, &dilation})
    if (!*values) return values->error();
  if (Status s = check(calls_.convolution_create(&desc), "cudnnCreateConvolutionDescriptor"); !s) return s;
  if (Status s = check(calls_.convolution_set(desc, int(pad->size()), pad->data(), stride->data(), dilation->data(), CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT), "cudnnSetConvolutionNdDescriptor"); !s) return s;
  if (Status s = check(calls_.convolution_groups(desc, int(c.groups)), "cudnnSetConvolutionGroupCount"); !s) return s;
  return check(calls_.convolution_math(desc, c.type == LibraryType::f32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH), "cudnnSetConvolutionMathType");
}

Status Dnn::choose(DnnConvolution& c) const {
  DnnAlgorithm ranked[8] = {};
  int found = 0;
  if (Status s = check(calls_.heuristic(handle_, c.in_, c.weights_, c.desc_, c.out_, int(std::size(ranked)), &found, ranked), "cudnnGetConvolutionForwardAlgorithm_v7"); !s) return s;
  for (int i = 0; i < found; ++i)
    if (ranked[i].status == 0 && ranked[i].workspace == 0) return c.algorithm_ = ranked[i].algorithm, Status();
  return unsupported("cuDNN", "it has no algorithm for this convolution that needs no workspace", "");
}

Result<std::shared_ptr<const LibraryCall>> Dnn::prepare(const Convolution& c) const {
  if (Status s = device_->bind(); !s) return s.error();
  std::shared_ptr<DnnConvolution> made(new DnnConvolution(shared_from_this()));
  Status s = lay_out(made->in_, c.type, c.in);
  if (s) s = lay_out(made->weights_, c.type, c.weights);
  if (s) s = lay_out(made->out_, c.type, c.out);
  if (s) s = describe(made->desc_, c);
  if (s) s = choose(*made);
  if (!s) return s.error();
  return std::shared_ptr<const LibraryCall>(std::move(made));
}

DnnConvolution::~DnnConvolution() {
  (void)dnn_->device_->bind();
  for (const DnnTensor tensor : {in_, out_})
    if (tensor) dnn_->calls_.tensor_destroy(tensor);
  if (weights_) dnn_->calls_.filter_destroy(weights_);
  if (desc_) dnn_->calls_.convolution_destroy(desc_);
}

Status DnnConvolution::launch(CUdeviceptr in, CUdeviceptr weights, CUdeviceptr out, CUstream stream) const {
  const float one = 1, zero = 0;
  const auto at = [](CUdeviceptr p) { return reinterpret_cast<void*>(p); };
  const DnnCalls& calls = dnn_->calls_;
  const std::lock_guard lock(dnn_->streams_);
  if (Status s = dnn_->check(calls.set_stream(dnn_->handle_, stream), "cudnnSetStream"); !s) return s;
  return dnn_->check(calls.forward(dnn_->handle_, &one, in_, at(in), weights_, at(weights), desc_, algorithm_, nullptr, 0, &zero, out_, at(out)), "cudnnConvolutionForward");
}

} // namespace cutaway::cuda
