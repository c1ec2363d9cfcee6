#pragma once
#include "backend/cuda/api.h"
#include "backend/cuda/compile.h"
#include "backend/cuda/sim/sim.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace cutaway::cuda {

inline std::string test_kernels() {
  std::ifstream in(CUTAWAY_TEST_DATA "/cuda/kernels.cu");
  return {std::istreambuf_iterator<char>(in), {}};
}

// The simulated driver, a fresh context current in this thread, and the test kernels loaded. What is left at the end, or
// reported and not taken, is a failure.
class Sim : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Result<Api> made = simulated(DeviceModel{});
    ASSERT_TRUE(made.ok()) << made.error().str();
    api = *made;
    fast = image(false);
    checked = image(true);
  }
  static std::string image(bool check) {
    sim::set_checked(check);
    Result<Cubin> cubin = compile(api, test_kernels(), {});
    EXPECT_TRUE(cubin.ok()) << cubin.error().str();
    sim::set_checked(false);
    return cubin ? cubin->image : "";
  }

  void SetUp() override { begin(fast); }
  void begin(const std::string& kernels) {
    sim::reset();
    CUcontext context = nullptr;
    ASSERT_EQ(api.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(api.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(api.cuCtxSetCurrent(context), CUDA_SUCCESS);
    ASSERT_EQ(api.cuModuleLoadData(&module, kernels.data()), CUDA_SUCCESS);
  }
  void TearDown() override {
    for (const std::string& report : sim::take_reports()) ADD_FAILURE() << report;
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
  CUevent event() {
    CUevent e = nullptr;
    EXPECT_EQ(api.cuEventCreate(&e, 0), CUDA_SUCCESS);
    return e;
  }

  static inline Api api;
  static inline std::string fast, checked;
  CUmodule module = nullptr;
};

inline std::vector<float> numbers(size_t n, unsigned seed) {
  std::vector<float> v(n);
  for (float& x : v) x = float(int((seed = seed * 1664525 + 1013904223) >> 20) - 2048) / 2048;
  return v;
}

} // namespace cutaway::cuda
