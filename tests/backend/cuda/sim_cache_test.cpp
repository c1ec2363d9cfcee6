// Images on disk: what a device finds there, and what it compiles anew. Counted in calls of the simulated NVRTC.
#include "backend/cuda/device.h"
#include "backend/cuda/sim/sim.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace cutaway::cuda {
namespace {

namespace fs = std::filesystem;

std::string text_of(int n) { return "CW_KERNEL(kernel, 32)(int* out) { out[threadIdx.x] = " + std::to_string(n) + "; }"; }

class ImageCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "cutaway-images-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root = name;
    if (const char* set = std::getenv("XDG_CACHE_HOME")) before = set;
    setenv("XDG_CACHE_HOME", root.c_str(), 1);
  }
  void TearDown() override {
    if (before) setenv("XDG_CACHE_HOME", before->c_str(), 1);
    else unsetenv("XDG_CACHE_HOME");
    fs::remove_all(root);
  }

  struct Options {
    bool strict = false, fast = false, cache = true;
  };
  // Loads a text on a device that knows nothing yet, and launches it. Returns how often NVRTC was called.
  static uint64_t compiles(int n, const Options& o, const DeviceModel& model = {}, bool checked = false) {
    const auto api = simulated(model);
    EXPECT_TRUE(api.ok());
    sim::set_checked(checked);
    const auto device = Device::start(model.name, *api, model);
    EXPECT_TRUE(device.ok()) << device.error().str();
    load(**device, n, o);
    EXPECT_EQ(sim::take_reports(), std::vector<std::string>());
    return sim::calls()["nvrtcCompileProgram"];
  }
  static uint64_t compiles(int n) { return compiles(n, Options()); }

  static void load(const Device& device, int n, const Options& o) {
    const std::string text = text_of(n), symbol = "kernel";
    const auto code = device.load({text, symbol, o.strict, o.fast, 0, o.cache});
    ASSERT_TRUE(code.ok()) << code.error().str();
    const auto memory = device.allocate(32 * sizeof(int), "numbers");
    ASSERT_TRUE(memory.ok());
    CUdeviceptr at = memory->at();
    void* params[] = {&at};
    int out[32] = {};
    ASSERT_EQ(device.api().cuLaunchKernel((*code)->function(), 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(device.api().cuMemcpyDtoH(out, at, sizeof out), CUDA_SUCCESS);
    EXPECT_EQ(out[31], n);
  }

  // The images among the entries: the simulator's compiler keeps its objects there too.
  std::vector<fs::path> images() const {
    std::vector<fs::path> out;
    for (const auto& item : fs::recursive_directory_iterator(root))
      if (item.is_regular_file() && bytes_of(item.path()).find("CWSIMOB1") != std::string::npos) out.push_back(item.path());
    return out;
  }
  static std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path root;
  std::optional<std::string> before;
};

TEST_F(ImageCache, ASecondDeviceCompilesNothing) {
  EXPECT_EQ(compiles(1), 1u);
  EXPECT_EQ(images().size(), 1u);
  EXPECT_EQ(compiles(1), 0u);
  EXPECT_EQ(images().size(), 1u);
}

TEST_F(ImageCache, WhatTheImageHangsOnHasAnEntryOfItsOwn) {
  DeviceModel other_chip, newer;
  other_chip.capability = 80;
  newer.nvrtc_minor = 5;
  const auto each = [&](uint64_t want) {
    EXPECT_EQ(compiles(1), want) << "plain";
    EXPECT_EQ(compiles(2), want) << "another text";
    EXPECT_EQ(compiles(1, {.strict = true}), want) << "strict";
    EXPECT_EQ(compiles(1, {.fast = true}), want) << "fast";
    EXPECT_EQ(compiles(1, {}, other_chip), want) << "another chip";
    EXPECT_EQ(compiles(1, {}, newer), want) << "a newer NVRTC";
    EXPECT_EQ(compiles(1, {}, {}, true), want) << "checked";
  };
  each(1);
  EXPECT_EQ(images().size(), 7u);
  each(0);
}

TEST_F(ImageCache, TheKeyHoldsPreludeAndCompiler) {
  const CompileOptions options;
  const CacheKey key = image_key("NVRTC 12.4", "text", options);
  EXPECT_EQ(image_key("NVRTC 12.4", "text", options), key);
  EXPECT_NE(image_key("NVRTC 12.4", "text", options, "another prelude"), key);
  EXPECT_NE(image_key("simulated NVRTC 12.4", "text", options), key);
  ASSERT_TRUE(simulated(DeviceModel()).ok());
  EXPECT_NE(sim::compiler_identity(), "");
}

TEST_F(ImageCache, DamagedEntriesAreRebuilt) {
  ASSERT_EQ(compiles(2), 1u);
  const std::string foreign = bytes_of(images().at(0));
  fs::remove_all(root / "cutaway");
  ASSERT_EQ(compiles(1), 1u);
  const fs::path file = images().at(0);
  const std::string whole = bytes_of(file);
  std::vector<std::string> bad = {"", whole.substr(0, 40), whole.substr(0, whole.size() - 1), whole + "x", foreign, std::string(whole.size(), '\0')};
  for (const size_t at : {size_t(0), size_t(20), size_t(90), whole.size() / 2, whole.size() - 1}) {
    bad.push_back(whole);
    bad.back()[at] = char(bad.back()[at] ^ 4);
  }
  for (size_t i = 0; i < bad.size(); ++i) {
    std::ofstream(file, std::ios::binary) << bad[i];
    EXPECT_EQ(compiles(1), 1u) << i;
    EXPECT_EQ(bytes_of(file), whole) << i;
    EXPECT_EQ(compiles(1), 0u) << i;
  }
}

TEST_F(ImageCache, ADirectoryThatOthersCanWriteIsNotUsed) {
  ASSERT_EQ(compiles(1), 1u);
  for (const mode_t mode : {0770, 0707, 0777}) {
    ASSERT_EQ(chmod((root / "cutaway/kernels").c_str(), mode), 0);
    EXPECT_EQ(compiles(1), 1u);
    EXPECT_EQ(compiles(2), 1u);
  }
  EXPECT_EQ(images().size(), 1u);
  ASSERT_EQ(chmod((root / "cutaway/kernels").c_str(), 0700), 0);
  EXPECT_EQ(compiles(1), 0u);
}

TEST_F(ImageCache, WithoutADirectoryAllGoesOn) {
  std::ofstream(root / "cutaway") << "a file in its place";
  EXPECT_EQ(compiles(1), 1u);
  EXPECT_EQ(compiles(1), 1u);
}

TEST_F(ImageCache, IsLeftAloneWhereItIsNotAskedFor) {
  EXPECT_EQ(compiles(1, {.cache = false}), 1u);
  EXPECT_TRUE(images().empty());
  EXPECT_EQ(compiles(1), 1u);
  EXPECT_EQ(compiles(1, {.cache = false}), 1u);
}

constexpr int shared_texts = 6;

// Runs the process below; it uses the directory of this one.
pid_t start_process() {
  std::string self = fs::read_symlink("/proc/self/exe").string(), filter = "--gtest_filter=ImageCacheProcess.*", disabled = "--gtest_also_run_disabled_tests";
  char* const arguments[] = {self.data(), filter.data(), disabled.data(), nullptr};
  pid_t child = -1;
  EXPECT_EQ(posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environ), 0);
  return child;
}
int end_of(pid_t child) {
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST_F(ImageCache, ProcessesShareIt) {
  setenv("CUTAWAY_TEST_COMPILES", "any", 1);
  const pid_t one = start_process(), other = start_process();
  EXPECT_EQ(end_of(one), 0);
  EXPECT_EQ(end_of(other), 0);
  EXPECT_EQ(images().size(), size_t(shared_texts));
  setenv("CUTAWAY_TEST_COMPILES", "none", 1);
  EXPECT_EQ(end_of(start_process()), 0);
  unsetenv("CUTAWAY_TEST_COMPILES");
}

// A process of ProcessesShareIt.
class ImageCacheProcess : public ImageCache {
 protected:
  void SetUp() override {}
  void TearDown() override {}
};
TEST_F(ImageCacheProcess, DISABLED_LoadsTheTexts) {
  const char* want = std::getenv("CUTAWAY_TEST_COMPILES");
  if (!want) GTEST_SKIP() << "only as a process of another test";
  uint64_t made = 0;
  for (int n = 0; n < shared_texts; ++n) made += compiles(n);
  EXPECT_LE(made, want == std::string("none") ? 0u : uint64_t(shared_texts));
}

} // namespace
} // namespace cutaway::cuda
