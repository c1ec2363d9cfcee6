// Every device kernel of models and random groups through the NVRTC of this machine, where one is found; no GPU is needed.
#include "backend/cuda/compile.h"
#include "driver/cuda_support.h"
#include "driver/random_groups.h"
#include "driver/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace cutaway::driver {
namespace {

namespace fs = std::filesystem;

class CudaCompile : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::find_libraries(api).nvrtc.empty()) GTEST_SKIP() << "no NVRTC here; CUTAWAY_CUDA_PATH may name a toolkit's folder";
  }

  // Remembers the texts of a segment, each once. Returns the kernels that have none.
  int take(const CompiledSegment& segment, bool strict) {
    const plan::Storage storage(segment.graph);
    int without = 0;
    for (codegen::CudaKernel& k : cuda_kernels(segment, storage, strict)) {
      without += k.builtin();
      // What the CPU compiles the device compiles too.
      const auto same = [&](const codegen::GroupKernel& c) { return c.nodes == k.nodes && !c.builtin(); };
      const auto& host = segment.executable->kernels();
      if (k.builtin()) EXPECT_TRUE(std::none_of(host.begin(), host.end(), same)) << k.name << ": " << k.why_not;
      else texts.try_emplace(k.text, std::move(k));
    }
    return without;
  }

  void compile_all(bool strict, const std::string& what) {
    for (int capability : {80, 90, 100}) {
      int most = 0, spilling = 0;
      for (const auto& [text, k] : texts) {
        const auto cubin = cuda::compile(api, text, {capability, strict});
        ASSERT_TRUE(cubin.ok()) << k.name << ": " << cubin.error().str() << "\n" << text;
        ASSERT_EQ(cubin->usage.size(), 1u);
        const cuda::KernelUsage& u = cubin->usage[0];
        most = std::max(most, u.registers);
        spilling += u.spill_store_bytes + u.spill_load_bytes + u.stack_bytes > 0;
        EXPECT_EQ(u.spill_store_bytes + u.spill_load_bytes + u.stack_bytes, 0) << k.name << " sm_" << capability << ": " << u.registers << " registers\n" << text;
        EXPECT_LE(u.registers * k.threads, 65536) << k.name;
      }
      std::printf("%s, sm_%d: %zu texts, at most %d registers, %d spill\n", what.c_str(), capability, texts.size(), most, spilling);
    }
  }

  cuda::Api api;
  std::map<std::string, codegen::CudaKernel> texts;
};

TEST_F(CudaCompile, RandomGroupsInBothModes) {
  for (const bool strict : {false, true}) {
    Settings settings;
    settings.math = strict ? Math::strict : Math::normal;
    Compiler compiler(settings, 1);
    texts.clear();
    for (uint32_t seed = 0; seed < 48; ++seed) {
      const RandomGroup group(seed);
      const auto segment = compiler.compile(group.graph, false);
      ASSERT_TRUE(segment.ok());
      EXPECT_EQ(take(**segment, strict), 0) << seed;
    }
    compile_all(strict, strict ? "random groups, strict" : "random groups");
  }
}

TEST_F(CudaCompile, ProductsOnTensorCores) {
  for (const bool transposed : {false, true}) {
    Graph g;
    Builder b(g);
    const ValueId x = b.param("x", {DType::bf16, {128, 64}}), y = b.param("y", {DType::bf16, {64, 64}});
    const ValueId w = transposed ? *b.make(Op::permute, {y}, {{"perm", std::vector<int64_t>{1, 0}}}) : y;
    b.output(*b.make(Op::erf, {*b.make(Op::dot_general, {x, w})}), "out");
    const auto segment = Compiler({}, 1).compile(g, false);
    ASSERT_TRUE(segment.ok());
    EXPECT_EQ(take(**segment, false), 0);
  }
  EXPECT_EQ(texts.size(), 2u);
  for (const auto& [text, k] : texts) EXPECT_NE(text.find("mma_16n8k16_bf16"), std::string::npos);
  compile_all(false, "products on tensor cores");
}

// The inputs of its first data set, else random ones.
Result<Feeds> feeds_of(const fs::path& folder, const Session& session) {
  std::vector<std::string> specs, notes;
  const auto inputs = model_inputs(session.model());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const fs::path file = folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"); fs::exists(file)) specs.push_back(inputs[i].name + "=" + file.string());
  return make_feeds(session.model(), specs, {}, notes);
}

TEST_F(CudaCompile, KernelsOfTheModels) {
  const char* data = std::getenv("CUTAWAY_DATA");
  if (!data || !fs::exists(fs::path(data) / "data/zoo")) GTEST_SKIP() << "no models: CUTAWAY_DATA names their folder";
  for (const auto& entry : fs::directory_iterator(fs::path(data) / "data/zoo")) {
    if (!fs::exists(entry.path() / "model.onnx")) continue;
    auto session = Session::open((entry.path() / "model.onnx").string(), {});
    ASSERT_TRUE(session.ok()) << session.error().str();
    const auto feeds = feeds_of(entry.path(), **session);
    ASSERT_TRUE(feeds.ok()) << feeds.error().str();
    const auto ran = (*session)->run(*feeds, Mode::compiled);
    ASSERT_TRUE(ran.ok()) << entry.path() << ran.error().str();
    int kernels = 0, without = 0;
    for (const auto& segment : (*session)->last_segments()) {
      without += take(*segment, false);
      kernels += static_cast<int>(segment->executable->kernel_count());
    }
    std::printf("%s: %d kernels, %d without a device text\n", entry.path().filename().c_str(), kernels, without);
  }
  compile_all(false, "models");
}

} // namespace
} // namespace cutaway::driver
