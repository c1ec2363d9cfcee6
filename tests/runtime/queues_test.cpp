#include "runtime/replay.h"

#include "runtime/chain.h"
#include "runtime/counted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace cutaway::runtime {
namespace {

constexpr long units = 6;

// One launch of a random program: a checksum over all that it reads, a unit each. Starts and ends draw tickets; relaxed, so
// that the tickets order nothing themselves.
struct Work {
  uint64_t out[units] = {};
  std::vector<const Work*> reads;
  uint64_t seed = 0;
  bool fails = false;
  const Work* held_by = nullptr; // ends only once that one has started
  uint32_t delays = 0;           // how long units take: a new number each run; 0: they do not tarry
  std::atomic<long> left{units};
  std::atomic<uint64_t> started{0}, ended{0};
  static inline std::atomic<uint64_t> tickets{0};

  uint64_t checksum(long unit) const {
    uint64_t sum = seed + static_cast<uint64_t>(unit);
    for (const Work* r : reads)
      for (const uint64_t x : r->out) sum = (sum ^ x) * 0x9e3779b97f4a7c15u + 1;
    return sum;
  }
};

void tarry(uint32_t random) {
  if (random % 16 == 0) return std::this_thread::yield();
  for (volatile uint32_t i = 0; i < random % 600;) i = i + 1;
}

uint64_t ticket() { return Work::tickets.fetch_add(1, std::memory_order_relaxed) + 1; }

void start(Work& w) {
  uint64_t first = 0;
  if (w.started.load(std::memory_order_relaxed) == 0) w.started.compare_exchange_strong(first, ticket(), std::memory_order_relaxed);
}

void work(void* const* p, long begin, long end, void* scratch) {
  Work& w = *static_cast<Work*>(p[0]);
  start(w);
  for (long i = begin; i < end; ++i) {
    auto* own = static_cast<uint64_t*>(scratch); // a slot that two threads shared would show
    *own = w.checksum(i);
    if (w.delays) tarry(w.delays * 2654435761u + static_cast<uint32_t>(i) * 40503u);
    w.out[i] = *own;
  }
  if (w.left.fetch_sub(end - begin, std::memory_order_relaxed) != end - begin) return;
  if (w.fails) *static_cast<int*>(p[1]) = 1;
  w.ended.store(ticket(), std::memory_order_relaxed);
}

// Computes nothing: what races here on purpose is no data.
void hold(void* const* p, long, long, void*) {
  Work& w = *static_cast<Work*>(p[0]);
  start(w);
  if (w.held_by)
    for (int i = 0; i < 5000 && !w.held_by->started.load(std::memory_order_relaxed); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  w.ended.store(ticket(), std::memory_order_relaxed);
}

// A random program on random queues, with the events that it needs and no more.
struct Program {
  Program(uint32_t count, const std::vector<int>& team_sizes, uint32_t seed) : works(count), random(seed) {
    for (uint32_t i = 0; i < count; ++i) {
      for (uint32_t k = random() % 4; k > 0 && i > 0; --k) edges.insert({random() % i, i});
      plan.queue_of.push_back(random() % team_sizes.size());
      launches.push_back({work, units, true, {{&works[i], {}}}});
    }
    for (const auto& [from, to] : edges) works[to].reads.push_back(&works[from]);
    plan.team_sizes = team_sizes;
    for (const auto& e : edges)
      if (plan.queue_of[e.first] != plan.queue_of[e.second]) plan.events.push_back(e);
    for (size_t e = plan.events.size(); e-- > 0;) {
      const auto event = plan.events[e];
      plan.events.erase(plan.events.begin() + static_cast<std::ptrdiff_t>(e));
      if (!ordered(event.first, event.second)) plan.events.insert(plan.events.begin() + static_cast<std::ptrdiff_t>(e), event);
    }
  }

  // Whether queues and events put one launch before the other.
  bool ordered(uint32_t from, uint32_t to) const {
    std::vector<bool> after(works.size(), false);
    std::vector<bool> queue_after(plan.team_sizes.size(), false);
    for (uint32_t i = from; i <= to; ++i) {
      after[i] = i == from || queue_after[plan.queue_of[i]];
      for (const auto& [a, b] : plan.events) after[i] = after[i] || (b == i && after[a]);
      if (after[i]) queue_after[plan.queue_of[i]] = true;
    }
    return after[to];
  }

  void begin(bool delays) {
    const uint64_t salt = random(); // what the last run left in memory is wrong now
    for (size_t i = 0; i < works.size(); ++i) {
      Work& w = works[i];
      w.seed = salt * 31 + i, w.delays = delays ? static_cast<uint32_t>(random() | 1) : 0;
      w.left = units, w.started = 0, w.ended = 0;
    }
    Work::tickets = 0;
  }
  void expect_right() const {
    for (const Work& w : works)
      for (long u = 0; u < units; ++u) ASSERT_EQ(w.out[u], w.checksum(u)) << "launch " << &w - works.data();
  }
  size_t races() const {
    return static_cast<size_t>(std::count_if(edges.begin(), edges.end(), [&](const auto& e) { return works[e.first].ended == 0 || works[e.first].ended > works[e.second].started; }));
  }

  std::vector<Work> works;
  std::set<std::pair<uint32_t, uint32_t>> edges;
  std::vector<ListedLaunch> launches;
  QueuePlan plan;
  std::mt19937 random;
};

struct Scratch {
  explicit Scratch(int threads) : memory(static_cast<size_t>(threads) * 64) {}
  std::vector<std::byte> memory;
  operator Replay::Scratch() { return {memory.data(), 64}; }
};

const std::vector<std::vector<int>> splits = {{1, 1}, {2, 2}, {1, 1, 1, 1}, {1, 2, 1}};

TEST(Queues, AThousandRunsWithRandomDelaysAreBitEqual) {
  for (size_t k = 0; k < splits.size(); ++k)
    for (uint32_t seed = 0; seed < 5; ++seed) {
      Program p(40, splits[k], seed);
      ThreadPool pool(p.plan.threads());
      Scratch scratch(pool.size());
      Replay replay(pool, p.launches, p.plan, scratch, {});
      for (int run = 0; run < 50; ++run) { // 1,000 in all
        p.begin(true);
        ASSERT_FALSE(replay.run());
        p.expect_right();
        ASSERT_EQ(p.races(), 0u);
      }
    }
}

TEST(Queues, AnyEventThatIsMissingIsARace) {
  Program p(24, {1, 1, 1}, 3);
  ASSERT_GT(p.plan.events.size(), 5u);
  for (ListedLaunch& l : p.launches) l.fn = hold, l.units = 1;
  ThreadPool pool(3);
  Scratch scratch(pool.size());
  for (size_t e = 0; e < p.plan.events.size(); ++e) {
    QueuePlan plan = p.plan;
    plan.events.erase(plan.events.begin() + static_cast<std::ptrdiff_t>(e));
    const auto [from, to] = p.plan.events[e];
    p.begin(false);
    p.works[from].held_by = &p.works[to];
    Replay replay(pool, p.launches, plan, scratch, {});
    ASSERT_FALSE(replay.run());
    p.works[from].held_by = nullptr;
    EXPECT_GT(p.races(), 0u) << from << " to " << to;
  }
}

TEST(Queues, TheFirstLaunchThatFailsEndsTheRun) {
  for (size_t k = 0; k < splits.size(); ++k) {
    Program p(40, splits[k], 11 + static_cast<uint32_t>(k));
    ThreadPool pool(p.plan.threads());
    Scratch scratch(pool.size());
    Replay replay(pool, p.launches, p.plan, scratch, {});
    for (int run = 0; run < 100; ++run) {
      std::set<uint32_t> failing;
      for (int i = 0; i < run % 4; ++i) failing.insert(p.random() % 40);
      p.begin(true);
      for (uint32_t i = 0; i < 40; ++i) p.works[i].fails = failing.contains(i);
      const auto failed = replay.run();
      ASSERT_EQ(failed.has_value(), !failing.empty());
      if (!failed) {
        p.expect_right();
        continue;
      }
      EXPECT_EQ(failed->launch, *failing.begin());
      EXPECT_FALSE(failed->evaluation);
      for (uint32_t i = 0; i <= failed->launch; ++i) EXPECT_GT(p.works[i].ended, 0u);
    }
  }
}

TEST(Queues, LaunchesEvaluatedOnTheHostKeepTheirPlace) {
  Program p(40, {1, 1}, 21);
  ThreadPool pool(2);
  Scratch scratch(pool.size());
  for (size_t i = 0; i < p.launches.size(); i += 3) p.launches[i].fn = nullptr;
  bool fails = false;
  Replay replay(pool, p.launches, p.plan, scratch, [&](uint32_t launch) -> Status {
    uint64_t own[8];
    int flag = 0;
    void* const pointers[] = {&p.works[launch], &flag};
    work(pointers, 0, units, own);
    return fails && launch == 30 ? Status(unsupported("here", "no such thing")) : Status();
  });
  for (int run = 0; run < 100; ++run) {
    fails = run % 2;
    p.begin(true);
    const auto failed = replay.run();
    ASSERT_EQ(failed.has_value(), fails);
    if (!fails) {
      p.expect_right();
      continue;
    }
    EXPECT_EQ(failed->launch, 30u);
    EXPECT_EQ(failed->evaluation->what, "no such thing");
  }
}

TEST(Queues, OneByOneInOrderOnRequest) {
  Program p(40, {2, 1}, 5);
  ThreadPool pool(3);
  Scratch scratch(pool.size());
  Replay replay(pool, p.launches, p.plan, scratch, {});
  p.begin(true);
  uint32_t next = 0;
  ASSERT_FALSE(replay.run(nullptr, [&](uint32_t launch) {
    EXPECT_EQ(launch, next++);
    for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(p.works[i].ended > 0, i <= launch);
  }));
  EXPECT_EQ(next, 40u);
  p.expect_right();
}

TEST(Queues, SpansStandInTheLanesOfTheirTeams) {
  Program p(40, {1, 2}, 6);
  ThreadPool pool(3);
  Scratch scratch(pool.size());
  Replay replay(pool, p.launches, p.plan, scratch, {});
  p.begin(true);
  RunProfile measured;
  ASSERT_FALSE(replay.run(&measured));
  p.expect_right();
  ASSERT_EQ(measured.lanes.size(), 3u);
  EXPECT_EQ(measured.flows.size(), p.plan.events.size());
  for (size_t t = 0; t < 3; ++t)
    for (const Timing::Busy& b : measured.lanes[t].busy) {
      EXPECT_EQ(p.plan.queue_of[b.launch], t == 0 ? 0u : 1u);
      EXPECT_GE(b.start_us, measured.calls[b.launch].start_us);
      EXPECT_LE(b.end_us(), measured.calls[b.launch].end_us());
    }
  for (const auto& f : measured.flows) EXPECT_LE(measured.calls[f.from].end_us(), measured.calls[f.to].start_us);
}

TEST(Queues, AllocateNothingAndTakeNoLock) {
  if (!testing::can_count()) GTEST_SKIP() << "calls cannot be counted here";
  Program p(200, {1, 1}, 9);
  ThreadPool pool(2);
  Scratch scratch(pool.size());
  Replay replay(pool, p.launches, p.plan, scratch, {});
  for (int run = 0; run < 10; ++run) {
    p.begin(true);
    testing::Counter counter;
    ASSERT_FALSE(replay.run());
    const testing::Counts counts = counter.counts();
    EXPECT_EQ(counts.allocations, 0);
    EXPECT_EQ(counts.locks, 0);
  }
}

void add_one(void* const* p, long begin, long end, void*) {
  for (long i = begin; i < end; ++i) static_cast<float*>(p[1])[i] = static_cast<const float*>(p[0])[i] + 1;
}

TEST(Queues, AnExecutableFallsBackToOneWhereThePoolIsSmaller) {
  QueuePlan plan{{2, 1}, {}, {}};
  for (uint32_t i = 0; i < 8; ++i) {
    plan.queue_of.push_back(i % 2);
    if (i > 0) plan.events.push_back({i - 1, i});
  }
  testing::Chain chain(8, add_one, 16, 16, [](int i) { return i == 5; }, {}, {.queues = &plan});
  Tensor input(DType::f32, {16});
  std::fill_n(reinterpret_cast<float*>(input.mutable_data()), 16, 1.0f);
  for (const int threads : {1, 2, 3, 4}) {
    ThreadPool pool(threads);
    auto context = chain.executable->make_context(pool);
    (*context)->profile = true;
    const auto out = chain.executable->run(std::span(&input, 1), **context);
    ASSERT_TRUE(out.ok());
    for (int i = 0; i < 16; ++i) EXPECT_EQ(reinterpret_cast<const float*>((*out)[0].data())[i], -4.0f); // -(1 + 5), then two more
    EXPECT_EQ((*context)->measured.flows.size(), threads < 3 ? 0u : 7u);
  }
}

} // namespace
} // namespace cutaway::runtime
