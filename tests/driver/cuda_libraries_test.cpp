// Plain products by cuBLASLt and plain convolutions by cuDNN: chosen, launched, captured and replayed on the simulated device;
// and the tables of the real libraries, where they are installed.
#include "backend/cuda/blas.h"
#include "backend/cuda/dnn.h"
#include "backend/cuda/sim/sim.h"
#include "driver/cuda_support.h"
#include "driver/session.h"
#include "ir/builder.h"
#include "ir/eval.h"
#include "ir/text.h"
#include "runtime/cuda/libraries.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cutaway::driver {
namespace {

Tensor numbers(DType type, const std::vector<int64_t>& dims, int seed) {
  Tensor t(DType::f32, dims);
  for (int64_t i = 0; i < t.count(); ++i) reinterpret_cast<float*>(t.mutable_data())[i] = static_cast<float>((i * 7 + seed) % 17) / 8 - 1;
  const Type to{type, make_shape(dims)};
  return (*eval(Op::cast, {{"to", type}}, std::span(&t, 1), std::span(&to, 1)))[0];
}

// A batch of products, one with a transposed operand that is repeated for the whole batch, and one with a bias, which is none
// of the library's.
Graph products(DType type, Feeds& feeds) {
  Graph g;
  Builder b(g);
  const ValueId x = b.param("x", {type, {3, 8, 20}}), w = b.param("w", {type, {12, 20}}), y = b.param("y", {type, {3, 12, 9}});
  feeds = {{"x", numbers(type, {3, 8, 20}, 1)}, {"w", numbers(type, {12, 20}, 2)}, {"y", numbers(type, {3, 12, 9}, 3)}};
  const ValueId first = *b.make(Op::dot_general, {x, *b.make(Op::permute, {w}, {{"perm", std::vector<int64_t>{1, 0}}})});
  const ValueId second = *b.make(Op::dot_general, {first, y});
  b.output(second, "second");
  b.output(*b.make(Op::tanh, {*b.make(Op::dot_general, {y, *b.make(Op::permute, {y}, {{"perm", std::vector<int64_t>{0, 2, 1}}})})}), "third");
  return g;
}

class CudaLibraries : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (!cuda::has_simulator()) GTEST_SKIP() << "no simulator";
    file_ = (std::filesystem::path(testing::TempDir()) / ("products-" + std::string(dtype_name(GetParam())) + ".cut")).string();
    std::ofstream(file_) << print(products(GetParam(), feeds_));
  }
  std::unique_ptr<Session> open(const std::string& device, const std::string& libraries, const std::string& math = "default") {
    Session::Options options;
    options.device = device, options.journal = true;
    EXPECT_TRUE(options.settings.set("libraries", libraries).ok() && options.settings.set("math", math).ok());
    auto session = Session::open(file_, options);
    EXPECT_TRUE(session.ok()) << (session ? "" : session.error().str());
    return std::move(*session);
  }
  static std::vector<std::string> told(const Session& session) {
    std::vector<std::string> codes;
    for (const Event& e : session.last_segments().at(0)->journal.events())
      if (e.pass == std::string("libraries")) codes.push_back(e.code);
    return codes;
  }

  std::string file_;
  Feeds feeds_;
};

TEST_P(CudaLibraries, ComputePlainProductsOnly) {
  const auto device = cuda::Device::open("sim:h100");
  const auto session = open("sim:h100", "on");
  const auto want = open("cpu", "off")->run(feeds_, Mode::oracle);
  ASSERT_TRUE(want.ok());
  const uint64_t before = cuda::sim::calls()["cublasLtMatmul"];
  for (int i = 0; i < 4; ++i) {
    const auto got = session->run(feeds_, Mode::compiled);
    ASSERT_TRUE(got.ok()) << got.error().str();
    for (size_t k = 0; k < got->size(); ++k)
      for (int64_t e = 0; e < (*got)[k].count(); ++e) ASSERT_NEAR((*got)[k].as_double(e), (*want)[k].as_double(e), GetParam() == DType::f32 ? 1e-4 : GetParam() == DType::f16 ? 0.05 : 0.4) << "run " << i << ", output " << k;
  }
  EXPECT_EQ(cuda::sim::calls()["cublasLtMatmul"], before + 4); // a run, and a capture
  EXPECT_EQ(told(*session), (std::vector<std::string>{"library", "library"}));
  EXPECT_EQ(cuda::sim::take_reports(), std::vector<std::string>());
}

TEST_P(CudaLibraries, AreLeftAloneInStrictModeAndWhereTimesAreModelled) {
  const auto device = cuda::Device::open("sim:h100");
  for (const auto& [libraries, math, codes] : {std::tuple{"off", "default", std::vector<std::string>{}}, {"on", "strict", {}}, {"auto", "default", {"not-library.modelled", "not-library.modelled"}}}) {
    const auto session = open("sim:h100", libraries, math);
    const uint64_t before = cuda::sim::calls()["cublasLtMatmul"];
    ASSERT_TRUE(session->run(feeds_, Mode::compiled).ok());
    EXPECT_EQ(cuda::sim::calls()["cublasLtMatmul"], before);
    EXPECT_EQ(told(*session), codes);
  }
}

TEST_P(CudaLibraries, ThatFailCostOnlyThemselves) {
  const auto device = cuda::Device::open("sim:h100");
  for (const char* call : {"cublasLtCreate", "cublasLtMatmulAlgoGetHeuristic"}) {
    cuda::sim::fail_nth(call, cuda::blas_not_initialized);
    const auto session = open("sim:h100", "on");
    EXPECT_TRUE(session->run(feeds_, Mode::compiled).ok());
    EXPECT_EQ(told(*session).at(0), "not-library");
  }
  const auto session = open("sim:h100", "on");
  cuda::sim::fail_nth("cublasLtMatmul", cuda::blas_execution_failed);
  const auto failed = session->run(feeds_, Mode::compiled);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().str().find("cublasLtMatmul answers 13"), std::string::npos) << failed.error().str();
  EXPECT_NE(failed.error().where.find("launch "), std::string::npos) << failed.error().str();
  EXPECT_TRUE(session->run(feeds_, Mode::compiled).ok());
}

// On the simulated device the times are the model's; the way to them is that of a real one.
TEST_P(CudaLibraries, AreTimedAgainstOurKernels) {
  const auto device = cuda::Device::open("sim:h100");
  const auto blas = cuda::Blas::open(*device);
  ASSERT_TRUE(blas.ok());
  const Graph graph = products(GetParam(), feeds_);
  const plan::Storage storage(graph);
  const auto before = cuda::sim::live();
  int plain = 0;
  for (const NodeId n : graph.order()) {
    if (graph.node(n).op != Op::dot_general) continue;
    const codegen::CudaKernel kernel = codegen::make_cuda_kernel(graph, storage, {}, {n}, "kernel", {});
    ASSERT_TRUE(kernel.product);
    runtime::DeviceLaunch launch;
    auto code = (*device)->load({kernel.text, kernel.symbol, false, false, kernel.shared_bytes});
    ASSERT_TRUE(code.ok());
    launch.code = *code, launch.grid = {unsigned(kernel.grid[0]), unsigned(kernel.grid[1]), unsigned(kernel.grid[2])};
    launch.threads = unsigned(kernel.threads), launch.shared = unsigned(kernel.shared_bytes);
    launch.library = *(*blas)->prepare(runtime::library_product(*kernel.product)), launch.operands = runtime::library_operands(kernel);
    const auto times = runtime::time_library(kernel, graph, **device, launch);
    ASSERT_TRUE(times.ok()) << times.error().str();
    EXPECT_GT(times->ours, 0);
    EXPECT_GT(times->theirs, 0);
    cuda::sim::fail_nth("cuMemAlloc", cuda::CUDA_ERROR_OUT_OF_MEMORY);
    const auto full = runtime::time_library(kernel, graph, **device, launch);
    EXPECT_TRUE(!full.ok() && full.error().fault == Fault::limit);
    ++plain;
  }
  EXPECT_EQ(plain, 3);
  EXPECT_EQ(cuda::sim::live(), before);
  EXPECT_EQ(cuda::sim::take_reports(), std::vector<std::string>());
}

// One convolution each of what differs: padding, strides, dilation, groups, one and three spatial dims; one with a bias, which
// is none of the library's, and one that is padded more on one side.
Graph convolutions(DType type, Feeds& feeds) {
  Graph g;
  Builder b(g);
  int seed = 0;
  const auto input = [&](const std::vector<int64_t>& dims) {
    const std::string name = "x" + std::to_string(++seed);
    feeds.emplace(name, numbers(type, dims, seed));
    return b.param(name, {type, make_shape(dims)});
  };
  const auto conv = [&](std::vector<int64_t> in, std::vector<int64_t> weights, std::vector<int64_t> low, std::vector<int64_t> high, int64_t stride, int64_t dilation, int64_t groups) {
    const size_t spatial = low.size();
    const ValueId x = input(in);
    return *b.make(Op::conv, {x, input(weights)}, {{"strides", std::vector<int64_t>(spatial, stride)}, {"dilations", std::vector<int64_t>(spatial, dilation)}, {"pad_low", low}, {"pad_high", high}, {"groups", groups}});
  };
  b.output(conv({2, 6, 9, 7}, {4, 6, 3, 3}, {1, 1}, {1, 1}, 1, 1, 1), "padded");
  b.output(conv({1, 4, 9, 9}, {6, 2, 3, 3}, {0, 0}, {0, 0}, 2, 1, 2), "strided");
  b.output(conv({1, 4, 12}, {3, 4, 3}, {2}, {2}, 1, 2, 1), "one");
  b.output(conv({1, 2, 4, 5, 6}, {3, 2, 2, 2, 2}, {0, 0, 0}, {0, 0, 0}, 1, 1, 1), "three");
  b.output(*b.make(Op::tanh, {conv({1, 2, 5, 5}, {3, 2, 1, 1}, {0, 0}, {0, 0}, 1, 1, 1)}), "with more");
  b.output(conv({1, 2, 5, 5}, {3, 2, 2, 2}, {0, 0}, {1, 1}, 1, 1, 1), "uneven");
  return g;
}

TEST_P(CudaLibraries, ComputePlainConvolutions) {
  const auto device = cuda::Device::open("sim:h100");
  std::ofstream(file_) << print(convolutions(GetParam(), feeds_));
  const auto session = open("sim:h100", "on"), ours = open("sim:h100", "off");
  const auto want = open("cpu", "off")->run(feeds_, Mode::oracle);
  ASSERT_TRUE(want.ok()) << want.error().str();
  const uint64_t before = cuda::sim::calls()["cudnnConvolutionForward"];
  for (int i = 0; i < 3; ++i) {
    const auto got = session->run(feeds_, Mode::compiled);
    ASSERT_TRUE(got.ok()) << got.error().str();
    for (size_t k = 0; k < got->size(); ++k)
      for (int64_t e = 0; e < (*got)[k].count(); ++e) ASSERT_NEAR((*got)[k].as_double(e), (*want)[k].as_double(e), GetParam() == DType::f32 ? 1e-4 : GetParam() == DType::f16 ? 0.05 : 0.4) << "run " << i << ", output " << k;
  }
  EXPECT_EQ(cuda::sim::calls()["cudnnConvolutionForward"], before + 8); // a run, and a capture
  EXPECT_EQ(told(*session), std::vector<std::string>(4, "library"));
  cuda::sim::fail_nth("cudnnCreate", cuda::dnn_not_initialized);
  const auto without = open("sim:h100", "on");
  EXPECT_TRUE(without->run(feeds_, Mode::compiled).ok());
  EXPECT_EQ(told(*without), std::vector<std::string>(4, "not-library"));
  EXPECT_EQ(cuda::sim::take_reports(), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Types, CudaLibraries, testing::Values(DType::f32, DType::f16, DType::bf16), [](const auto& info) { return std::string(dtype_name(info.param)); });

TEST(CudaLibraryTable, InstalledLibrariesHaveEveryEntry) {
  const auto calls = cuda::load_blas();
  if (!calls) GTEST_SKIP() << calls.error().str();
  EXPECT_GE(calls->version(), 120000u);
  const auto dnn = cuda::load_dnn();
  if (!dnn) GTEST_SKIP() << dnn.error().str();
  EXPECT_GE(dnn->version(), 8000u);
}

} // namespace
} // namespace cutaway::driver
