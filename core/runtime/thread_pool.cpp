#include "runtime/thread_pool.h"

#include "base/check.h"

#include <algorithm>

namespace cutaway::runtime {
namespace {

constexpr int spins = 2000, yields = 200;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

} // namespace

void wait_while(const std::atomic<uint32_t>& word, uint32_t value) {
  for (int i = 0; word.load(std::memory_order_acquire) == value; ++i) {
    if (i < spins) pause();
    else if (i < spins + yields) std::this_thread::yield();
    else word.wait(value, std::memory_order_acquire);
  }
}

void Team::form(int first, int size) {
  first_ = first, size_ = size;
  formed_at_ = epoch_.load(std::memory_order_relaxed);
}

void Team::each(Part part, void* context) {
  if (size_ == 1) return part(context, first_);
  part_ = part, part_context_ = context;
  busy_.store(size_ - 1, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  part(context, first_);
  for (int i = 0; busy_.load(std::memory_order_acquire) > 0; ++i) {
    if (i < spins) pause();
    else std::this_thread::yield();
  }
}

void Team::serve(int thread) {
  for (uint32_t seen = formed_at_;; ++seen) {
    wait_while(epoch_, seen);
    if (!part_) return;
    part_(part_context_, thread);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

void Team::dismiss() {
  part_ = nullptr;
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
}

void Team::take_chunks(void* team, int thread) {
  Team& t = *static_cast<Team*>(team);
  for (;;) {
    const int64_t begin = t.next_.fetch_add(t.chunk_, std::memory_order_relaxed);
    if (begin >= t.units_) return;
    t.body_(t.body_context_, begin, std::min(begin + t.chunk_, t.units_), thread);
  }
}

void Team::run(int64_t units, Body body, void* context) {
  if (size_ == 1 || units <= 1) {
    if (units > 0) body(context, 0, units, first_);
    return;
  }
  units_ = units, body_ = body, body_context_ = context;
  // A few chunks a thread even out uneven units and threads that come late.
  chunk_ = std::max<int64_t>(1, units / (static_cast<int64_t>(size_) * 4));
  next_.store(0, std::memory_order_relaxed);
  each(take_chunks, this);
}

ThreadPool::ThreadPool(int threads) : teams_(std::make_unique<Team[]>(static_cast<size_t>(std::max(threads, 1)))), team_of_(static_cast<size_t>(std::max(threads, 1))) {
  everyone_.form(0, std::max(threads, 1));
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { everyone_.serve(i); });
}

ThreadPool::~ThreadPool() {
  everyone_.dismiss();
  for (std::thread& t : workers_) t.join();
}

struct ThreadPool::Split {
  ThreadPool& pool;
  TeamBody body;
  void* context;
};

void ThreadPool::join_team(void* split, int thread) {
  const Split& s = *static_cast<Split*>(split);
  Team* team = s.pool.team_of_[static_cast<size_t>(thread)];
  if (!team) return;
  if (thread != team->leader()) return team->serve(thread);
  s.body(s.context, static_cast<int>(team - s.pool.teams_.get()), *team);
  team->dismiss();
}

void ThreadPool::run_teams(std::span<const int> sizes, TeamBody body, void* context) {
  std::fill(team_of_.begin(), team_of_.end(), nullptr);
  int first = 0;
  for (size_t i = 0; i < sizes.size(); first += sizes[i++]) {
    CUTAWAY_CHECK(sizes[i] > 0 && sizes[i] <= size() - first, "the pool has no threads for these teams");
    teams_[i].form(first, sizes[i]);
    std::fill_n(team_of_.begin() + first, sizes[i], &teams_[i]);
  }
  Split split{*this, body, context};
  everyone_.each(join_team, &split);
}

} // namespace cutaway::runtime
