#pragma once
#include "backend/cpu/jit/helper.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace cutaway::cpu {

// At most `jobs` helpers, shared by all callers. A helper that crashed or overran its time is replaced by a fresh one.
class HelperPool {
 public:
  HelperPool(std::string path, int jobs, int timeout_ms) : path_(std::move(path)), jobs_(jobs), timeout_(timeout_ms) {}

  // Called once a request, in the thread of run() and in the order of completion.
  using Done = std::function<void(size_t index, Result<CompileReply>)>;

  // Answers all requests, the longest text first. A request whose helper died is tried once more, as the death may have
  // come from outside (memory, a kill); then it fails. Faults as in KernelCompiler::compile. Thread-safe.
  void run(std::span<const CompileRequest> requests, const std::atomic<bool>* cancel, const Done& done);

 private:
  friend class HelperRun;
  // An idle helper or a fresh one; null where all are at work for others.
  Result<std::unique_ptr<Helper>> acquire();
  // Takes a helper back; null: it is lost.
  void release(std::unique_ptr<Helper> helper);
  void wait_for_release(std::chrono::milliseconds most);

  const std::string path_;
  const int jobs_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_; // of what follows
  std::condition_variable released_;
  std::vector<std::unique_ptr<Helper>> idle_;
  int leased_ = 0;
};

} // namespace cutaway::cpu
