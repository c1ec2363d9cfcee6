// The NVRTC of this machine, where one is found; no GPU is needed.
#include "backend/cuda/api_calls.h"
#include "backend/cuda/compile.h"
#include "base/prelude/cuda/prelude.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace cutaway::cuda {

namespace {

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    found = find_libraries(api);
    if (found.nvrtc.empty()) GTEST_SKIP() << "no NVRTC here; CUTAWAY_CUDA_PATH may name a toolkit's folder";
  }
  static std::string kernels() {
    std::ifstream in(CUTAWAY_TEST_DATA "/cuda/kernels.cu");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Api api;
  Libraries found;
};

TEST_F(Nvrtc, SaysItsVersion) {
  EXPECT_GE(found.nvrtc_major, 12);
  for (const std::string& symbol : found.missing) EXPECT_FALSE(symbol.starts_with("nvrtc")) << symbol;
}

TEST_F(Nvrtc, CompilesEveryTestKernelForThreeArchitectures) {
  const std::vector<int> known = supported_capabilities(api);
  EXPECT_TRUE(std::count(known.begin(), known.end(), 80) && std::count(known.begin(), known.end(), 90));
  for (int capability : {80, 90, 100}) {
    if (!std::count(known.begin(), known.end(), capability)) continue; // 100 is not for NVRTC before 12.8
    Result<Cubin> cubin = compile(api, kernels(), {capability});
    ASSERT_TRUE(cubin.ok()) << cubin.error().str();
    EXPECT_EQ(cubin->image.substr(1, 3), "ELF");
    std::set<std::string> names;
    for (const KernelUsage& k : cubin->usage) {
      names.insert(k.name);
      EXPECT_GT(k.registers, 0) << k.name;
      EXPECT_EQ(k.spill_store_bytes + k.spill_load_bytes, 0) << k.name << " sm_" << capability;
    }
    EXPECT_TRUE(names.contains("gemm_bf16") && names.contains("softmax")) << cubin->log;
  }
}

TEST_F(Nvrtc, RefusesBadTextWithItsMessage) {
  Result<Cubin> cubin = compile(api, "CW_KERNEL(k, 32)(float* o) { o[0] = nothing; }", {});
  ASSERT_FALSE(cubin.ok());
  EXPECT_EQ(cubin.error().fault, Fault::unsupported);
  EXPECT_NE(cubin.error().what.find("nothing"), std::string::npos);
}

// A path of a toolkit, of its library folder, or nonsense before the usual places.
TEST_F(Nvrtc, IsFoundWhereThePathLeadsNowhere) {
  Api other;
  EXPECT_FALSE(find_libraries(other, "/nonexistent").nvrtc.empty());
}

TEST(CudaApi, AnEmptyTableIsUnusable) {
  const Status status = check_usable(Api{});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().fault, Fault::unsupported);
  EXPECT_NE(status.error().what.find("cuInit"), std::string::npos);
}

TEST(CudaApi, LoadsOrSaysWhyNot) {
  Result<Api> real = load_real();
  if (real) {
    EXPECT_TRUE(check_usable(*real).ok());
  } else {
    EXPECT_EQ(real.error().fault, Fault::unsupported);
    EXPECT_FALSE(real.error().hint.empty());
  }
}

TEST(CudaApi, DeviceModelsAreKnownByName) {
  for (const DeviceModel& model : device_models()) {
    Result<DeviceModel> found = device_model(model.name);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->sms, model.sms);
  }
  EXPECT_TRUE(device_model("a100").ok());
  EXPECT_EQ(device_model("sim:tpu").error().fault, Fault::bad_input);
}

} // namespace

} // namespace cutaway::cuda
