#include "runtime/replay.h"

#include "runtime/chain.h"
#include "runtime/counted.h"

#include <gtest/gtest.h>

#include <random>

namespace cutaway::runtime {
namespace {

constexpr int64_t width = 64; // elements of each value

// out = mix(a, b), a unit an element.
void mix(void* const* p, long begin, long end, void*) {
  const auto *a = static_cast<const uint64_t*>(p[0]), *b = static_cast<const uint64_t*>(p[1]);
  auto* out = static_cast<uint64_t*>(p[2]);
  for (long i = begin; i < end; ++i) out[i] = (a[i] ^ (b[width - 1 - i] << 7)) * 0x9e3779b97f4a7c15u + 1;
}

// The same as one unit of work.
void mix_alone(void* const* p, long, long, void* scratch) { mix(p, 0, width, scratch); }

// Launches that each read two values made before, every tenth by all threads; value 0 is the input, the last one the output.
struct Mixes {
  explicit Mixes(uint32_t count, uint32_t seed) : values(count + 1, std::vector<uint64_t>(width)) {
    std::mt19937 random(seed);
    for (uint32_t i = 0; i < count; ++i) {
      reads.push_back({random() % (i + 1), i - random() % std::min(i + 1, 3u)});
      ListedLaunch l{i % 10 ? mix_alone : mix, i % 10 ? 1 : width, false, {}};
      for (const uint32_t v : {reads[i].first, reads[i].second, i + 1}) {
        const bool moves = v == 0 || v == count;
        l.pointers.push_back({moves ? nullptr : values[v].data(), moves ? ValueId(v) : ValueId()});
      }
      launches.push_back(l);
    }
  }
  // Launch by launch, by one thread, in memory of their own.
  std::vector<uint64_t> one_by_one(const std::vector<uint64_t>& input) const {
    std::vector<std::vector<uint64_t>> own(values.size(), std::vector<uint64_t>(width));
    own[0] = input;
    for (size_t i = 0; i < reads.size(); ++i) {
      void* const pointers[] = {own[reads[i].first].data(), own[reads[i].second].data(), own[i + 1].data()};
      mix(pointers, 0, width, nullptr);
    }
    return own.back();
  }
  ValueId output() const { return ValueId(static_cast<uint32_t>(launches.size())); }

  std::vector<std::vector<uint64_t>> values;
  std::vector<std::pair<uint32_t, uint32_t>> reads;
  std::vector<ListedLaunch> launches;
};

std::vector<uint64_t> random_values(uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> v(width);
  for (uint64_t& x : v) x = random();
  return v;
}

TEST(Replay, OfAThousandLaunchesAThousandTimesIsBitEqualToOneByOne) {
  constexpr uint32_t count = 1000, runs = 1000;
  Mixes m(count, 7);
  ThreadPool pool(2);
  Replay replay(pool, m.launches, QueuePlan::one(count, 2), {}, {});
  std::vector<std::vector<uint64_t>> inputs, expected;
  for (uint32_t k = 0; k < 8; ++k) inputs.push_back(random_values(k)), expected.push_back(m.one_by_one(inputs.back()));
  std::vector<std::vector<uint64_t>> kept; // outputs at ever new addresses, all kept to the end
  for (uint32_t r = 0; r < runs; ++r) {
    kept.emplace_back(width);
    replay.bind(ValueId(0), inputs[r * 5 % 8].data());
    replay.bind(m.output(), kept.back().data());
    ASSERT_FALSE(replay.run());
  }
  for (uint32_t r = 0; r < runs; ++r) ASSERT_EQ(kept[r], expected[r * 5 % 8]) << r;
}

TEST(Replay, AllocatesNothingAndTakesNoLock) {
  if (!testing::can_count()) GTEST_SKIP() << "calls cannot be counted here";
  constexpr uint32_t count = 1000;
  Mixes m(count, 8);
  auto input = random_values(1), output = random_values(2);
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    Replay replay(pool, m.launches, QueuePlan::one(count, threads), {}, {});
    testing::Counter counter;
    for (int again = 0; again < 20; ++again) {
      replay.bind(ValueId(0), again % 2 ? input.data() : output.data());
      replay.bind(m.output(), again % 2 ? output.data() : input.data());
      ASSERT_FALSE(replay.run());
    }
    const testing::Counts counts = counter.counts();
    EXPECT_EQ(counts.allocations, 0);
    EXPECT_EQ(counts.locks, 0);
    EXPECT_EQ(counts.sleeps, 0);
  }
}

TEST(Replay, TheCounterCounts) {
  if (!testing::can_count()) GTEST_SKIP() << "calls cannot be counted here";
  std::mutex mutex;
  testing::Counter counter;
  delete new std::vector<int>(3);
  std::lock_guard guard(mutex);
  for (int ms = 10; ms < 10000 && counter.counts().sleeps == 0; ms *= 2) {
    std::atomic<uint32_t> word{0};
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
      word = 1, word.notify_all();
    });
    wait_while(word, 0);
    other.join();
  }
  const testing::Counts counts = counter.counts();
  EXPECT_GE(counts.allocations, 2);
  EXPECT_GE(counts.locks, 1);
  EXPECT_GE(counts.sleeps, 1);
}

TEST(Replay, RegionsSayWhyTheyEnd) {
  using enum Cut;
  const auto print = [](const std::vector<Cut>& cuts) {
    std::string text;
    for (const Region& r : regions_of(cuts, std::vector<bool>(cuts.size(), false))) text += std::to_string(r.first) + "-" + std::to_string(r.last) + (r.cut_by == evaluation ? "e " : r.cut_by == index_check ? "i " : " ");
    return text;
  };
  EXPECT_EQ(print({}), "");
  EXPECT_EQ(print({none, none, none}), "0-3 ");
  EXPECT_EQ(print({none, none, evaluation, none}), "0-2 2-3e 3-4 ");
  EXPECT_EQ(print({evaluation, evaluation, index_check, none}), "0-1e 1-2e 2-3i 3-4 ");
  EXPECT_EQ(print({none, index_check, evaluation, none, index_check}), "0-2i 2-3e 3-5i ");
}

// A "negation" that goes on to a value that says how often it was made.
void step(void* const* p, long begin, long end, void*) {
  const auto* in = static_cast<const float*>(p[0]);
  for (long i = begin; i < end; ++i) static_cast<float*>(p[1])[i] = in[i] * 1.25f + 1;
}
// Raises its flag where the first element is negative.
void checked_step(void* const* p, long begin, long end, void* scratch) {
  if (begin == 0 && *static_cast<const float*>(p[0]) < 0) *static_cast<int*>(p[2]) = 1;
  step(p, begin, end, scratch);
}

Tensor counted_up(float first) {
  Tensor t(DType::f32, {width});
  for (int64_t i = 0; i < width; ++i) reinterpret_cast<float*>(t.mutable_data())[i] = first + static_cast<float>(i);
  return t;
}

TEST(CpuExecutable, OutputsAreKeptAndInputsMayMove) {
  const auto builtin = [](int i) { return i % 5 == 3; };
  testing::Chain chain(12, step, width, width, builtin);
  ASSERT_EQ(chain.executable->regions().size(), 5u); // 0-3, 3, 4-8, 8, 9-12
  ThreadPool pool(2);
  auto context = chain.executable->make_context(pool);
  ASSERT_TRUE(context.ok());
  std::vector<Tensor> inputs, outputs;
  for (int r = 0; r < 100; ++r) {
    inputs.push_back(counted_up(static_cast<float>(r % 7)));
    auto out = chain.executable->run(std::span(&inputs.back(), 1), **context);
    ASSERT_TRUE(out.ok());
    outputs.push_back((*out)[0]);
  }
  for (int r = 0; r < 100; ++r)
    for (int64_t i = 0; i < width; ++i) {
      float x = static_cast<float>(r % 7 + i);
      for (int k = 0; k < 12; ++k) x = builtin(k) ? -x : x * 1.25f + 1;
      ASSERT_EQ(reinterpret_cast<const float*>(outputs[static_cast<size_t>(r)].data())[i], x) << r << " " << i;
    }
}

TEST(CpuExecutable, MoreLaunchesAllocateNoMore) {
  if (!testing::can_count()) GTEST_SKIP() << "calls cannot be counted here";
  std::vector<long> allocations;
  for (const int count : {10, 1000}) {
    testing::Chain chain(count, step, width, width, [](int) { return false; }, {}, {.memory_strategy = "best-fit"});
    ThreadPool pool(1);
    auto context = chain.executable->make_context(pool);
    const Tensor input = counted_up(1);
    ASSERT_TRUE(chain.executable->run(std::span(&input, 1), **context).ok());
    testing::Counter counter;
    ASSERT_TRUE(chain.executable->run(std::span(&input, 1), **context).ok());
    allocations.push_back(counter.counts().allocations);
  }
  EXPECT_EQ(allocations[0], allocations[1]);
}

TEST(CpuExecutable, AnIndexOutOfRangeEndsTheRunAndNotTheContext) {
  testing::Chain chain(6, checked_step, width, width, [](int) { return false; }, [](int i) { return i == 2 || i == 4; });
  ASSERT_EQ(chain.executable->regions().size(), 3u);
  ThreadPool pool(2);
  auto context = chain.executable->make_context(pool);
  for (int again = 0; again < 3; ++again) {
    const Tensor bad = counted_up(-100), good = counted_up(1);
    const auto failed = chain.executable->run(std::span(&bad, 1), **context);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().fault, Fault::bad_input);
    EXPECT_TRUE(chain.executable->run(std::span(&good, 1), **context).ok());
  }
}

TEST(CpuExecutable, WhatIsObservedOrMeasuredIsTheSameList) {
  testing::Chain chain(9, step, width, width, [](int i) { return i == 4; });
  ThreadPool pool(2);
  auto context = chain.executable->make_context(pool);
  const Tensor input = counted_up(2);
  const auto plain = chain.executable->run(std::span(&input, 1), **context);
  ASSERT_TRUE(plain.ok());
  int seen = 0;
  (*context)->observe = [&](int kernel, ValueId, const Tensor&) { EXPECT_EQ(kernel, seen++); };
  (*context)->profile = true;
  const auto watched = chain.executable->run(std::span(&input, 1), **context);
  ASSERT_TRUE(watched.ok());
  EXPECT_EQ(seen, 9);
  EXPECT_EQ((*context)->measured.calls.size(), 9u);
  EXPECT_TRUE((*watched)[0].same_bits((*plain)[0]));
}

} // namespace
} // namespace cutaway::runtime
