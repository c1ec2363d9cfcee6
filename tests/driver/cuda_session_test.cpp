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

Ran opened(const std::string& device, const std::string& math) {
  Session::Options options;
  options.device = device;
  EXPECT_TRUE(options.settings.set("math", math).ok());
  Ran out;
  auto session = Session::open(CUTAWAY_SOURCES "/resources/models/sample.onnx", options);
  if (!session) throw std::runtime_error(session.error().str());
  out.session = std::move(*session);
  std::vector<std::string> notes;
  out.feeds = *make_feeds(out.session->model(), {}, {}, notes);
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
