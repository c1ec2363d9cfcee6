#pragma once
#include "backend/cuda/abi.h"

#include <cstddef>

namespace cutaway::cuda {

// What is used of cuDNN, after its headers of versions 8 and 9 (cudnn_ops.h, cudnn_cnn.h): the calls for convolutions that
// keep their descriptors.
using DnnStatus = int; // 0: success
constexpr DnnStatus dnn_not_initialized = 1001, dnn_bad_param = 2000, dnn_not_supported = 3000, dnn_execution_failed = 5000;

enum DnnType : int { CUDNN_DATA_FLOAT = 0, CUDNN_DATA_HALF = 2, CUDNN_DATA_BFLOAT16 = 9 };
constexpr int CUDNN_TENSOR_NCHW = 0, CUDNN_TENSOR_NHWC = 1; // of filters: O, C, spatial; O, spatial, C
constexpr int CUDNN_CROSS_CORRELATION = 1;
constexpr int CUDNN_TENSOR_OP_MATH = 1, CUDNN_FMA_MATH = 3; // the latter: no tf32

struct DnnHandleTag;
struct DnnTensorTag;
struct DnnFilterTag;
struct DnnConvolutionTag;
using DnnHandle = DnnHandleTag*;
using DnnTensor = DnnTensorTag*;
using DnnFilter = DnnFilterTag*;
using DnnConvolutionDesc = DnnConvolutionTag*;

struct DnnAlgorithm {
  int algorithm;
  DnnStatus status;
  float ms;
  size_t workspace;
  int determinism, math;
  int reserved[3];
};

// Null where the library lacks an entry.
struct DnnCalls {
  size_t (*version)() = nullptr; // 91300 is 9.13, 8907 is 8.9
  DnnStatus (*create)(DnnHandle*) = nullptr;
  DnnStatus (*destroy)(DnnHandle) = nullptr;
  DnnStatus (*set_stream)(DnnHandle, CUstream) = nullptr;
  DnnStatus (*tensor_create)(DnnTensor*) = nullptr;
  DnnStatus (*tensor_set)(DnnTensor, int type, int rank, const int* dims, const int* strides) = nullptr;
  DnnStatus (*tensor_destroy)(DnnTensor) = nullptr;
  DnnStatus (*filter_create)(DnnFilter*) = nullptr;
  DnnStatus (*filter_set)(DnnFilter, int type, int format, int rank, const int* dims) = nullptr;
  DnnStatus (*filter_destroy)(DnnFilter) = nullptr;
  DnnStatus (*convolution_create)(DnnConvolutionDesc*) = nullptr;
  DnnStatus (*convolution_set)(DnnConvolutionDesc, int rank, const int* pad, const int* stride, const int* dilation, int mode, int compute) = nullptr;
  DnnStatus (*convolution_groups)(DnnConvolutionDesc, int groups) = nullptr;
  DnnStatus (*convolution_math)(DnnConvolutionDesc, int math) = nullptr;
  DnnStatus (*convolution_destroy)(DnnConvolutionDesc) = nullptr;
  DnnStatus (*heuristic)(DnnHandle, DnnTensor x, DnnFilter w, DnnConvolutionDesc, DnnTensor y, int wanted, int* found, DnnAlgorithm* results) = nullptr;
  DnnStatus (*forward)(DnnHandle, const void* alpha, DnnTensor, const void* x, DnnFilter, const void* w, DnnConvolutionDesc, int algorithm, void* workspace, size_t workspace_bytes, const void* beta, DnnTensor,
                       void* y) = nullptr;
};

// Visits them as visit("cudnnCreate", calls.create).
template <class Visit> void each_dnn_call(DnnCalls& c, Visit&& visit) {
  visit("cudnnGetVersion", c.version);
  visit("cudnnCreate", c.create);
  visit("cudnnDestroy", c.destroy);
  visit("cudnnSetStream", c.set_stream);
  visit("cudnnCreateTensorDescriptor", c.tensor_create);
  visit("cudnnSetTensorNdDescriptor", c.tensor_set);
  visit("cudnnDestroyTensorDescriptor", c.tensor_destroy);
  visit("cudnnCreateFilterDescriptor", c.filter_create);
  visit("cudnnSetFilterNdDescriptor", c.filter_set);
  visit("cudnnDestroyFilterDescriptor", c.filter_destroy);
  visit("cudnnCreateConvolutionDescriptor", c.convolution_create);
  visit("cudnnSetConvolutionNdDescriptor", c.convolution_set);
  visit("cudnnSetConvolutionGroupCount", c.convolution_groups);
  visit("cudnnSetConvolutionMathType", c.convolution_math);
  visit("cudnnDestroyConvolutionDescriptor", c.convolution_destroy);
  visit("cudnnGetConvolutionForwardAlgorithm_v7", c.heuristic);
  visit("cudnnConvolutionForward", c.forward);
}

} // namespace cutaway::cuda
