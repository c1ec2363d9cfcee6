// Whole models on the simulated GPU: the same results as on the CPU, launched one by one and replayed.
#include "backend/cuda/sim/sim.h"
#include "driver/session.h"

#include <gtest/gtest.h>

namespace cutaway::driver {
namespace {

struct Ran {
  std::unique_ptr<Session> session;
  Feeds feeds;
  std::vector<Tensor> run(Mode mode = Mode::compiled) {
    auto out = session->run(feeds, mode);
    EXPECT_TRUE(out.ok()) << (out ? "" : out.error().str());
    return out ? *out : std::vector<Tensor>();
  }
};

Ran opened(const std::string& device, const std::string& math, const std::string& file = CUTAWAY_SOURCES "/resources/models/sample.onnx", const Bindings& dims = {}) {
  Session::Options options;
  options.device = device;
  EXPECT_TRUE(options.settings.set("math", math).ok());
  Ran out;
  auto session = Session::open(file, options);
  if (!session) throw std::runtime_error(session.error().str());
  out.session = std::move(*session);
  std::vector<std::string> notes;
  out.feeds = *make_feeds(out.session->model(), {}, dims, notes);
  return out;
}

class OnSimulatedGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (auto device = cuda::Device::open("sim:h100"); !device) GTEST_SKIP() << device.error().str();
    else device_ = *device;
  }
  std::shared_ptr<cuda::Device> device_;
};

TEST_F(OnSimulatedGpu, StrictGivesTheBitsOfEager) {
  Ran gpu = opened("sim:h100", "strict");
  const auto want = gpu.run(Mode::eager);
  for (int i = 0; i < 4; ++i) { // launched, captured, replayed
    const auto got = gpu.run();
    ASSERT_EQ(got.size(), want.size());
    for (size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(got[k].same_bits(want[k])) << "run " << i << ", output " << k;
  }
  EXPECT_EQ(cuda::sim::take_reports(), std::vector<std::string>());
}

// One submission a run from the third on, whatever the number of kernels; the results stay those of single launches.
TEST_F(OnSimulatedGpu, ReplaysAsOneSubmission) {
  Ran gpu = opened("sim:h100", "default");
  const auto want = gpu.run();
  (void)gpu.run();
  auto calls = cuda::sim::calls();
  const uint64_t launched = calls["cuLaunchKernel"], replayed = calls["cuGraphLaunch"], made = calls["cuMemAlloc"];
  const int runs = std::getenv("CUTAWAY_REPLAYS") ? std::atoi(std::getenv("CUTAWAY_REPLAYS")) : 50; // the gate: 1000
  for (int i = 0; i < runs; ++i) {
    const auto got = gpu.run();
    ASSERT_EQ(got.size(), want.size());
    for (size_t k = 0; k < got.size(); ++k) ASSERT_TRUE(got[k].same_bits(want[k])) << "run " << i;
  }
  calls = cuda::sim::calls();
  EXPECT_EQ(calls["cuLaunchKernel"], launched);
  EXPECT_EQ(calls["cuGraphLaunch"], replayed + runs);
  EXPECT_EQ(calls["cuMemAlloc"], made);
  EXPECT_EQ(cuda::sim::take_reports(), std::vector<std::string>());
}

// A full device: one variant takes the memory of the other's runs. What was captured is not instantiated again but updated,
// and where the driver refuses that, made anew.
TEST_F(OnSimulatedGpu, MemoryThatMovedIsPatchedIntoTheCapture) {
  const std::string file = std::string(CUTAWAY_TEST_DATA) + "/cases/dynamic-one-symbol-two-sizes/model.onnx";
  Ran gpu = opened("sim:h100", "strict", file, {{"n", 3}});
  std::vector<std::string> notes;
  const std::vector<Feeds> feeds = {gpu.feeds, *make_feeds(gpu.session->model(), {}, {{"n", 6}}, notes)};
  std::vector<std::vector<Tensor>> want;
  for (const Feeds& f : feeds) gpu.feeds = f, want.push_back(gpu.run(Mode::eager));
  const auto expect_same = [&](size_t variant, int runs) {
    gpu.feeds = feeds[variant];
    for (int i = 0; i < runs; ++i) {
      const auto got = gpu.run();
      ASSERT_EQ(got.size(), want[variant].size());
      for (size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(got[k].same_bits(want[variant][k])) << "variant " << variant << ", run " << i;
    }
  };
  const auto count = [](const char* call) { return cuda::sim::calls()[call]; };
  const auto is_full = [] { cuda::sim::fail_nth("cuMemAlloc", cuda::CUDA_ERROR_OUT_OF_MEMORY); };
  expect_same(0, 3);
  const uint64_t made = count("cuGraphInstantiateWithFlags");
  is_full();
  expect_same(1, 3); // takes what the first held
  EXPECT_EQ(count("cuGraphInstantiateWithFlags"), 2 * made);
  EXPECT_EQ(count("cuGraphExecUpdate"), 0u);
  is_full();
  expect_same(0, 3); // takes it back
  EXPECT_EQ(count("cuGraphExecUpdate"), made);
  EXPECT_EQ(count("cuGraphInstantiateWithFlags"), 2 * made);
  cuda::sim::fail_nth("cuGraphExecUpdate", cuda::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  expect_same(1, 3);
  EXPECT_EQ(count("cuGraphInstantiateWithFlags"), 3 * made);
  EXPECT_EQ(cuda::sim::take_reports(), std::vector<std::string>());
}

TEST_F(OnSimulatedGpu, GivesEverythingBack) {
  const auto before = cuda::sim::live();
  { (void)opened("sim:h100", "default").run(); }
  EXPECT_EQ(cuda::sim::live(), before);
}

TEST(Device, NamesThatAreNoneAreRefused) {
  for (const char* name : {"gpu", "cuda:x", "cuda:-1", "sim:none", "cuda:"}) {
    const auto device = cuda::Device::open(name);
    ASSERT_FALSE(device.ok()) << name;
  }
}

} // namespace
} // namespace cutaway::driver
