// Several streams on the simulated GPU: no order in which the device may run them changes a bit.
#include "backend/cuda/sim/sim.h"
#include "driver/random_graph.h"
#include "driver/session.h"
#include "runtime/reference.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace cutaway::driver {
namespace {

int times(const char* variable, int short_form) {
  const char* asked = std::getenv(variable);
  return asked ? std::atoi(asked) : short_form;
}

class StreamsOnSimulatedGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (auto device = cuda::Device::open("sim:h100"); !device) GTEST_SKIP() << device.error().str();
    else device_ = *device;
    (void)cuda::sim::take_reports();
  }
  void TearDown() override {
    cuda::sim::set_pick(cuda::sim::Pick::oldest);
    cuda::sim::set_checked(false);
  }
  Settings settings(int streams) const {
    Settings out;
    out.math = Math::strict;
    out.streams = streams;
    return out;
  }
  std::shared_ptr<cuda::Device> device_;
};

struct Ready {
  std::shared_ptr<const CompiledSegment> segment;
  std::unique_ptr<runtime::RunContext> context;
};
Ready ready(Compiler& compiler, const Graph& graph) {
  auto segment = compiler.compile(graph, true);
  if (!segment) throw std::runtime_error(segment.error().str());
  auto context = (*segment)->executable->make_context(compiler.pool());
  if (!context) throw std::runtime_error(context.error().str());
  return {*segment, std::move(*context)};
}

bool has_event(const CompiledSegment& segment, const std::string& code) {
  for (const Event& e : segment.journal.events())
    if (e.code == code) return true;
  return false;
}

// CUTAWAY_STREAM_RUNS=1000 is the long form: runs in which the device picks what it runs next at random.
TEST_F(StreamsOnSimulatedGpu, NoOrderChangesABit) {
  Compiler compiler(settings(4), 1, nullptr, device_);
  const int runs = times("CUTAWAY_STREAM_RUNS", 40);
  int split = 0;
  for (uint32_t seed = 0; seed < 10; ++seed) {
    const RandomGraph random(seed, seed % 3 == 0);
    const auto inputs = inputs_of(seed);
    const auto want = runtime::run_reference(random.graph, inputs);
    ASSERT_TRUE(want.ok());
    const Ready r = ready(compiler, random.graph);
    split += has_event(*r.segment, "streams");
    for (int run = 0; run < (seed == 1 ? runs : 6); ++run) {
      cuda::sim::set_pick(run == 0 ? cuda::sim::Pick::newest : cuda::sim::Pick::random, seed * 1000 + static_cast<uint64_t>(run));
      const auto got = r.segment->executable->run(inputs, *r.context);
      ASSERT_TRUE(got.ok()) << got.error().str();
      for (size_t i = 0; i < want->size(); ++i) ASSERT_TRUE((*got)[i].same_bits((*want)[i])) << "seed " << seed << ", run " << run << ", output " << i;
    }
    EXPECT_EQ(cuda::sim::take_reports(), std::vector<std::string>()) << "seed " << seed;
  }
  EXPECT_GE(split, 5);
}

// Each access of each kernel against what its launch declares and what is allocated.
TEST_F(StreamsOnSimulatedGpu, CheckedModeFindsNothing) {
  cuda::sim::set_checked(true);
  Compiler compiler(settings(3), 1, nullptr, device_);
  for (uint32_t seed = 20; seed < 24; ++seed) {
    const RandomGraph random(seed);
    const auto inputs = inputs_of(seed);
    const Ready r = ready(compiler, random.graph);
    for (int run = 0; run < 3; ++run) ASSERT_TRUE(r.segment->executable->run(inputs, *r.context).ok());
    EXPECT_EQ(cuda::sim::take_reports(), std::vector<std::string>()) << "seed " << seed;
  }
}

// What a run keeps of its inputs and outputs is its own: later replays change neither.
TEST_F(StreamsOnSimulatedGpu, AKeptOutputSurvivesTheNextReplay) {
  Compiler compiler(settings(4), 1, nullptr, device_);
  const RandomGraph random(4);
  const Ready r = ready(compiler, random.graph);
  std::vector<std::vector<Tensor>> kept;
  for (uint32_t i = 0; i < 5; ++i) kept.push_back(*r.segment->executable->run(inputs_of(i), *r.context));
  for (uint32_t i = 0; i < 5; ++i) {
    const auto want = runtime::run_reference(random.graph, inputs_of(i));
    for (size_t k = 0; k < want->size(); ++k) EXPECT_TRUE(kept[i][k].same_bits((*want)[k])) << "run " << i;
  }
}

// The plan, the launches one by one and the replay, on one axis each.
TEST_F(StreamsOnSimulatedGpu, AProfileTellsPlannedOneByOneAndReplayed) {
  Compiler compiler(settings(4), 1, nullptr, device_);
  Ready r;
  for (uint32_t seed = 0; seed < 10 && !(r.segment && has_event(*r.segment, "stream-event")); ++seed) r = ready(compiler, RandomGraph(seed).graph);
  ASSERT_TRUE(has_event(*r.segment, "stream-event"));
  r.context->profile = true;
  ASSERT_TRUE(r.segment->executable->run(inputs_of(1), *r.context).ok());
  const runtime::RunProfile& p = r.context->measured;
  const size_t kernels = r.segment->executable->kernels().size();
  EXPECT_TRUE(p.modelled);
  EXPECT_EQ(p.calls.size(), kernels);
  EXPECT_FALSE(p.flows.empty());
  ASSERT_TRUE(p.replayed && p.planned);
  EXPECT_EQ(p.replayed->calls.size(), 1u);
  const auto launches = [](const runtime::Timing& t) {
    size_t n = 0;
    for (const auto& lane : t.lanes)
      for (const auto& busy : lane.busy) n += !busy.value;
    return n;
  };
  for (const runtime::Timing* t : {static_cast<const runtime::Timing*>(&p), &*p.replayed, &*p.planned}) EXPECT_EQ(launches(*t), kernels);
  EXPECT_LT(p.replayed->duration_us, p.duration_us); // one call instead of many
  // The plan does not know that memory serves one request after the other.
  EXPECT_NEAR(p.replayed->duration_us - p.replayed->calls[0].duration_us, p.planned->duration_us, .1 * p.planned->duration_us);
}

// Each launch is one call and one span of its own stream's; between two of one stream there is no overlap.
TEST_F(StreamsOnSimulatedGpu, OneStreamWhereOneIsAskedFor) {
  Compiler compiler(settings(1), 1, nullptr, device_);
  const RandomGraph random(1);
  const Ready r = ready(compiler, random.graph);
  EXPECT_TRUE(has_event(*r.segment, "one-stream"));
  r.context->profile = true;
  ASSERT_TRUE(r.segment->executable->run(inputs_of(1), *r.context).ok());
  EXPECT_TRUE(r.context->measured.flows.empty());
  for (const auto& lane : r.context->measured.lanes)
    for (size_t i = 1; i < lane.busy.size(); ++i) EXPECT_GE(lane.busy[i].start_us, lane.busy[i - 1].end_us() - 1e-9);
}

// Kernels that only the host knows cut a run into regions, each replayed as one.
TEST_F(StreamsOnSimulatedGpu, HostKernelsCutReplaysIntoRegions) {
  Compiler compiler(settings(4), 1, nullptr, device_);
  Graph g;
  Builder b(g);
  const ValueId x = b.param("x", {DType::f32, {3, 5, 7}});
  const ValueId first = *b.make(Op::tanh, {x}), sorted = *b.make(Op::topk, {first}, {{"axis", int64_t{2}}, {"k", int64_t{7}}, {"largest", int64_t{1}}});
  b.output(*b.make(Op::add, {*b.make(Op::exp, {sorted}), first}), "out");
  const Ready r = ready(compiler, g);
  const std::vector<Tensor> inputs{inputs_of(3)[0]};
  const auto want = runtime::run_reference(g, inputs);
  for (int run = 0; run < 4; ++run) {
    auto before = cuda::sim::calls();
    const auto got = r.segment->executable->run(inputs, *r.context);
    ASSERT_TRUE(got.ok()) << got.error().str();
    EXPECT_TRUE((*got)[0].same_bits((*want)[0]));
    auto after = cuda::sim::calls();
    if (run < 2) continue;
    EXPECT_EQ(after["cuLaunchKernel"], before["cuLaunchKernel"]);
    EXPECT_EQ(after["cuGraphLaunch"], before["cuGraphLaunch"] + 2);
  }
}

} // namespace
} // namespace cutaway::driver
