// The fault drill: every call that compiling, running, replaying, profiling and observing a model makes on the simulated GPU
// fails in turn. The list of calls is the driver's own count of a run without faults. CUTAWAY_DRILL=all fails each of them;
// else the first and the last of each name.
#include "backend/cuda/api_calls.h"
#include "backend/cuda/sim/sim.h"
#include "driver/document/run_record.h"
#include "ir/builder.h"
#include "ir/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

namespace cutaway::driver {
namespace {

using namespace cuda;
namespace fs = std::filesystem;

Tensor numbers(const std::vector<int64_t>& dims) {
  Tensor t(DType::f32, dims);
  for (int64_t i = 0; i < t.count(); ++i) reinterpret_cast<float*>(t.mutable_data())[i] = static_cast<float>(i % 17) / 8 - 1;
  return t;
}

struct Model {
  std::string name;
  Graph graph;
  Feeds feeds;
};

// Products with weights, an index that is checked, a row reduction; `on_host` adds a kernel that runs on the host, so that
// nothing is captured.
Model model(bool on_host) {
  Model m{on_host ? "host" : "device", {}, {}};
  Builder b(m.graph);
  const ValueId x = b.param("x", {DType::f32, {32, 64}}), at = b.param("at", {DType::i64, {4}});
  const ValueId product = *b.make(Op::dot_general, {x, b.constant(numbers({64, 32}))});
  const ValueId picked = *b.make(Op::gather, {product, at}, {{"axis", int64_t{0}}});
  const ValueId sum = *b.make(Op::reduce_sum, {*b.make(Op::tanh, {picked})}, {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{0}}});
  b.output(product, "product");
  b.output(sum, "sum");
  if (on_host) b.output((*b.make_many(Op::topk, {picked}, {{"k", int64_t{3}}, {"axis", int64_t{1}}, {"largest", int64_t{1}}}))[0], "best");
  Tensor indices(DType::i64, {4});
  for (int64_t i = 0; i < 4; ++i) reinterpret_cast<int64_t*>(indices.mutable_data())[i] = 7 * i;
  m.feeds = {{"x", numbers({32, 64})}, {"at", indices}};
  return m;
}

struct Blow {
  std::string call;
  int code = 0, nth = 1;
  bool lasting = false;
  std::string words() const { return call + " " + std::to_string(nth) + ", code " + std::to_string(code) + (lasting ? ", lasting" : ""); }
};

bool gives_back(const std::string& call) {
  return call.find("Free") != call.npos || call.find("Destroy") != call.npos || call.find("Unload") != call.npos || call.find("Release") != call.npos;
}

// What the call may well answer, and that the device is gone.
std::vector<Blow> blows_of(const std::string& call) {
  std::vector<Blow> out;
  const auto once = [&](std::initializer_list<int> codes) {
    for (const int code : codes) out.push_back({call, code});
  };
  if (call.starts_with("nvrtc")) {
    once({NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_INVALID_OPTION, NVRTC_ERROR_COMPILATION, NVRTC_ERROR_INTERNAL_ERROR});
    return out;
  }
  once({CUDA_ERROR_UNKNOWN});
  if (call.find("Alloc") != call.npos || call.find("Create") != call.npos || call.find("Instantiate") != call.npos || call.find("Load") != call.npos) once({CUDA_ERROR_OUT_OF_MEMORY});
  if (call == "cuModuleLoadData") once({CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU});
  if (call == "cuModuleGetFunction") once({CUDA_ERROR_NOT_FOUND});
  if (call == "cuLaunchKernel") once({CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_INVALID_VALUE});
  if (call.find("Capture") != call.npos) once({CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, CUDA_ERROR_STREAM_CAPTURE_UNJOINED});
  for (const int code : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_DEVICE_UNAVAILABLE}) out.push_back({call, code, 1, true});
  return out;
}

class CudaDrill : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!has_simulator()) GTEST_SKIP() << "no simulator";
    std::string name = testing::TempDir() + "cutaway-drill-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
    model_ = model(GetParam());
    std::ofstream(file()) << print(model_.graph);
    auto session = open("cpu");
    ASSERT_TRUE(session) << session.error().str();
    auto out = (*session)->run(model_.feeds, Mode::eager);
    ASSERT_TRUE(out) << out.error().str();
    want_ = *out;
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string file() const { return (dir_ / (model_.name + ".cut")).string(); }
  Result<std::unique_ptr<Session>> open(const std::string& device) const {
    Session::Options options;
    options.device = device;
    EXPECT_TRUE(options.settings.set("math", "strict").ok() && options.settings.set("cache", "off").ok());
    return Session::open(file(), options);
  }

  Status run(Session& session) const {
    auto out = session.run(model_.feeds, Mode::compiled);
    if (!out) return out.error();
    EXPECT_EQ(out->size(), want_.size());
    for (size_t i = 0; i < want_.size(); ++i) EXPECT_TRUE((*out)[i].same_bits(want_[i])) << "output " << i;
    return {};
  }
  Status record(Session& session, bool drift) const {
    auto out = measure(session, model_.feeds, drift);
    if (!out) return out.error();
    EXPECT_TRUE(out->profile && out->profile->lanes.size() > 0 && out->profile->duration_us > 0);
    return {};
  }
  // All that a session does, up to the first fault: a run, one that captures, one that replays, a profile, each value.
  Status work(Session& session) const {
    for (int i = 0; i < 3; ++i)
      if (Status s = run(session); !s) return s;
    for (const bool drift : {false, true})
      if (Status s = record(session, drift); !s) return s;
    return {};
  }

  // How often each call is made, without faults.
  std::map<std::string, uint64_t> calls() const {
    const auto device = Device::open("sim:h100");
    const auto before = sim::calls();
    {
      auto session = open("sim:h100");
      EXPECT_TRUE(work(**session).ok());
    }
    EXPECT_EQ(sim::live(), std::vector<std::string>());
    EXPECT_EQ(sim::take_reports(), std::vector<std::string>());
    auto made = sim::calls();
    for (const auto& [name, n] : before) made[name] -= n;
    std::erase_if(made, [](const auto& item) { return item.second == 0; });
    return made;
  }

  static void expect_helpful(const Diagnostic& d, const Blow& blow) {
    EXPECT_NE(d.where.find("device sim:h100: "), std::string::npos) << d.str(); // and what of it
    EXPECT_FALSE(d.what.empty() || d.hint.empty()) << d.str();
    const bool full = blow.code == (blow.call.starts_with("nvrtc") ? int(NVRTC_ERROR_OUT_OF_MEMORY) : int(CUDA_ERROR_OUT_OF_MEMORY));
    EXPECT_EQ(d.fault, full ? Fault::limit : Fault::unsupported) << d.str();
    if (blow.lasting) { // any call may be the first that is told of it
      EXPECT_NE(d.hint.find("start again"), std::string::npos) << d.str();
      return;
    }
    EXPECT_TRUE(d.what.find(blow.call) != std::string::npos || d.what.find("no room") != std::string::npos) << d.str();
    EXPECT_TRUE(blow.call != "cuLaunchKernel" || d.where.find("launch ") != std::string::npos) << d.str();
  }

  // Whether the fault showed.
  bool strike(const Blow& blow) const {
    SCOPED_TRACE(blow.words());
    bool showed = false;
    {
      const auto device = Device::open("sim:h100");
      EXPECT_TRUE(device.ok());
      {
        sim::fail_nth(blow.call, blow.code, blow.nth, blow.lasting);
        auto session = open("sim:h100");
        const Status s = session ? work(**session) : session.error();
        showed = !s.ok();
        if (!s) expect_helpful(s.error(), blow);
        if (session && showed) {
          const Status again = work(**session);
          EXPECT_EQ(again.ok(), !blow.lasting) << (again ? "a lost device ran" : again.error().str());
          if (!again) expect_helpful(again.error(), blow);
        }
      }
      if (!blow.lasting && !gives_back(blow.call)) { // else something may be left
        EXPECT_EQ(sim::live(), std::vector<std::string>());
        EXPECT_EQ(sim::take_reports(), std::vector<std::string>());
      }
    }
    if (blow.lasting || gives_back(blow.call)) {
      auto fresh = open("sim:h100");
      EXPECT_TRUE(fresh.ok() && run(**fresh).ok()) << "a device opened anew";
    }
    return showed;
  }

  fs::path dir_;
  Model model_;
  std::vector<Tensor> want_;
};

TEST_P(CudaDrill, EveryCallFailsInTurn) {
  const bool all = std::getenv("CUTAWAY_DRILL") != nullptr;
  int struck = 0, showed = 0;
  std::set<std::string> hidden;
  for (const auto& [name, count] : calls()) {
    std::printf("%s %d\n", name.c_str(), static_cast<int>(count));
    int shown = 0;
    for (Blow blow : blows_of(name)) {
      std::set<int> turns = {1, static_cast<int>(count)};
      for (int i = 2; all && i < static_cast<int>(count); ++i) turns.insert(i);
      for (const int nth : turns) {
        blow.nth = nth;
        const bool seen = strike(blow);
        ++struck, shown += seen;
        ASSERT_FALSE(HasFatalFailure());
      }
    }
    showed += shown;
    if (!shown) hidden.insert(name);
  }
  std::string names;
  for (const std::string& name : hidden) names += " " + name;
  std::printf("%d faults, %d told; never told of:%s\n", struck, showed, names.c_str());
  for (const std::string& name : hidden) EXPECT_TRUE(gives_back(name) || name.find("Log") != name.npos) << name << " may fail unseen";
}
INSTANTIATE_TEST_SUITE_P(Models, CudaDrill, testing::Bool(), [](const auto& info) { return info.param ? "OnHostToo" : "OnTheDevice"; });

// Opening a device: each call of it fails, and the next try is right.
TEST(CudaStart, EveryCallFailsInTurn) {
  if (!has_simulator()) GTEST_SKIP() << "no simulator";
  const auto api = simulated(DeviceModel{});
  { ASSERT_TRUE(Device::start("sim:h100", *api).ok()); }
  int struck = 0;
  for (const auto& [name, count] : sim::calls())
    for (int nth = 1; nth <= static_cast<int>(count); ++nth)
      for (const int code : {CUDA_ERROR_UNKNOWN, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_DEVICE_UNAVAILABLE}) {
        SCOPED_TRACE(name + " " + std::to_string(nth));
        sim::reset();
        sim::fail_nth(name, code, nth);
        if (const auto device = Device::start("sim:h100", *api); !device) {
          EXPECT_TRUE(device.error().where.starts_with("device sim:h100")) << device.error().str();
          EXPECT_FALSE(device.error().what.empty() || device.error().hint.empty()) << device.error().str();
        } else {
          EXPECT_TRUE(gives_back(name));
        }
        ++struck;
        EXPECT_TRUE(Device::start("sim:h100", *api).ok());
        EXPECT_EQ(sim::live(), std::vector<std::string>());
      }
  EXPECT_GT(struck, 20);
}

// More shared memory than a kernel has unasked: a call that the models above do not need.
TEST(CudaStart, ARefusedAttributeUnloadsTheModule) {
  if (!has_simulator()) GTEST_SKIP() << "no simulator";
  const auto device = Device::start("sim:h100", *simulated(DeviceModel{}));
  ASSERT_TRUE(device.ok());
  const std::string text = "CW_KERNEL(kernel, 32)(int* out) { out[threadIdx.x] = 1; }", symbol = "kernel";
  const CodeRequest request{text, symbol, false, false, 64 << 10};
  sim::fail_nth("cuFuncSetAttribute", CUDA_ERROR_INVALID_VALUE);
  const auto code = (*device)->load(request);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().where, "device sim:h100: kernel");
  EXPECT_NE(code.error().what.find("cuFuncSetAttribute"), std::string::npos);
  EXPECT_EQ(sim::live(), std::vector<std::string>());
  EXPECT_TRUE((*device)->load(request).ok());
}

TEST(CudaStart, ATableThatLacksAnEntryIsRefused) {
  if (!has_simulator()) GTEST_SKIP() << "no simulator";
  Api api = *simulated(DeviceModel{});
  const auto lack = [&](const char*, const char* symbol, auto& field) {
    const auto kept = std::exchange(field, nullptr);
    const auto device = Device::start("sim:h100", api);
    ASSERT_FALSE(device.ok()) << symbol;
    EXPECT_EQ(device.error().fault, Fault::unsupported);
    EXPECT_NE(device.error().what.find(symbol), std::string::npos) << device.error().str();
    EXPECT_FALSE(device.error().hint.empty());
    field = kept;
  };
  each_driver_call(api, lack);
  each_nvrtc_call(api, lack);
  EXPECT_TRUE(Device::start("sim:h100", api).ok());
}

TEST(CudaStart, LibrariesThatDoNotFitAreRefused) {
  if (!has_simulator()) GTEST_SKIP() << "no simulator";
  DeviceModel old, newer;
  old.driver_version = 11080;
  newer.driver_version = 12040, newer.nvrtc_major = 13;
  for (const auto& [model, words] : {std::pair{old, "too old"}, {newer, "newer than the driver"}}) {
    const auto device = Device::start("sim:h100", *simulated(model));
    ASSERT_FALSE(device.ok()) << words;
    EXPECT_NE(device.error().what.find(words), std::string::npos) << device.error().str();
    EXPECT_FALSE(device.error().hint.empty());
  }
}

} // namespace
} // namespace cutaway::driver
