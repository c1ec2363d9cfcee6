#pragma once
#include "backend/cuda/api.h"
#include "backend/cuda/compile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace cutaway::cuda {

// A driver with a context current in this thread, and the test kernels. Any driver will do.
struct Machine {
  Api api;
  CUcontext context = nullptr;
  CUmodule module = nullptr;

  void start() {
    int major = 0, minor = 0;
    ASSERT_EQ(api.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(api.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(api.cuCtxSetCurrent(context), CUDA_SUCCESS);
    ASSERT_EQ(api.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), CUDA_SUCCESS);
    ASSERT_EQ(api.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0), CUDA_SUCCESS);
    Result<Cubin> cubin = compile(api, kernels(), {major * 10 + minor});
    ASSERT_TRUE(cubin.ok()) << cubin.error().str();
    ASSERT_EQ(api.cuModuleLoadData(&module, cubin->image.data()), CUDA_SUCCESS);
  }

  static std::string kernels() {
    std::ifstream in(CUTAWAY_TEST_DATA "/cuda/kernels.cu");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  CUfunction function(const char* name) {
    CUfunction f = nullptr;
    EXPECT_EQ(api.cuModuleGetFunction(&f, module, name), CUDA_SUCCESS) << name;
    return f;
  }
  CUdeviceptr room(size_t bytes) {
    CUdeviceptr p = 0;
    EXPECT_EQ(api.cuMemAlloc(&p, bytes), CUDA_SUCCESS);
    return p;
  }
  template <class T> CUdeviceptr upload(const std::vector<T>& v) {
    CUdeviceptr p = room(v.size() * sizeof(T));
    EXPECT_EQ(api.cuMemcpyHtoD(p, v.data(), v.size() * sizeof(T)), CUDA_SUCCESS);
    return p;
  }
  template <class T = float> std::vector<T> download(CUdeviceptr p, size_t n) {
    std::vector<T> v(n);
    EXPECT_EQ(api.cuMemcpyDtoH(v.data(), p, n * sizeof(T)), CUDA_SUCCESS);
    return v;
  }
  template <class... A>
  CUresult launch(const char* name, unsigned gx, unsigned gy, unsigned threads, unsigned shared, CUstream s, A... args) {
    void* params[] = {&args..., nullptr};
    return api.cuLaunchKernel(function(name), gx, gy, 1, threads, 1, 1, shared, s, params, nullptr);
  }
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream s = nullptr;
    EXPECT_EQ(api.cuStreamCreate(&s, flags), CUDA_SUCCESS);
    return s;
  }
  CUevent event(unsigned flags = 0) {
    CUevent e = nullptr;
    EXPECT_EQ(api.cuEventCreate(&e, flags), CUDA_SUCCESS);
    return e;
  }
};

} // namespace cutaway::cuda
