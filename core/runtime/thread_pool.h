#pragma once
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace cutaway::runtime {

// One persistent pool. Workers spin a moment for the next job, then yield, then sleep: a spinning-only barrier costs tens
// of milliseconds where two threads share a core.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }
  using Body = void (*)(void* context, int64_t begin, int64_t end, int thread);
  // Runs body over [0, units) in chunks; the calling thread works too and returns when all is done. Allocates nothing.
  void run(int64_t units, Body body, void* context);

 private:
  void work(int thread);
  void drain(int thread);

  std::vector<std::thread> workers_;
  std::atomic<uint32_t> epoch_{0};
  std::atomic<int> busy_{0};
  std::atomic<int64_t> next_{0};
  std::atomic<bool> stop_{false};
  int64_t units_ = 0, chunk_ = 1;
  Body body_ = nullptr;
  void* context_ = nullptr;
};

} // namespace cutaway::runtime
