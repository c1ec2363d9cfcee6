// What the host costs on the CPU: see `usage`.
#include "runtime/chain.h"
#include "runtime/replay.h"

#include "base/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cutaway::runtime {
namespace {

constexpr const char* usage =
    "bench_replay [ROUNDS]\n"
    "The least time of ROUNDS (default 200) runs, since the machine may be shared.\n"
    "  run       a whole run of an executable of n empty kernels on one thread, new outputs included; and a + b n, fitted\n"
    "            with equal weight on each relative error\n"
    "  barrier   one launch that a team of threads shares, of empty units: all of them start and end it\n"
    "  event     a launch on one queue that waits for one on another, each of one thread, to and fro\n";

void empty_kernel(void* const*, long, long, void*) {}

template <class F> double least_us(int rounds, F&& f) {
  double least = HUGE_VAL;
  for (int r = 0; r < rounds; ++r) {
    const double start = now_us();
    f();
    least = std::min(least, now_us() - start);
  }
  return least;
}

struct Line {
  double a = 0, b = 0;
};
// Weighted least squares: each point by the square of its inverse.
Line fit(const std::vector<std::pair<double, double>>& points) {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [n, t] : points) {
    const double weight = 1 / (t * t);
    w += weight, x += weight * n, y += weight * t, xx += weight * n * n, xy += weight * n * t;
  }
  const double b = (w * xy - x * y) / (w * xx - x * x);
  return {(y - b * x) / w, b};
}

void runs(int rounds) {
  std::vector<std::pair<double, double>> points;
  fmt::print("{:>8} {:>12} {:>12}\n", "n", "run us", "ns a node");
  for (const int n : {10, 100, 1000, 10000}) {
    testing::Chain chain(n, empty_kernel, 4, 64, [](int) { return false; }, {}, {.memory_strategy = "best-fit"});
    ThreadPool pool(1);
    auto context = chain.executable->make_context(pool);
    const Tensor input(DType::f32, {64});
    const double us = least_us(rounds, [&] {
      if (!chain.executable->run(std::span(&input, 1), **context).ok()) std::abort();
    });
    points.push_back({n, us});
    fmt::print("{:8} {:12.3f} {:12.2f}\n", n, us, us * 1000 / n);
  }
  const Line line = fit(points);
  fmt::print("a = {:.0f} ns, b = {:.2f} ns a node\n\n", line.a * 1000, line.b * 1000);
}

void barriers(int rounds) {
  fmt::print("{:>8} {:>12}\n", "threads", "barrier ns");
  constexpr int launches = 1000;
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    const double us = least_us(rounds, [&] {
      for (int i = 0; i < launches; ++i) pool.everyone().run(threads, [](void*, int64_t, int64_t, int) {}, nullptr);
    });
    fmt::print("{:8} {:12.1f}\n", threads, us * 1000 / launches);
  }
}

void events(int rounds) {
  constexpr uint32_t launches = 1000;
  QueuePlan plan{{1, 1}, {}, {}};
  for (uint32_t i = 0; i < launches; ++i) {
    plan.queue_of.push_back(i % 2);
    if (i > 0) plan.events.push_back({i - 1, i});
  }
  ThreadPool pool(2);
  Replay replay(pool, std::vector<ListedLaunch>(launches, {empty_kernel, 1, false, {}}), plan, {}, {});
  const double us = least_us(rounds, [&] { (void)replay.run(); });
  fmt::print("\nevent: {:.1f} ns\n", us * 1000 / launches);
}

} // namespace
} // namespace cutaway::runtime

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  if (argc > 2 || rounds < 1) return std::fputs(cutaway::runtime::usage, stderr), 2;
  cutaway::runtime::runs(rounds);
  cutaway::runtime::barriers(rounds);
  cutaway::runtime::events(rounds);
}
