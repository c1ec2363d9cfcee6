// Several streams on the simulated GPU: no order in which the device may run them changes a bit.
#include "backend/cuda/sim/sim.h"
#include "driver/random_graph.h"
#include "driver/session.h"
#include "runtime/reference.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

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

// Room for a second size is made by giving back what the first one holds.
TEST_F(StreamsOnSimulatedGpu, OutOfMemoryGivesBackOtherVariants) {
  Session::Options options;
  options.device = "sim:h100";
  options.settings = settings(4);
  auto session = Session::open(CUTAWAY_SOURCES "/resources/models/sample.onnx", options);
  ASSERT_TRUE(session.ok());
  std::vector<std::string> notes;
  const auto one = make_feeds((*session)->model(), {}, {}, notes), two = make_feeds((*session)->model(), {}, {{"N", 2}}, notes);
  ASSERT_TRUE(one.ok() && two.ok());
  const auto first = (*session)->run(*one, Mode::compiled), want = (*session)->run(*two, Mode::eager);
  for (int nth = 1; nth <= 4; ++nth) {
    ASSERT_TRUE((*session)->run(*one, Mode::compiled).ok());
    cuda::sim::fail_nth("cuMemAlloc", cuda::CUDA_ERROR_OUT_OF_MEMORY, nth);
    const auto got = (*session)->run(*two, Mode::compiled);
    ASSERT_TRUE(got.ok()) << got.error().str();
    for (size_t i = 0; i < got->size(); ++i) EXPECT_TRUE((*got)[i].same_bits((*want)[i]));
    const auto again = (*session)->run(*one, Mode::compiled);
    ASSERT_TRUE(again.ok());
    for (size_t i = 0; i < again->size(); ++i) EXPECT_TRUE((*again)[i].same_bits((*first)[i]));
    session = Session::open(CUTAWAY_SOURCES "/resources/models/sample.onnx", options);
    cuda::sim::fail_nth("cuMemAlloc", cuda::CUDA_ERROR_OUT_OF_MEMORY, 1'000'000);
  }
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

// The gate "never more than 2 % slower than one queue", in modelled time of a replay: CUTAWAY_STREAM_MODELS=FOLDER, with a
// model.onnx in each of its folders.
TEST_F(StreamsOnSimulatedGpu, SeveralAreNeverSlowerThanOne) {
  const char* folder = std::getenv("CUTAWAY_STREAM_MODELS");
  if (!folder) GTEST_SKIP() << "CUTAWAY_STREAM_MODELS is not set";
  std::set<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (std::filesystem::exists(entry.path() / "model.onnx")) models.insert((entry.path() / "model.onnx").string());
  for (const std::string& model : models) {
    double us[2] = {0, 0}, planned = 0;
    size_t events = 0;
    for (const int streams : {1, 4}) {
      Session::Options options;
      options.device = "sim:h100";
      options.settings.streams = streams;
      auto session = Session::open(model, options);
      if (!session) break;
      std::vector<std::string> notes;
      const auto feeds = make_feeds((*session)->model(), {}, {}, notes);
      if (!feeds || !(*session)->run(*feeds, Mode::compiled)) break;
      const auto inputs = (*session)->first_inputs(*feeds);
      const runtime::Executable& e = *(*session)->last_segments()[0]->executable;
      auto context = e.make_context((*session)->compiler().pool());
      if (!inputs || !context) break;
      (*context)->profile = true;
      if (!e.run(*inputs, **context) || !(*context)->measured.replayed) break;
      us[streams > 1] = (*context)->measured.replayed->duration_us;
      planned = (*context)->measured.planned->duration_us, events = (*context)->measured.flows.size();
    }
    if (us[1] == 0) std::printf("%s: not captured whole\n", model.c_str());
    else std::printf("%s: one stream %.1f us, several %.1f us (planned %.1f), %zu events, %.3f\n", model.c_str(), us[0], us[1], planned, events, us[0] / us[1]);
    EXPECT_LE(us[1], 1.02 * us[0]) << model;
  }
}

} // namespace
} // namespace cutaway::driver
