#include "plan/streams/events.h"
#include "plan/streams/hazards.h"
#include "plan/streams/race_checker.h"
#include "plan/streams/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

namespace cutaway::plan {
namespace {

int times(const char* variable, int short_form) {
  const char* asked = std::getenv(variable);
  return asked ? std::atoi(asked) : short_form;
}

using Random = std::mt19937_64;
double fraction(Random& random) { return static_cast<double>(random() % 1001) / 1000; }

std::vector<std::vector<Touch>> random_touches(Random& random, size_t tasks) {
  const uint64_t bytes = 16 + random() % 200;
  std::vector<std::vector<Touch>> out(tasks);
  for (auto& of : out)
    for (size_t i = 0, n = 1 + random() % 3; i < n; ++i) {
      const uint64_t begin = random() % bytes;
      of.push_back({begin, begin + random() % 12, random() % 3 == 0});
    }
  return out;
}

StreamProblem random_problem(Random& random, std::vector<std::vector<uint32_t>> after, int queues) {
  StreamProblem p;
  p.queues = queues;
  p.event_us = fraction(random) * .5;
  for (auto& first : after) {
    StreamTask t{.5 + 9 * fraction(random), {}, std::move(first)};
    t.share[random() % 2] = fraction(random);
    t.share[random() % resource_count] = fraction(random);
    p.tasks.push_back(std::move(t));
  }
  return p;
}

// Each of `n` tasks waits for each earlier one with a chance of `density`.
std::vector<std::vector<uint32_t>> random_dag(Random& random, size_t n, double density) {
  std::vector<std::vector<uint32_t>> after(n);
  for (uint32_t t = 0; t < n; ++t)
    for (uint32_t f = 0; f < t; ++f)
      if (fraction(random) < density) after[t].push_back(f);
  return after;
}

StreamSchedule random_schedule(Random& random, size_t tasks, uint32_t queues) {
  StreamSchedule s{std::vector<uint32_t>(tasks), std::vector<uint32_t>(tasks)};
  std::iota(s.order.begin(), s.order.end(), 0u);
  for (uint32_t& q : s.queue) q = static_cast<uint32_t>(random() % queues);
  return s;
}

// CUTAWAY_SCHEDULES=10000 is the long form.
TEST(Streams, EachEventIsNeededAndNoneIsMissing) {
  Random random(7);
  size_t events_seen = 0;
  for (int round = 0, rounds = times("CUTAWAY_SCHEDULES", 300); round < rounds; ++round) {
    const auto touches = random_touches(random, 2 + random() % 40);
    const StreamProblem p = random_problem(random, hazards(touches), 4);
    for (const StreamSchedule& s : {random_schedule(random, touches.size(), 2 + round % 4), plan_streams(p).schedule}) {
      std::vector<StreamEvent> events = fewest_events(p, s);
      const auto race = find_race(touches, s, events);
      ASSERT_FALSE(race) << "round " << round << ": " << race->a << " and " << race->b;
      events_seen += events.size();
      for (size_t i = 0; i < events.size(); ++i) {
        std::vector<StreamEvent> fewer = events;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        ASSERT_TRUE(find_race(touches, s, fewer)) << "round " << round << ": without " << events[i].from << " -> " << events[i].to;
      }
    }
  }
  EXPECT_GT(events_seen, 500u);
}

TEST(Streams, HazardsAreThoseOfReadsAndWrites) {
  // 0 writes [0, 8), 1 reads [0, 4), 2 reads [4, 8), 3 writes [2, 6), 4 reads [0, 8)
  const auto after = hazards({{{0, 8, true}}, {{0, 4, false}}, {{4, 8, false}}, {{2, 6, true}}, {{0, 8, false}}});
  EXPECT_EQ(after[1], std::vector<uint32_t>({0}));
  EXPECT_EQ(after[2], std::vector<uint32_t>({0}));
  EXPECT_EQ(after[3], std::vector<uint32_t>({1, 2}));
  EXPECT_EQ(after[4], std::vector<uint32_t>({0, 3}));
}

TEST(Streams, OrderKnowsWhatRunsBesideATask) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const size_t n = 2 + random() % 20;
    const StreamProblem p = random_problem(random, random_dag(random, n, .2), 3);
    const StreamSchedule s = plan_streams(p).schedule;
    const StreamOrder order(s, fewest_events(p, s));
    for (uint32_t i = 0; i < n; ++i) {
      uint32_t first = i, last = i;
      for (uint32_t j = 0; j < n; ++j)
        if (i != j && !order.before(s.order[i], s.order[j]) && !order.before(s.order[j], s.order[i])) first = std::min(first, j), last = std::max(last, j);
      const auto beside = order.beside(i);
      EXPECT_EQ(beside.first, first);
      EXPECT_EQ(beside.last, last);
    }
    for (uint32_t t = 0; t < n; ++t)
      for (const uint32_t f : p.tasks[t].after) EXPECT_TRUE(order.before(f, t));
  }
}

StreamProblem two_branches(Resource first, Resource second, double share) {
  StreamProblem p;
  p.queues = 2;
  p.event_us = .5;
  const auto add = [&](Resource r, double wanted, std::vector<uint32_t> after) {
    StreamTask t{10, {}, std::move(after)};
    t.share[static_cast<size_t>(r)] = wanted;
    p.tasks.push_back(std::move(t));
  };
  add(Resource::compute, .1, {}), add(first, share, {0}), add(second, share, {0}), add(Resource::compute, .1, {1, 2});
  return p;
}

TEST(Streams, BranchesThatWantTheSameBandwidthStayInOneQueue) {
  const StreamPlan plan = plan_streams(two_branches(Resource::bandwidth, Resource::bandwidth, 1));
  EXPECT_EQ(plan.queues, 1u);
  EXPECT_TRUE(plan.events.empty());
  EXPECT_DOUBLE_EQ(plan.predicted.makespan_us, plan.serial_us);
  ASSERT_EQ(plan.kept.size(), 1u);
  EXPECT_EQ(plan.kept[0].task, 2u);
  EXPECT_EQ(plan.kept[0].with, 1u);
  EXPECT_EQ(plan.kept[0].demand.resource, Resource::bandwidth);
  EXPECT_DOUBLE_EQ(plan.kept[0].demand.wanted, 2);
}

TEST(Streams, BranchesThatWantDifferentThingsRunAtOnce) {
  const StreamPlan plan = plan_streams(two_branches(Resource::bandwidth, Resource::compute, 1));
  EXPECT_EQ(plan.queues, 2u);
  EXPECT_EQ(plan.events.size(), 2u);
  EXPECT_DOUBLE_EQ(plan.predicted.makespan_us, 30.5); // the branch that started later is followed in its queue
  EXPECT_DOUBLE_EQ(plan.serial_us, 40);
}

TEST(Streams, SharedResourcesSlowAllThatUseThem) {
  StreamProblem p = two_branches(Resource::bandwidth, Resource::bandwidth, .75);
  const StreamSchedule s{{0, 1, 2, 3}, {0, 0, 1, 0}};
  const Prediction made = predict(p, s, fewest_events(p, s));
  EXPECT_DOUBLE_EQ(made.spans[1].start_us, 10);
  EXPECT_DOUBLE_EQ(made.spans[2].start_us, 10.5);
  EXPECT_NEAR(made.spans[1].end_us, 10.5 + 9.5 * 1.5, 1e-9); // they want 1.5 of what there is
  EXPECT_NEAR(made.makespan_us, made.spans[2].end_us + .5 + 10, 1e-9);
}

// The least makespan of all schedules: every order and queue, but of two tasks that follow each other in either order with
// the same effect only one order.
class Exhaustive {
 public:
  explicit Exhaustive(const StreamProblem& p) : p_(p), queues_(static_cast<uint32_t>(p.queues)) {
    s_.queue.resize(p.tasks.size());
    done_.resize(p.tasks.size());
  }
  double run() {
    next(0);
    return best_;
  }

 private:
  void next(uint32_t used) {
    if (s_.order.size() == p_.tasks.size()) {
      best_ = std::min(best_, predict(p_, s_, fewest_events(p_, s_)).makespan_us);
      return;
    }
    for (uint32_t t = 0; t < p_.tasks.size(); ++t) {
      const auto& after = p_.tasks[t].after;
      if (done_[t] || !std::all_of(after.begin(), after.end(), [&](uint32_t f) { return done_[f]; })) continue;
      for (uint32_t q = 0; q < std::min(used + 1, queues_); ++q) {
        if (!s_.order.empty()) {
          const uint32_t before = s_.order.back();
          if (s_.queue[before] > q && std::find(after.begin(), after.end(), before) == after.end()) continue;
        }
        done_[t] = true, s_.queue[t] = q, s_.order.push_back(t);
        next(std::max(used, q + 1));
        done_[t] = false, s_.order.pop_back();
      }
    }
  }
  const StreamProblem& p_;
  uint32_t queues_;
  StreamSchedule s_;
  std::vector<bool> done_;
  double best_ = 1e300;
};

// CUTAWAY_OPTIMA=300 with CUTAWAY_OPTIMA_TASKS=10 is the long form.
TEST(Streams, PlansAreCloseToTheBest) {
  Random random(11);
  const auto most = static_cast<size_t>(times("CUTAWAY_OPTIMA_TASKS", 7));
  double worst = 1;
  for (int round = 0, rounds = times("CUTAWAY_OPTIMA", 60); round < rounds; ++round) {
    const size_t n = 2 + random() % (most - 1);
    StreamProblem p = random_problem(random, random_dag(random, n, n > 7 ? .35 : .2), 2);
    p.least_gain = 0;
    const double made = plan_streams(p).predicted.makespan_us;
    if (made <= 1.02 * shortest_makespan(p)) continue;
    const double best = Exhaustive(p).run();
    worst = std::max(worst, made / best);
    EXPECT_LE(made, 1.1 * best) << "round " << round;
  }
  RecordProperty("worst", std::to_string(worst));
  std::printf("worst plan: %.4f of the best\n", worst);
}

TEST(Streams, TheSameProblemGivesTheSamePlan) {
  Random random(5);
  const StreamProblem p = random_problem(random, random_dag(random, 60, .05), 4);
  const StreamPlan a = plan_streams(p), b = plan_streams(p);
  EXPECT_EQ(a.schedule.order, b.schedule.order);
  EXPECT_EQ(a.schedule.queue, b.schedule.queue);
  EXPECT_EQ(a.events, b.events);
}

TEST(Streams, LongChainsAndManyBranches) {
  Random random(9);
  const StreamProblem p = random_problem(random, random_dag(random, 3000, .001), 4);
  const StreamPlan plan = plan_streams(p);
  EXPECT_LE(plan.predicted.makespan_us, plan.serial_us);
  EXPECT_GE(plan.predicted.makespan_us, plan.shortest_us * (1 - 1e-9));
}

} // namespace
} // namespace cutaway::plan
