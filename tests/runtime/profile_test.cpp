#include "ir/builder.h"
#include "runtime/cpu_executable.h"

#include <gtest/gtest.h>

#include <thread>

namespace cutaway::runtime {
namespace {

constexpr long unit_us = 200;
constexpr int64_t units = 16;

// "Compiled" code that only takes its time.
void sleep_kernel(void* const*, long begin, long end, void*) { std::this_thread::sleep_for(std::chrono::microseconds(unit_us * (end - begin))); }

struct Sleeper : cpu::KernelCompiler {
  std::vector<Result<Compiled>> compile(std::span<const cpu::KernelUnit> texts, const std::atomic<bool>*, const std::function<void(size_t, size_t)>&) override {
    return std::vector<Result<Compiled>>(texts.size(), Compiled{sleep_kernel, nullptr, true, 0, 0});
  }
  Result<cpu::Assembly> assembly(const cpu::KernelUnit&, const std::atomic<bool>*) override { return cpu::Assembly(); }
  Result<std::string> object(const cpu::CppUnit&, const std::atomic<bool>*) override { return std::string(); }
  Status cache_refusal() const override { return {}; }
  std::string target() const override { return "none"; }
};

// A chain of negations, one kernel each; every other one has no text and runs built in.
struct Chain {
  Graph g;
  std::shared_ptr<const Executable> executable;
  ThreadPool pool{3};
  Tensor input = Tensor(DType::f32, {8});

  explicit Chain(int count) {
    Builder b(g);
    ValueId v = b.param("x", {DType::f32, {8}});
    std::vector<codegen::Kernel> kernels;
    for (int i = 0; i < count; ++i) {
      const ValueId w = *b.make(Op::neg, {v});
      codegen::Kernel k;
      k.nodes = {g.value(w).producer};
      k.name = "neg";
      if (i % 2 == 0) k.symbol = "sleep", k.text = "none";
      k.units = units;
      k.buffers = {v, w}, k.reads = {v}, k.writes = {w};
      kernels.push_back(k);
      v = w;
    }
    b.output(v, "y");
    Sleeper compiler;
    auto made = make_cpu_executable(g, kernels, plan::Storage(g), &compiler, {});
    EXPECT_TRUE(made.ok());
    executable = *made;
  }
};

TEST(Profile, NothingIsTakenWhereNotAsked) {
  Chain c(4);
  auto made = c.executable->make_context(c.pool);
  const auto& context = *made;
  ASSERT_TRUE(c.executable->run(std::span(&c.input, 1), *context).ok());
  EXPECT_TRUE(context->measured.calls.empty());
  EXPECT_TRUE(context->measured.lanes.empty());
}

TEST(Profile, SpansLieInsideTheirLaunchesAndAddUp) {
  Chain c(6);
  auto made = c.executable->make_context(c.pool);
  const auto& context = *made;
  context->profile = true;
  for (int again = 0; again < 2; ++again) { // a second run starts afresh
    ASSERT_TRUE(c.executable->run(std::span(&c.input, 1), *context).ok());
    const RunProfile& p = context->measured;
    ASSERT_EQ(p.calls.size(), 6u);
    ASSERT_EQ(p.lanes.size(), 3u);
    for (size_t i = 1; i < p.calls.size(); ++i) EXPECT_GE(p.calls[i].start_us, p.calls[i - 1].end_us());
    EXPECT_GE(p.calls[0].start_us, 0);
    EXPECT_LE(p.calls.back().end_us(), p.duration_us);
    std::vector<double> busy(p.calls.size());
    for (const auto& lane : p.lanes)
      for (size_t i = 0; i < lane.busy.size(); ++i) {
        const RunProfile::Busy& b = lane.busy[i];
        ASSERT_LT(b.launch, p.calls.size());
        EXPECT_GE(b.start_us, p.calls[b.launch].start_us);
        EXPECT_LE(b.end_us(), p.calls[b.launch].end_us());
        if (i > 0) {
          EXPECT_LT(lane.busy[i - 1].launch, b.launch); // one span a launch, in order
        }
        busy[b.launch] += b.duration_us;
      }
    for (size_t i = 0; i < busy.size(); ++i) {
      if (i % 2 == 0) {
        EXPECT_GE(busy[i], double(units) * unit_us);
      }
      EXPECT_GT(busy[i], 0);
      EXPECT_LE(busy[i], 3 * p.calls[i].duration_us);
    }
  }
}

} // namespace
} // namespace cutaway::runtime
