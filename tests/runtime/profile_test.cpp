#include "runtime/chain.h"

#include <thread>

namespace cutaway::runtime {
namespace {

constexpr long unit_us = 200;
constexpr int64_t units = 16;

// "Compiled" code that only takes its time.
void sleep_kernel(void* const*, long begin, long end, void*) { std::this_thread::sleep_for(std::chrono::microseconds(unit_us * (end - begin))); }

// Every other kernel runs built in.
struct Sleepers : testing::Chain {
  explicit Sleepers(int count) : Chain(count, sleep_kernel, units, 8, [](int i) { return i % 2 == 1; }) {}
  ThreadPool pool{3};
  Tensor input = Tensor(DType::f32, {8});
};

TEST(Profile, NothingIsTakenWhereNotAsked) {
  Sleepers c(4);
  auto made = c.executable->make_context(c.pool);
  const auto& context = *made;
  ASSERT_TRUE(c.executable->run(std::span(&c.input, 1), *context).ok());
  EXPECT_TRUE(context->measured.calls.empty());
  EXPECT_TRUE(context->measured.lanes.empty());
}

TEST(Profile, SpansLieInsideTheirLaunchesAndAddUp) {
  Sleepers c(6);
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
