#pragma once
#include "backend/cuda/sim/block.h"

#include <pthread.h>

namespace cutaway::cuda::sim {

constexpr unsigned max_threads = 1024;

// The fibers of the block that one worker thread runs now.
class BlockState {
 public:
  BlockState(DeviceMemory& memory, Tally& tally);
  ~BlockState();
  BlockState(const BlockState&) = delete;
  BlockState& operator=(const BlockState&) = delete;

  DeviceFault run(const Launch& launch, CwDim3 index);
  void expire();

  // What a kernel calls, in the fiber of its thread.
  void block_sync(CwThread* t);
  void warp_sync(CwThread* t, unsigned kind, unsigned mask);
  // An access of checked code.
  void access(uintptr_t at, size_t bytes, bool write, bool aligned);
  [[noreturn]] void fail(CUresult code, std::string what);

  // What the signal handlers ask. A fault, or an expiry in kernel code, is resumed in land() on a stack of its own.
  bool in_kernel() const { return in_kernel_; }
  bool may_expire() const { return in_kernel_ && expired_ && !busy_; }
  void* landing_stack(uintptr_t fault_address);
  static void land();

 private:
  void prepare(const Launch& launch, CwDim3 index);
  void leave(void** save);
  static void body();
  std::string describe_fault() const;
  bool declared(uintptr_t at, size_t bytes, bool write) const;

  DeviceMemory& memory_;
  Tally& tally_;
  const Launch* launch_ = nullptr;
  const KernelEntry* kernel_ = nullptr;
  char* stacks_ = nullptr;           // max_threads of them and one more, on which a fault is reported
  unsigned guarded_ = 0;             // stacks that have a page below them that faults
  unsigned char* shared_end_ = nullptr;
  void *main_sp_ = nullptr, *dead_sp_ = nullptr, *params_[max_params] = {}, *sp_[max_threads] = {};
  alignas(64) CwThread threads_[max_threads] = {};
  alignas(64) CwWarp warps_[max_threads / 32] = {};
  unsigned stack_of_[max_threads] = {}, free_stacks_[max_threads] = {}, free_count_ = 0, ready_[max_threads] = {};
  unsigned head_ = 0, tail_ = 0, count_ = 0, started_ = 0, finished_ = 0, waiting_ = 0, current_ = 0;
  uint64_t switches_ = 0;
  uintptr_t fault_at_ = 0, live_begin_ = 0, live_end_ = 0; // live: the allocation that checked code touched last
  // in_kernel_ is true only while fibers run, so that a signal can tell; busy_ while one of them holds a lock.
  volatile bool in_kernel_ = false, busy_ = false;
  std::atomic<bool> expired_ = false;
  pthread_t thread_ = pthread_self();
  DeviceFault fault_;
};

// The block that this thread runs.
BlockState*& active_block();

} // namespace cutaway::cuda::sim
