// Device kernels of fused groups, run by the simulated driver, against the reference evaluation.
#include "backend/cuda/sim/sim.h"
#include "base/prelude/cw_math.h"
#include "driver/cuda_support.h"
#include "driver/random_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace cutaway::driver {
namespace {

// Largest error of a kernel against the reference where contraction and the order of sums are free, relative to the larger
// of one and the value.
double bound_of(DType t) {
  switch (t) {
  case DType::f64: return 1e-12;
  case DType::f16: return 4e-3;
  case DType::bf16: return 3e-2;
  default: return is_float(t) ? 1e-4 : 0;
  }
}

class CudaKernels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto made = cuda::simulated(cuda::DeviceModel{});
    if (!made) return;
    api = *made;
    cuda::sim::reset();
    auto opened = CudaDevice::open(api);
    ASSERT_TRUE(opened.ok()) << opened.error().str();
    device = std::make_unique<CudaDevice>(*opened);
  }
  static void TearDownTestSuite() { device.reset(); }
  void SetUp() override {
    if (!device) GTEST_SKIP() << "this program has no kernel compiler";
    cuda::sim::set_checked(true);
  }
  void TearDown() override { cuda::sim::set_checked(false); }

  // Every kernel of the graph, each on the values that the reference makes. Returns how many ran.
  int check(const Graph& imported, std::span<const Tensor> inputs, bool strict, const std::string& what) {
    Settings settings;
    settings.math = strict ? Math::strict : Math::normal;
    Compiler compiler(settings, 1);
    const auto segment = compiler.compile(imported, false);
    EXPECT_TRUE(segment.ok()) << what;
    if (!segment) return 0;
    const Graph& g = (*segment)->graph;
    const plan::Storage storage(g);
    const auto values = all_values(g, inputs);
    EXPECT_TRUE(values.ok()) << what;
    int ran = 0;
    for (const codegen::CudaKernel& k : cuda_kernels(**segment, storage, strict)) {
      EXPECT_FALSE(k.builtin()) << what << ": " << k.why_not;
      if (k.builtin()) continue;
      const auto outcome = device->run(k, g, storage, *values, strict);
      for (const std::string& report : cuda::sim::take_reports()) ADD_FAILURE() << what << ": " << k.name << ": " << report;
      EXPECT_TRUE(outcome.ok()) << what << ": " << outcome.error().str() << "\n" << k.text;
      if (!outcome) continue;
      EXPECT_FALSE(outcome->bad_index) << what;
      for (size_t i = 0; i < k.writes.size(); ++i) {
        const std::string wrong = difference(outcome->written[i], (*values)[k.writes[i].v], strict ? 0 : bound_of(g.type(k.writes[i]).dtype));
        EXPECT_EQ(wrong, "") << what << ": " << k.name << "\n" << k.loop_nest;
      }
      ++ran;
    }
    return ran;
  }

  static inline cuda::Api api;
  static inline std::unique_ptr<CudaDevice> device;
};

TEST_F(CudaKernels, StrictGivesTheReferencesBitsForEveryKindOfGroup) {
  int ran = 0;
  for (uint32_t seed = 0; seed < 160; ++seed) {
    const RandomGroup group(seed);
    ran += check(group.graph, group.inputs, true, "seed " + std::to_string(seed));
    if (HasFatalFailure() || HasFailure()) return;
  }
  EXPECT_GE(ran, 160);
}

TEST_F(CudaKernels, FreeOrderAndContractionStayWithinBounds) {
  for (uint32_t seed = 1000; seed < 1120; ++seed) {
    const RandomGroup group(seed);
    check(group.graph, group.inputs, false, "seed " + std::to_string(seed));
    if (HasFailure()) return;
  }
}

TEST_F(CudaKernels, AnIndexOutOfRangeSetsTheFlag) {
  for (int64_t bad : {-4, 3, 100}) {
    Graph g;
    Builder b(g);
    const ValueId x = b.param("x", {DType::f32, {3, 5}}), at = b.param("at", {DType::i64, {4}});
    b.output(*b.make(Op::gather, {x, at}, {{"axis", int64_t{0}}}), "y");
    Tensor picks(DType::i64, {4}), table(DType::f32, {3, 5});
    for (int64_t i = 0; i < 15; ++i) table.mutable_as<float>()[i] = static_cast<float>(i);
    for (int64_t i = 0; i < 4; ++i) picks.mutable_as<int64_t>()[i] = i == 2 ? bad : i - 2;
    const plan::Storage storage(g);
    const NodeId node = g.value(g.outputs()[0].value).producer;
    const auto k = codegen::make_cuda_kernel(g, storage, {}, {node}, "kernel", {});
    ASSERT_TRUE(k.checks_indices);
    std::vector<Tensor> values(g.value_bound());
    values[x.v] = table, values[at.v] = picks;
    const auto outcome = device->run(k, g, storage, values, false);
    ASSERT_TRUE(outcome.ok()) << outcome.error().str();
    EXPECT_TRUE(outcome->bad_index) << bad;
    EXPECT_TRUE(cuda::sim::take_reports().empty());
  }
}

// Operands along the depth and across it, batches, tails of tiles; the last two do not fit the schedule.
TEST_F(CudaKernels, ProductsOfBfloat16RunOnTensorCores) {
  struct Shape {
    std::vector<int64_t> a, b;
    bool transposed, fits;
  };
  const Shape shapes[] = {{{64, 64}, {64, 64}, false, true},    {{100, 96}, {96, 72}, false, true},       {{70, 32}, {50, 32}, true, true},
                          {{2, 3, 40, 64}, {64, 40}, false, true}, {{3, 33, 32}, {3, 32, 136}, false, true}, {{2, 2, 64, 32}, {2, 2, 33, 32}, true, true},
                          {{64, 48}, {48, 64}, false, false},   {{64, 64}, {64, 36}, false, false}};
  for (const Shape& s : shapes) {
    Graph g;
    Builder b(g);
    std::vector<Tensor> inputs;
    for (const auto& dims : {s.a, s.b}) {
      Tensor t(DType::bf16, dims);
      for (int64_t i = 0; i < t.count(); ++i) t.mutable_as<cw_u16>()[i] = cw_f32_to_bf16(static_cast<float>((i * 7919) % 401 - 200) * 5e-3f);
      inputs.push_back(t);
    }
    const ValueId x = b.param("x", {DType::bf16, make_shape(s.a)});
    ValueId y = b.param("y", {DType::bf16, make_shape(s.b)});
    std::vector<int64_t> perm(s.b.size());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    if (s.transposed) y = *b.make(Op::permute, {y}, {{"perm", perm}});
    b.output(*b.make(Op::tanh, {*b.make(Op::dot_general, {x, y})}), "out");
    for (const bool strict : {false, true}) {
      Settings settings;
      settings.math = strict ? Math::strict : Math::normal;
      const auto segment = Compiler(settings, 1).compile(g, false);
      ASSERT_TRUE(segment.ok());
      const auto kernels = cuda_kernels(**segment, plan::Storage((*segment)->graph), strict);
      ASSERT_EQ(kernels.size(), 1u);
      EXPECT_EQ(kernels[0].text.find("mma_16n8k16_bf16") != std::string::npos, s.fits && !strict) << kernels[0].loop_nest;
      check(g, inputs, strict, kernels[0].loop_nest);
    }
  }
}

TEST(CudaKernelTexts, SayWhatTheyCannotDo) {
  Graph g;
  Builder b(g);
  const ValueId x = b.param("x", {DType::f32, {3, 5}});
  b.output(*b.make(Op::argmax, {x}, {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{0}}, {"last", int64_t{0}}}), "at");
  b.output(*b.make(Op::cast, {x}, {{"to", DType::f8e4m3fn}}), "small");
  const plan::Storage storage(g);
  std::vector<std::string> why;
  for (const GraphOutput& o : g.outputs()) {
    const auto k = codegen::make_cuda_kernel(g, storage, {}, {g.value(o.value).producer}, "kernel", {});
    EXPECT_TRUE(k.builtin());
    EXPECT_EQ(k.writes, std::vector<ValueId>{o.value});
    why.push_back(k.why_not);
  }
  EXPECT_EQ(why, (std::vector<std::string>{"no kernel for argmax", "no kernel for cast of f8e4m3fn"}));
}

TEST(CudaKernelTexts, NestsFitTheirColumnAndNameEveryOp) {
  Settings settings;
  Compiler compiler(settings, 1);
  for (uint32_t seed = 0; seed < 64; ++seed) {
    const RandomGroup group(seed);
    const auto segment = compiler.compile(group.graph, false);
    ASSERT_TRUE(segment.ok());
    const plan::Storage storage((*segment)->graph);
    for (const codegen::CudaKernel& k : cuda_kernels(**segment, storage, false)) {
      EXPECT_GT(k.bytes, 0);
      EXPECT_LE(k.shared_bytes, 48 << 10);
      for (NodeId n : k.nodes) EXPECT_NE(k.loop_nest.find(op_name((*segment)->graph.node(n).op)), std::string::npos) << k.loop_nest;
      for (size_t at = 0, end = 0; at < k.loop_nest.size(); at = end + 1) {
        end = k.loop_nest.find('\n', at);
        EXPECT_LE(end - at, 40u) << k.loop_nest;
      }
    }
  }
}

} // namespace
} // namespace cutaway::driver
