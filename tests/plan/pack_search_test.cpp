// The search against an oracle, within capacities and budgets, and on the published benchmarks where the data is at
// hand.
#include "plan/pack_random.h"

#include "plan/pack/checker.h"
#include "plan/pack/csv.h"
#include "plan/pack/pack.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

namespace cutaway::plan {
namespace {

namespace fs = std::filesystem;

// Sweeps births keeping EVERY set of offsets that the live buffers can have; shares nothing with the search.
bool fits(const Problem& p, int64_t capacity) {
  std::vector<int> births;
  for (int i = 0; i < int(p.buffers.size()); ++i)
    if (p.buffers[i].size > 0 && p.buffers[i].start < p.buffers[i].end) births.push_back(i);
  std::sort(births.begin(), births.end(), [&](int a, int b) { return p.buffers[a].start < p.buffers[b].start; });
  std::set<std::map<int, int64_t>> states{{}};
  for (int b : births) {
    std::set<std::map<int, int64_t>> next;
    for (std::map<int, int64_t> state : states) {
      std::erase_if(state, [&](auto& x) { return p.buffers[x.first].end <= p.buffers[b].start; });
      for (int64_t at = 0; at + occupied(p.buffers[b]) <= capacity; at += p.buffers[b].alignment) {
        const auto apart = [&](auto& x) {
          return x.second + occupied(p.buffers[x.first]) <= at || at + occupied(p.buffers[b]) <= x.second;
        };
        if (!std::all_of(state.begin(), state.end(), apart)) continue;
        auto grown = state;
        grown[b] = at;
        next.insert(grown);
      }
    }
    states.swap(next);
  }
  return !states.empty();
}

int64_t optimum(const Problem& p) {
  int64_t capacity = lower_bound(p);
  while (!fits(p, capacity)) ++capacity;
  return capacity;
}

PackOptions patient() {
  PackOptions o;
  o.seconds = 60;
  o.effort = 0;
  return o;
}

TEST(PackSearch, ProvesTheOptimumOfFlatProblems) {
  std::mt19937 random(7);
  int above = 0;
  for (int round = 0; round < 600; ++round) {
    const Problem p = test::flat_problem(random, 8 + int64_t(random() % 5), 6 + int(random() % 12));
    const int64_t best = optimum(p);
    above += best > lower_bound(p);
    const auto r = pack(p, "search", patient());
    ASSERT_TRUE(r.ok());
    ASSERT_EQ(r->peak, best) << "round " << round;
    ASSERT_EQ(r->proof, Proof::optimal) << "round " << round;
    PackOptions under = patient();
    under.capacity = best - 1;
    const auto none = pack(p, "search", under);
    ASSERT_TRUE(none.ok());
    ASSERT_GT(none->lower_bound, under.capacity) << "that there is none is proven";
  }
  EXPECT_GT(above, 30) << "too few problems need a proof";
}

TEST(PackSearch, ProvesTheOptimumUnderMixedAlignments) {
  std::mt19937 random(8);
  int above = 0;
  for (int round = 0; round < 300; ++round) {
    Problem p = test::random_problem(random);
    if (p.buffers.size() > 7) p.buffers.resize(7);
    const int64_t best = optimum(p);
    above += best > lower_bound(p);
    const auto r = pack(p, "search", patient());
    ASSERT_TRUE(r.ok());
    ASSERT_EQ(r->peak, best) << "round " << round;
    ASSERT_EQ(r->proof, Proof::optimal) << "round " << round;
  }
  EXPECT_GT(above, 3);
}

Problem hard_problem(int n) {
  std::mt19937 random(9);
  Problem p;
  for (int i = 0; i < n; ++i) {
    const int64_t start = int64_t(random() % 200);
    p.buffers.push_back({start, start + 1 + int64_t(random() % 60), 64 * (1 + int64_t(random() % 50)), 64});
  }
  return p;
}

TEST(PackSearch, SameSeedSamePlanAndAShortDefaultBudget) {
  for (int n : {50, 300, 1000, 3000}) {
    const Problem p = hard_problem(n);
    PackOptions o;
    o.seconds = 60; // the effort decides
    const std::clock_t start = std::clock();
    const auto a = pack(p, "search", o);
    const double cpu = double(std::clock() - start) / CLOCKS_PER_SEC;
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->offsets, pack(p, "search", o)->offsets);
    EXPECT_LE(double(a->peak), 1.1 * double(a->lower_bound));
    std::printf("  %d buffers: %.4f of the bound, %.3f s\n", n, double(a->peak) / double(a->lower_bound), cpu);
  }
}

TEST(PackSearch, StopsWhenAskedAndStillHasAPlan) {
  const Problem p = hard_problem(400);
  const std::atomic<bool> cancel = true;
  PackOptions o = patient();
  o.cancel = &cancel;
  const auto r = pack(p, "search", o);
  ASSERT_TRUE(r.ok());
  EXPECT_FALSE(check_plan(p, r->offsets, r->peak));
  EXPECT_LT(r->seconds, 5);
  o.cancel = nullptr;
  o.seconds = 0.05;
  EXPECT_LT(pack(p, "search", o)->seconds, 5);
}

TEST(PackSearch, StopsAtTheFirstPlanWithinTheCapacity) {
  const Problem p = test::problem_of({{0, 2, 3}, {2, 4, 2}, {1, 3, 1}, {3, 5, 3}});
  PackOptions o;
  for (const auto& [capacity, proof] : {std::pair<int64_t, Proof>{5, Proof::optimal}, {4, Proof::optimal}}) {
    o.capacity = capacity;
    const auto r = pack(p, "search", o);
    EXPECT_EQ(r->proof, proof);
    EXPECT_EQ(r->lower_bound, 5);
  }
  o.capacity = 5;
  EXPECT_EQ(pack(p, "by-size", o)->proof, Proof::timeout) << "greedy by size needs 6";
}

TEST(PackSearch, TellsItsIncumbentsAndItsLastMoves) {
  const Problem p = hard_problem(200);
  PackTrace trace;
  trace.ring = 64;
  PackOptions o;
  o.seconds = 60;
  o.trace = &trace;
  const auto r = pack(p, "search", o);
  ASSERT_TRUE(r.ok());
  ASSERT_FALSE(trace.incumbents.empty());
  EXPECT_EQ(trace.incumbents.back().peak, r->peak);
  for (size_t i = 1; i < trace.incumbents.size(); ++i)
    EXPECT_LT(trace.incumbents[i].peak, trace.incumbents[i - 1].peak);
  EXPECT_EQ(trace.moves.size(), std::min<uint64_t>(64, trace.moves_seen));
  for (const SearchMove& move : trace.moves) EXPECT_LT(size_t(move.buffer), p.buffers.size());
}

Problem read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  auto p = read_csv(text);
  EXPECT_TRUE(p.ok()) << path;
  return p.ok() ? *p : Problem{};
}

// "A.1048576.csv": 1048576.
int64_t number_of(const fs::path& path) {
  return std::stoll(path.stem().extension().string().substr(1));
}

TEST(PackSearch, SolvesTheSmallPublishedProblems) {
  int files = 0;
  for (const char* set : {"minimalloc", "omnimalloc"})
    for (const auto& entry : fs::directory_iterator(fs::path(CUTAWAY_TEST_DATA) / "packing" / set)) {
      if (entry.path().extension() != ".csv") continue;
      ++files;
      const auto r = pack(read(entry.path()), "search");
      ASSERT_TRUE(r.ok());
      EXPECT_EQ(r->peak, number_of(entry.path())) << entry.path();
      EXPECT_EQ(r->proof, Proof::optimal) << entry.path();
    }
  EXPECT_EQ(files, 8);
}

const char* shared_data() {
  return std::getenv("CUTAWAY_DATA");
}

struct Timed {
  PackResult result;
  double cpu = 0;
};

Timed timed(const fs::path& path, int64_t capacity, double seconds) {
  const Problem p = read(path);
  PackOptions o;
  o.effort = 0;
  o.seconds = seconds;
  o.capacity = capacity;
  const std::clock_t start = std::clock();
  auto r = pack(p, "search", o);
  const double cpu = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_TRUE(r.ok());
  std::printf("  %-18s peak %14lld of %14lld  %-8s %.4f s\n", path.filename().c_str(), (long long)r->peak,
              (long long)r->lower_bound, proof_name(r->proof), cpu);
  return {std::move(*r), cpu};
}

TEST(PackSearch, SolvesMiniMallocsChallengesInATenthOfItsTime) {
  if (!shared_data()) GTEST_SKIP() << "not run: CUTAWAY_DATA is not set";
  const fs::path folder = fs::path(shared_data()) / "data/minimalloc/challenging";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "not run: no data/minimalloc/challenging in CUTAWAY_DATA";
  // MiniMalloc's user seconds on two shared cores.
  const std::map<char, double> theirs = {{'A', 4.7}, {'B', 4.2}, {'C', 0.8}, {'D', 2.8}, {'E', 3.5}, {'F', 5.5},
                                         {'G', 1.2}, {'H', 1.6}, {'I', 3.0}, {'J', 0.8}, {'K', 0.6}};
  double total = 0;
  for (const auto& [name, seconds] : theirs) {
    const Timed t = timed(folder / (std::string(1, name) + ".1048576.csv"), 1 << 20, 60);
    EXPECT_LE(t.result.peak, 1 << 20) << name;
    total += t.cpu;
#ifdef NDEBUG
    EXPECT_LE(t.cpu, seconds / 10) << name;
#endif
  }
  std::printf("  all: %.3f s\n", total);
}

TEST(PackSearch, PacksLargeProblemsToTheBound) {
  if (!shared_data()) GTEST_SKIP() << "not run: CUTAWAY_DATA is not set";
  const fs::path folder = fs::path(shared_data()) / "data/idealloc";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "not run: no data/idealloc in CUTAWAY_DATA";
  for (const char* file : {"iopddl/G_1.csv", "iopddl/S_1.csv", "iopddl/Y_1.csv", "somas_tensors/resnet50.csv"}) {
    const Timed t = timed(folder / file, 0, 60);
    EXPECT_EQ(t.result.proof, Proof::optimal) << file;
#ifdef NDEBUG
    EXPECT_LT(t.cpu, 2) << file;
#endif
  }
  const Timed pangu = timed(folder / "somas_tensors/pangu_2.6B.csv", 0, 2);
  EXPECT_LE(double(pangu.result.peak), 1.0076 * double(pangu.result.lower_bound));
}

} // namespace
} // namespace cutaway::plan
