// cuDNN's calls on the simulated device: convolutions by plain loops, in the streams' order.
#include "backend/cuda/dnn_calls.h"
#include "backend/cuda/sim/library_work.h"

#include <algorithm>

namespace cutaway::cuda {

namespace sim {

namespace {

struct Tensor {
  int type = CUDNN_DATA_FLOAT;
  std::vector<int64_t> dims, strides;

  LibraryType number() const { return type == CUDNN_DATA_FLOAT ? LibraryType::f32 : type == CUDNN_DATA_HALF ? LibraryType::f16 : LibraryType::bf16; }
  int64_t bytes() const {
    int64_t last = 0;
    for (size_t d = 0; d < dims.size(); ++d) last += (dims[d] - 1) * strides[d];
    return (last + 1) * number_bytes(number());
  }
};
struct Desc {
  std::vector<int64_t> pad, stride, dilation;
  int64_t groups = 1;
};
struct Handle {
  CUstream stream = nullptr;
};

Tensor& of(DnnTensor p) { return *reinterpret_cast<Tensor*>(p); }
Tensor& of(DnnFilter p) { return *reinterpret_cast<Tensor*>(p); }
Desc& of(DnnConvolutionDesc p) { return *reinterpret_cast<Desc*>(p); }
Handle& of(DnnHandle p) { return *reinterpret_cast<Handle*>(p); }

// The next index within `dims`, the last the fastest; false: that was the last.
bool step(std::vector<int64_t>& index, const std::vector<int64_t>& dims) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

struct Convolve {
  Tensor x, w, y;
  Desc desc;
  const std::byte *x_at, *w_at;
  std::byte* y_at;

  size_t spatial() const { return desc.stride.size(); }
  bool fits() const {
    const size_t rank = spatial() + 2;
    if (x.dims.size() != rank || w.dims.size() != rank || y.dims.size() != rank || x.dims[0] != y.dims[0] || w.dims[0] != y.dims[1] || w.dims[1] * desc.groups != x.dims[1] || w.dims[0] % desc.groups != 0) return false;
    for (size_t d = 0; d < spatial(); ++d)
      if ((x.dims[d + 2] + 2 * desc.pad[d] - desc.dilation[d] * (w.dims[d + 2] - 1) - 1) / desc.stride[d] + 1 != y.dims[d + 2]) return false;
    return x.type == w.type && x.type == y.type;
  }
  double flops() const {
    double out = 2;
    for (const int64_t d : y.dims) out *= double(d);
    for (size_t d = 1; d < w.dims.size(); ++d) out *= double(w.dims[d]);
    return out;
  }
  float tap(const std::vector<int64_t>& at, const std::vector<int64_t>& tap) const { // channel within the group, then taps
    const int64_t group = at[1] / (w.dims[0] / desc.groups);
    int64_t from = at[0] * x.strides[0] + (group * w.dims[1] + tap[0]) * x.strides[1], weight = at[1] * w.strides[0] + tap[0] * w.strides[1];
    for (size_t d = 0; d < spatial(); ++d) {
      const int64_t i = at[d + 2] * desc.stride[d] - desc.pad[d] + tap[d + 1] * desc.dilation[d];
      if (i < 0 || i >= x.dims[d + 2]) return 0;
      from += i * x.strides[d + 2], weight += tap[d + 1] * w.strides[d + 2];
    }
    return get_number(x.number(), x_at, from) * get_number(w.number(), w_at, weight);
  }
  void run() const {
    const std::vector<int64_t> taps(w.dims.begin() + 1, w.dims.end());
    std::vector<int64_t> at(y.dims.size(), 0);
    do {
      float sum = 0;
      std::vector<int64_t> t(taps.size(), 0);
      do sum += tap(at, t);
      while (step(t, taps));
      int64_t to = 0;
      for (size_t d = 0; d < at.size(); ++d) to += at[d] * y.strides[d];
      put_number(y.number(), y_at, to, sum);
    } while (step(at, y.dims));
  }
};

size_t version() { return 91300; }
DnnStatus create(Call&, DnnHandle* out) { return make(out, Handle()); }
DnnStatus set_stream(DnnHandle h, CUstream stream) {
  of(h).stream = stream;
  return 0;
}
DnnStatus tensor_create(DnnTensor* out) { return make(out, Tensor()); }
DnnStatus tensor_set(DnnTensor t, int type, int rank, const int* dims, const int* strides) {
  if (rank < 4 || std::any_of(dims, dims + rank, [](int d) { return d < 1; })) return dnn_bad_param;
  of(t) = {type, {dims, dims + rank}, {strides, strides + rank}};
  return 0;
}
DnnStatus filter_create(DnnFilter* out) { return make(out, Tensor()); }
DnnStatus filter_set(DnnFilter f, int type, int format, int rank, const int* dims) {
  if (rank < 4 || std::any_of(dims, dims + rank, [](int d) { return d < 1; })) return dnn_bad_param;
  Tensor& t = of(f);
  t = {type, {dims, dims + rank}, std::vector<int64_t>(size_t(rank), 1)};
  int64_t next = 1;
  const auto place = [&](size_t d) { t.strides[d] = next, next *= t.dims[d]; };
  if (format == CUDNN_TENSOR_NHWC) place(1);
  for (size_t d = size_t(rank); d-- > 2;) place(d);
  if (format == CUDNN_TENSOR_NCHW) place(1);
  place(0);
  return 0;
}
DnnStatus convolution_create(DnnConvolutionDesc* out) { return make(out, Desc()); }
DnnStatus convolution_set(DnnConvolutionDesc c, int rank, const int* pad, const int* stride, const int* dilation, int mode, int compute) {
  if (rank < 2 || mode != CUDNN_CROSS_CORRELATION || compute != CUDNN_DATA_FLOAT) return dnn_bad_param;
  Desc& d = of(c);
  d.pad.assign(pad, pad + rank), d.stride.assign(stride, stride + rank), d.dilation.assign(dilation, dilation + rank);
  return 0;
}
DnnStatus convolution_groups(DnnConvolutionDesc c, int groups) {
  of(c).groups = groups;
  return groups > 0 ? 0 : dnn_bad_param;
}
DnnStatus convolution_math(DnnConvolutionDesc, int) { return 0; }
DnnStatus heuristic(Call&, DnnHandle, DnnTensor x, DnnFilter w, DnnConvolutionDesc desc, DnnTensor y, int wanted, int* found, DnnAlgorithm* results) {
  const Convolve convolution{of(x), of(w), of(y), of(desc), nullptr, nullptr, nullptr};
  *found = 0;
  if (!convolution.fits()) return dnn_bad_param;
  if (wanted > 0) results[(*found)++] = {.algorithm = 1, .status = 0, .ms = 1, .workspace = 4096, .determinism = 1, .math = CUDNN_FMA_MATH, .reserved = {}};
  if (wanted > 1) results[(*found)++] = {.algorithm = 0, .status = 0, .ms = 2, .workspace = 0, .determinism = 1, .math = CUDNN_FMA_MATH, .reserved = {}};
  return 0;
}

DnnStatus forward(Call& call, DnnHandle h, const void*, DnnTensor tx, const void* x, DnnFilter tw, const void* w, DnnConvolutionDesc desc, int algorithm, void*, size_t, const void*, DnnTensor ty, void* y) {
  const Convolve c{of(tx), of(tw), of(ty), of(desc), static_cast<const std::byte*>(x), static_cast<const std::byte*>(w), static_cast<std::byte*>(y)};
  if (!c.fits() || algorithm != 0) return dnn_bad_param;
  std::vector<Range> touches;
  for (const auto& [from, tensor] : {std::pair{x, &c.x}, {w, &c.w}, {static_cast<const void*>(y), &c.y}}) touches.push_back({CUdeviceptr(from), CUdeviceptr(from) + size_t(tensor->bytes()), false});
  return post_routine(call, of(h).stream, "convolution", std::move(touches), c.flops(), [c] { c.run(); }) == CUDA_SUCCESS ? 0 : dnn_execution_failed;
}

} // namespace

DnnCalls dnn_calls() {
  DnnCalls c;
  c.version = version;
  c.destroy = drop<Handle, DnnHandle>, c.set_stream = set_stream;
  c.tensor_create = tensor_create, c.tensor_set = tensor_set, c.tensor_destroy = drop<Tensor, DnnTensor>;
  c.filter_create = filter_create, c.filter_set = filter_set, c.filter_destroy = drop<Tensor, DnnFilter>;
  c.convolution_create = convolution_create, c.convolution_set = convolution_set, c.convolution_groups = convolution_groups, c.convolution_math = convolution_math;
  c.convolution_destroy = drop<Desc, DnnConvolutionDesc>;
  put<"cudnnCreate", Scope::context, create>(c.create);
  put<"cudnnGetConvolutionForwardAlgorithm_v7", Scope::context, heuristic>(c.heuristic);
  put<"cudnnConvolutionForward", Scope::context, forward>(c.forward);
  return c;
}

} // namespace sim

} // namespace cutaway::cuda
