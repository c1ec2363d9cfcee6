#pragma once
#include "codegen/kernel.h"
#include "plan/streams/events.h"
#include "plan/streams/schedule.h"
#include "runtime/addresses.h"
#include "runtime/replay.h"

namespace cutaway::runtime {

// What the schedule of queues takes a CPU for: rough rates, so that only clear gains count.
struct CpuMachine {
  double flops_per_s = 20e9; // of a thread
  double bytes_per_s = 12e9; // of all
  double launch_us = .2;     // of a kernel by one thread
  double barrier_us = .8;    // more, by several
  double split_us = 3;       // to split the pool, and join it again
  double least_gain = .15;   // of the time of a stretch on all threads
};

// Launches between two that all others come before or after may run at once, each by a part of the threads. Only stretches
// in which that clearly gains are split; everything else runs on all threads, one launch after the other. The order of the
// kernels is theirs; finding the queues may change it.
class CpuQueues {
 public:
  CpuQueues(const Graph& graph, std::vector<codegen::Kernel>& kernels, int threads, int queues, const CpuMachine& machine);

  // Finds the stretches and puts the kernels into the order in which they are launched. False: none is split.
  bool find();
  // For each kernel, the first and last that may run beside it.
  std::vector<plan::StreamOrder::Span> beside() const;
  // Events for what the plan of the arena makes wait, too.
  void order_reuse(const plan::MemoryPlan& memory);
  // Empty, or two launches that race under that plan, in words.
  std::string find_race(const plan::MemoryPlan& memory) const;
  QueuePlan plan() const;

  // Launches [first, first + tasks) that are split.
  struct Stretch {
    uint32_t first = 0;
    plan::StreamPlan streams; // its tasks are the launches, in order
  };
  const std::vector<Stretch>& stretches() const { return stretches_; }

 private:
  std::vector<std::vector<plan::Touch>> touches(size_t first, size_t last, const Addresses& where) const;
  double us(const codegen::GroupKernel& kernel, int threads) const;
  plan::StreamProblem problem_of(size_t first, size_t last, const Addresses& where) const;
  std::vector<bool> joints() const;

  const Graph& graph_;
  std::vector<codegen::Kernel>& kernels_;
  int threads_, queues_;
  CpuMachine machine_;
  std::vector<Stretch> stretches_;
};

} // namespace cutaway::runtime
