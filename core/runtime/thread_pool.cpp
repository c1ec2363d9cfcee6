#include "runtime/thread_pool.h"

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

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  epoch_.fetch_add(1);
  epoch_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void ThreadPool::run(int64_t units, Body body, void* context) {
  if (workers_.empty() || units <= 1) {
    if (units > 0) body(context, 0, units, 0);
    return;
  }
  units_ = units, body_ = body, context_ = context;
  // A few chunks a thread even out uneven units and threads that come late.
  chunk_ = std::max<int64_t>(1, units / (static_cast<int64_t>(size()) * 4));
  next_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  drain(0);
  for (int i = 0; busy_.load(std::memory_order_acquire) > 0; ++i) {
    if (i < spins) pause();
    else std::this_thread::yield();
  }
}

void ThreadPool::drain(int thread) {
  for (;;) {
    const int64_t begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
    if (begin >= units_) return;
    body_(context_, begin, std::min(begin + chunk_, units_), thread);
  }
}

void ThreadPool::work(int thread) {
  uint32_t seen = 0;
  for (;;) {
    for (int i = 0; epoch_.load(std::memory_order_acquire) == seen; ++i) {
      if (i < spins) pause();
      else if (i < spins + yields) std::this_thread::yield();
      else epoch_.wait(seen);
    }
    seen = epoch_.load(std::memory_order_acquire);
    if (stop_) return;
    drain(thread);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

} // namespace cutaway::runtime
