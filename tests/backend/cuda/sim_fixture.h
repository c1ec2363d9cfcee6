#pragma once
#include "backend/cuda/machine.h"
#include "backend/cuda/sim/sim.h"

namespace cutaway::cuda {

// The simulated driver, a fresh context current in this thread, and the test kernels loaded. What is reported and not
// taken is a failure.
class Sim : public testing::Test, protected Machine {
 protected:
  static void SetUpTestSuite() {
    Result<Api> made = simulated(DeviceModel{});
    ASSERT_TRUE(made.ok()) << made.error().str();
    table = *made;
    fast = image(false);
    checked = image(true);
  }
  static std::string image(bool check) {
    sim::set_checked(check);
    Result<Cubin> cubin = compile(table, kernels(), {});
    EXPECT_TRUE(cubin.ok()) << cubin.error().str();
    sim::set_checked(false);
    return cubin ? cubin->image : "";
  }

  void SetUp() override { begin(fast); }
  void begin(const std::string& kernel_image) {
    api = table;
    sim::reset();
    ASSERT_EQ(api.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(api.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(api.cuCtxSetCurrent(context), CUDA_SUCCESS);
    ASSERT_EQ(api.cuModuleLoadData(&module, kernel_image.data()), CUDA_SUCCESS);
  }
  void TearDown() override {
    for (const std::string& report : sim::take_reports()) ADD_FAILURE() << report;
  }

  static inline Api table;
  static inline std::string fast, checked;
};

inline std::vector<float> numbers(size_t n, unsigned seed) {
  std::vector<float> v(n);
  for (float& x : v) x = float(int((seed = seed * 1664525 + 1013904223) >> 20) - 2048) / 2048;
  return v;
}

} // namespace cutaway::cuda
