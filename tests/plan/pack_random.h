#pragma once
#include "plan/pack/problem.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <random>
#include <utility>

namespace cutaway::plan::test {

// A problem of buffers given as (start, end, size), aligned to 1.
inline Problem problem_of(std::initializer_list<std::array<int64_t, 3>> rows) {
  Problem p;
  for (const auto& [start, end, size] : rows) p.buffers.push_back({start, end, size, 1});
  return p;
}

// Up to 12 buffers of any kind: empty sizes and lifetimes, negative times, alignments that are no powers of two.
inline Problem random_problem(std::mt19937& random) {
  Problem p;
  const int n = int(random() % 13), span = 1 + int(random() % 10);
  const int alignments = int(random() % 3); // none, one for all, one each
  const int64_t common = 1 + int64_t(random() % 7);
  for (int i = 0; i < n; ++i) {
    const int64_t start = int64_t(random() % span) - 3, length = int64_t(random() % span);
    const int64_t alignment = alignments == 0 ? 1 : alignments == 1 ? common : 1 + int64_t(random() % 6);
    p.buffers.push_back({start, start + length, int64_t(random() % 9), alignment});
  }
  return p;
}

// A problem whose load is `height` at all times: at each step a few live buffers die and others of the same total are
// born. Most of these have no plan of that height, so they test the proofs.
inline Problem flat_problem(std::mt19937& random, int64_t height, int steps) {
  Problem p;
  std::vector<size_t> live;
  int64_t room = height;
  for (int t = 0; t < steps; ++t) {
    for (; room > 0; room -= p.buffers.back().size) {
      live.push_back(p.buffers.size());
      p.buffers.push_back({t, steps, std::min<int64_t>(room, 2 + int64_t(random() % 3)), 1});
    }
    for (int kill = 1 + int(random() % 2); kill-- > 0 && !live.empty();) {
      std::swap(live[random() % live.size()], live.back());
      p.buffers[live.back()].end = t + 1;
      room += p.buffers[live.back()].size;
      live.pop_back();
    }
  }
  return p;
}

} // namespace cutaway::plan::test
