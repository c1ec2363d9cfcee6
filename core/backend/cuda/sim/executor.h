#pragma once
#include "backend/cuda/sim/block.h"
#include "backend/cuda/sim/point.h"
#include "backend/cuda/sim/work.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>

namespace cutaway::cuda::sim {

// Really runs the device's operations, one after another in any order that their edges allow, each kernel's blocks on
// several threads. Thread-safe.
class Executor {
 public:
  explicit Executor(DeviceMemory& memory);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  uint64_t submit(Work work, std::vector<uint64_t> after);
  bool done(const Point& point);
  // Waits for what the point names, or for everything; the first fault so far. After a fault nothing more runs.
  DeviceFault wait(const Point* point);

  void hold(bool on);
  void set_pick(Pick pick, uint64_t seed);
  void set_watchdog(std::chrono::milliseconds limit);
  Counters counters();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Pending {
    Work work;
    std::vector<uint64_t> after;
  };
  struct Job { // the kernel that runs
    const Launch* launch = nullptr;
    uint64_t blocks = 0;
    Time deadline;
    std::atomic<uint64_t> next{0};
    bool shared = false;  // helpers may join
    bool expired = false; // blocks were left out
    unsigned running = 0; // helpers in it
    DeviceFault fault;
  };
  using Queue = std::map<uint64_t, Pending>;

  void dispatch();
  void help();
  void watch();
  Queue::iterator choose();
  bool ready(const Pending& pending) const;
  bool reached(const Point& point) const;
  DeviceFault run(BlockRunner& runner, const Work& work);
  void run_blocks(BlockRunner& runner, Job& job);

  DeviceMemory& memory_;
  Tally tally_;
  std::mutex mutex_; // of what follows
  std::condition_variable changed_, finished_, started_, shared_; // shared_: a job that helpers may join
  Queue pending_;
  uint64_t next_ = 1;
  DeviceFault fault_;
  Job* job_ = nullptr;
  std::vector<BlockRunner*> runners_;
  double seconds_ = 0;
  bool stop_ = false, held_ = false;
  Pick pick_ = Pick::oldest;
  std::mt19937_64 random_;
  std::chrono::milliseconds limit_{60'000};
  std::vector<std::thread> threads_;
};

} // namespace cutaway::cuda::sim
