// Built without sanitizers: they do not know of the fibers.
#include "backend/cuda/sim/block_state.h"
#include "backend/cuda/sim/fiber.h"
#include "backend/cuda/sim/signals.h"

#include "base/check.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sys/mman.h>

namespace cutaway::cuda::sim {

namespace {

constexpr size_t stack_bytes = 64 * 1024, guard = 4096, stride = stack_bytes + guard, shared_bytes = 256 * 1024;

void forbid(void* page) {
  CUTAWAY_CHECK(mprotect(page, guard, PROT_NONE) == 0, "this process has too many memory mappings");
}

std::string place(const CwDim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

} // namespace

BlockState*& active_block() {
  thread_local BlockState* active = nullptr;
  return active;
}

BlockState::BlockState(DeviceMemory& memory, Tally& tally) : memory_(memory), tally_(tally) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  stacks_ = static_cast<char*>(mmap(nullptr, stride * (max_threads + 1), PROT_READ | PROT_WRITE, flags, -1, 0));
  auto* shared = static_cast<unsigned char*>(mmap(nullptr, shared_bytes + guard, PROT_READ | PROT_WRITE, flags, -1, 0));
  CUTAWAY_CHECK(stacks_ != MAP_FAILED && shared != MAP_FAILED, "no address space for the stacks of simulated threads");
  shared_end_ = shared + shared_bytes;
  forbid(shared_end_);
  forbid(stacks_ + max_threads * stride);
}

BlockState::~BlockState() {
  munmap(stacks_, stride * (max_threads + 1));
  munmap(shared_end_ - shared_bytes, shared_bytes + guard);
}

// The current fiber waits or is done: run one that can run, else go back to run().
void BlockState::leave(void** save) {
  ++switches_;
  if (head_ != tail_) {
    current_ = ready_[head_++ % max_threads];
    return cw_switch(save, sp_[current_]);
  }
  if (started_ == count_) {
    in_kernel_ = false;
    return cw_switch(save, main_sp_);
  }
  current_ = started_++;
  const unsigned stack = free_stacks_[--free_count_];
  stack_of_[current_] = stack;
  // Tops are staggered: stacks a whole number of pages apart would fight for the same few cache sets.
  cw_switch(save, fresh_fiber(stacks_ + (stack + 1) * stride - stack * 320 % 8192 / 64 * 64, body));
}

void BlockState::body() {
  for (BlockState& s = *active_block();;) {
    s.in_kernel_ = true;
    if (s.kernel_->block)
      s.kernel_->block(s.threads_, s.params_);
    else
      s.kernel_->thread(&s.threads_[s.current_], s.params_);
    ++s.finished_;
    if (s.head_ != s.tail_ || s.started_ == s.count_) {
      s.free_stacks_[s.free_count_++] = s.stack_of_[s.current_];
      s.leave(&s.dead_sp_);
    }
    const unsigned stack = s.stack_of_[s.current_]; // it never waited: the next thread takes the same stack
    s.current_ = s.started_++;
    s.stack_of_[s.current_] = stack;
  }
}

// The fiber is left for good, and nothing on its stack destroyed: all that owns memory must be gone before.
void BlockState::fail(CUresult code, std::string what) {
  in_kernel_ = false;
  {
    const CwThread& t = threads_[current_];
    const std::string where = kernel_->block ? ", block " : ", thread " + place(t.threadIdx) + " of block ";
    fault_ = {code, launch_->label + ": " + what + where + place(t.blockIdx)};
    std::string().swap(what);
  }
  cw_switch(&dead_sp_, main_sp_);
  __builtin_unreachable();
}

void BlockState::expire() {
  expired_ = true;
  pthread_kill(thread_, expiry_signal());
}

void* BlockState::landing_stack(uintptr_t fault_address) {
  fault_at_ = fault_address;
  return stacks_ + (max_threads + 1) * stride - 8;
}

void BlockState::land() {
  BlockState& s = *active_block();
  const bool expired = s.fault_at_ == 0 && s.expired_;
  s.in_kernel_ = false;
  if (expired) s.fail(CUDA_ERROR_LAUNCH_TIMEOUT, "stopped by the watchdog: it runs too long");
  const bool shared = s.fault_at_ - reinterpret_cast<uintptr_t>(s.shared_end_) < guard;
  s.fail(shared ? CUDA_ERROR_LAUNCH_FAILED : CUDA_ERROR_ILLEGAL_ADDRESS, s.describe_fault());
}

std::string BlockState::describe_fault() const {
  if (memory_.owns(fault_at_)) return "illegal address: " + memory_.check(fault_at_, 1);
  if (fault_at_ - reinterpret_cast<uintptr_t>(shared_end_) < guard)
    return "shared memory: past the end of the " + std::to_string(launch_->shared_bytes) + " bytes of this launch";
  if (fault_at_ - reinterpret_cast<uintptr_t>(stacks_) < stride * max_threads) return "stack overflow in a kernel";
  return "illegal address: not device memory";
}

bool BlockState::declared(uintptr_t at, size_t bytes, bool write) const {
  return launch_->touches.empty() || std::any_of(launch_->touches.begin(), launch_->touches.end(), [&](const Range& r) {
           return at >= r.begin && at + bytes <= r.end && (r.write || !write);
         });
}

void BlockState::access(uintptr_t at, size_t bytes, bool write, bool aligned) {
  const auto shared = reinterpret_cast<uintptr_t>(threads_[0].shared);
  const auto shared_end = reinterpret_cast<uintptr_t>(shared_end_) + guard, end = shared + launch_->shared_bytes;
  if (at >= shared && at < shared_end && at + bytes > end)
    fail(CUDA_ERROR_LAUNCH_FAILED, "shared memory: " + std::to_string(at + bytes - end) + " bytes past the " +
                                       std::to_string(launch_->shared_bytes) + " of this launch");
  if (!memory_.owns(at)) return;
  if (aligned && at % bytes)
    fail(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned " + std::to_string(bytes) + "-byte access");
  if (at < live_begin_ || at + bytes > live_end_) {
    busy_ = true;
    std::string bad = memory_.check(at, bytes);
    const auto hit = memory_.find(at);
    busy_ = false;
    if (!bad.empty()) {
      bad.insert(0, write ? "illegal write: " : "illegal read: ");
      fail(CUDA_ERROR_ILLEGAL_ADDRESS, std::move(bad));
    }
    live_begin_ = hit->first;
    live_end_ = hit->first + hit->second.bytes;
  }
  if (!declared(at, bytes, write))
    fail(CUDA_ERROR_LAUNCH_FAILED, std::string("undeclared ") + (write ? "write" : "read") + " at offset " +
                                       std::to_string(at - live_begin_) + " of a " +
                                       std::to_string(live_end_ - live_begin_) + "-byte allocation");
}

void BlockState::block_sync(CwThread* t) {
  if (++waiting_ < count_) return leave(&sp_[t->index]);
  waiting_ = 0;
  for (unsigned i = 0; i < count_; ++i)
    if (i != t->index) ready_[tail_++ % max_threads] = i;
}

void BlockState::warp_sync(CwThread* t, unsigned kind, unsigned mask) {
  CwWarp& w = *t->warp;
  if (!(mask >> t->lane & 1)) fail(CUDA_ERROR_LAUNCH_FAILED, "a lane calls a warp collective whose mask leaves it out");
  mask &= w.present;
  if (w.arrived == 0) {
    w.kind = kind;
    w.mask = mask;
  } else if (w.kind != kind || w.mask != mask) {
    fail(CUDA_ERROR_LAUNCH_FAILED, "lanes of a warp are in different collectives (divergence)");
  }
  w.arrived |= 1u << t->lane;
  if (w.arrived != w.mask) return leave(&sp_[t->index]);
  w.phase ^= 1;
  w.arrived = 0;
  for (unsigned rest = w.mask & ~(1u << t->lane); rest; rest &= rest - 1)
    ready_[tail_++ % max_threads] = w.first_thread + unsigned(__builtin_ctz(rest));
}

void BlockState::prepare(const Launch& launch, CwDim3 index) {
  launch_ = &launch;
  kernel_ = launch.kernel.get();
  const CwDim3 b = launch.block;
  count_ = kernel_->block ? 1 : b.x * b.y * b.z;
  for (; guarded_ < count_; ++guarded_) forbid(stacks_ + guarded_ * stride); // each is a mapping, and a system has a limit
  for (size_t i = 0; i < launch.values.size(); ++i) params_[i] = const_cast<unsigned char*>(launch.values[i].data());
  unsigned char* shared = shared_end_ - (launch.shared_bytes + 127) / 128 * 128;
  std::memset(shared, 0xff, launch.shared_bytes); // NaN: a read before any write shows
  head_ = tail_ = started_ = finished_ = waiting_ = free_count_ = 0;
  live_begin_ = live_end_ = fault_at_ = 0;
  switches_ = 0;
  expired_ = false;
  fault_ = {};
  for (unsigned i = 0; i < count_; ++i) {
    CwThread& t = threads_[i];
    t.threadIdx = {i % b.x, i / b.x % b.y, i / b.x / b.y};
    t.blockIdx = index, t.blockDim = b, t.gridDim = launch.grid;
    t.lane = i % 32, t.index = i, t.copies = t.group = 0;
    t.warp = &warps_[i / 32], t.shared = shared;
    free_stacks_[count_ - 1 - i] = i;
    ++free_count_;
  }
  for (unsigned w = 0; w * 32 < count_; ++w) {
    const unsigned lanes = std::min(32u, count_ - w * 32);
    warps_[w].present = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warps_[w].arrived = warps_[w].phase = 0;
    warps_[w].first_thread = w * 32;
  }
}

DeviceFault BlockState::run(const Launch& launch, CwDim3 index) {
  prepare(launch, index);
  active_block() = this;
  leave(&main_sp_);
  tally_.threads += uint64_t(launch.block.x) * launch.block.y * launch.block.z;
  tally_.switches += switches_;
  ++tally_.blocks;
  if (fault_.code != CUDA_SUCCESS) return fault_;
  if (finished_ == count_) return {};
  return {CUDA_ERROR_LAUNCH_FAILED, launch.label + ": barrier not reached by all, block " + place(index) + ": " +
                                        std::to_string(waiting_) + " threads wait at __syncthreads, " +
                                        std::to_string(count_ - finished_ - waiting_) + " in a warp collective, " +
                                        std::to_string(finished_) + " have left"};
}

BlockRunner::BlockRunner(DeviceMemory& memory, Tally& tally) : state_(std::make_unique<BlockState>(memory, tally)) {
  catch_signals_here();
}

BlockRunner::~BlockRunner() {
  release_signals_here();
}

DeviceFault BlockRunner::run(const Launch& launch, CwDim3 block_index) {
  return state_->run(launch, block_index);
}

void BlockRunner::expire() {
  state_->expire();
}

} // namespace cutaway::cuda::sim
