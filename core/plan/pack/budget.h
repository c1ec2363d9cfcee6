#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace cutaway::plan {

// What a search may still spend. Effort counts work done (one placement, or about a thousand buffers looked at; one or
// two microseconds), so that a search stopped by it gives the same answer on every machine; the clock and the flag are
// there for people who wait.
class Budget {
 public:
  Budget(double seconds, uint64_t effort, const std::atomic<bool>* cancel)
      : start_(Clock::now()), limit_(seconds), effort_(effort == 0 ? std::numeric_limits<uint64_t>::max() : effort),
        cancel_(cancel) {}

  void spend(uint64_t effort) { spent_ += effort; }
  uint64_t spent() const { return spent_; }
  uint64_t left() const { return spent_ < effort_ ? effort_ - spent_ : 0; }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // Looks at the clock: not for every placement.
  bool late() {
    if (!late_) late_ = (cancel_ && cancel_->load(std::memory_order_relaxed)) || elapsed() > limit_;
    return late_;
  }
  bool over() { return left() == 0 || late(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  double limit_;
  uint64_t effort_, spent_ = 0;
  const std::atomic<bool>* cancel_;
  bool late_ = false;
};

} // namespace cutaway::plan
