#include "runtime/thread_pool.h"

#include "runtime/counted.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace cutaway::runtime {
namespace {

void run(Team& team, int64_t units, const std::function<void(int64_t, int64_t, int)>& body) {
  team.run(units, [](void* f, int64_t begin, int64_t end, int thread) { (*static_cast<const std::function<void(int64_t, int64_t, int)>*>(f))(begin, end, thread); }, const_cast<std::function<void(int64_t, int64_t, int)>*>(&body));
}
void run_teams(ThreadPool& pool, const std::vector<int>& sizes, const std::function<void(int, Team&)>& body) {
  pool.run_teams(sizes, [](void* f, int index, Team& team) { (*static_cast<const std::function<void(int, Team&)>*>(f))(index, team); }, const_cast<std::function<void(int, Team&)>*>(&body));
}

TEST(ThreadPool, EveryUnitIsDoneOnce) {
  for (const int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    for (const int64_t units : {0, 1, 2, 7, 64, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<size_t>(units));
      run(pool.everyone(), units, [&](int64_t begin, int64_t end, int thread) {
        EXPECT_GE(thread, 0);
        EXPECT_LT(thread, threads);
        for (int64_t i = begin; i < end; ++i) ++done[static_cast<size_t>(i)];
      });
      for (const auto& d : done) EXPECT_EQ(d, 1);
    }
  }
}

TEST(ThreadPool, TeamsWorkAtOnceEachWithItsOwnThreads) {
  ThreadPool pool(5);
  for (int again = 0; again < 100; ++again)
    for (const std::vector<int>& sizes : {std::vector<int>{2, 2}, {1, 3, 1}, {5}, {1}, {1, 1, 1, 1, 1}}) {
      std::atomic<size_t> arrived{0}; // each leader waits for the others: they must be there at once
      std::vector<int> launches(sizes.size(), 0);
      run_teams(pool, sizes, [&](int index, Team& team) {
        const int first = std::accumulate(sizes.begin(), sizes.begin() + index, 0);
        EXPECT_EQ(team.size(), sizes[static_cast<size_t>(index)]);
        EXPECT_EQ(team.leader(), first);
        for (++arrived; arrived < sizes.size();) std::this_thread::yield();
        for (int launch = 0; launch < 5; ++launch) {
          std::vector<int> done(37, 0);
          run(team, 37, [&](int64_t begin, int64_t end, int thread) {
            EXPECT_GE(thread, first);
            EXPECT_LT(thread, first + team.size());
            for (int64_t i = begin; i < end; ++i) ++done[static_cast<size_t>(i)];
          });
          EXPECT_EQ(done, std::vector<int>(37, 1));
          ++launches[static_cast<size_t>(index)];
        }
      });
      EXPECT_EQ(launches, std::vector<int>(sizes.size(), 5));
    }
}

TEST(ThreadPool, SplittingAllocatesNothingAndTakesNoLock) {
  if (!testing::can_count()) GTEST_SKIP() << "calls cannot be counted here";
  ThreadPool pool(4);
  std::atomic<int> units{0};
  const std::vector<int> sizes{2, 1, 1};
  const std::function<void(int64_t, int64_t, int)> body = [&](int64_t begin, int64_t end, int) { units += static_cast<int>(end - begin); };
  testing::Counter counter;
  for (int again = 0; again < 20; ++again) run_teams(pool, sizes, [&](int, Team& team) { run(team, 8, body); });
  const testing::Counts counts = counter.counts();
  EXPECT_EQ(counts.allocations, 0);
  EXPECT_EQ(counts.locks, 0);
  EXPECT_EQ(units, 20 * 3 * 8);
}

} // namespace
} // namespace cutaway::runtime
