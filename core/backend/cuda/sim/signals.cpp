// Built without sanitizers, as block.cpp.
#include "backend/cuda/sim/signals.h"

#include "backend/cuda/sim/block_state.h"

#include <csignal>
#include <mutex>
#include <ucontext.h>
#include <vector>

// glibc's sigaction by the name that no sanitizer takes over. ThreadSanitizer's own holds a signal of another thread back
// until the next call into libc, which a kernel that never ends does not make.
extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*) noexcept __attribute__((weak));

namespace cutaway::cuda::sim {

namespace {

struct sigaction before_segv;

// The interrupted thread goes on in land() instead.
void divert(BlockState& block, uintptr_t fault_address, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RSP] = reinterpret_cast<greg_t>(block.landing_stack(fault_address));
  registers[REG_RIP] = reinterpret_cast<greg_t>(&BlockState::land);
}

void pass_on(int number, siginfo_t* info, void* context) {
  if (before_segv.sa_flags & SA_SIGINFO) return before_segv.sa_sigaction(number, info, context);
  if (before_segv.sa_handler != SIG_DFL && before_segv.sa_handler != SIG_IGN) return before_segv.sa_handler(number);
  std::signal(number, SIG_DFL); // faults again, and dies
}

void on_fault(int number, siginfo_t* info, void* context) {
  BlockState* block = active_block();
  if (!block || !block->in_kernel()) return pass_on(number, info, context);
  divert(*block, reinterpret_cast<uintptr_t>(info->si_addr), context);
}

void on_expiry(int, siginfo_t*, void* context) {
  BlockState* block = active_block();
  if (block && block->may_expire()) divert(*block, 0, context);
}

void install() {
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = on_fault;
  sigaction(SIGSEGV, &action, &before_segv);
  action.sa_sigaction = on_expiry;
  action.sa_flags |= SA_RESTART;
  (__sigaction ? __sigaction : sigaction)(expiry_signal(), &action, nullptr);
}

std::vector<char>& signal_stack() {
  thread_local std::vector<char> stack(64 * 1024);
  return stack;
}

} // namespace

int expiry_signal() {
  return SIGRTMIN + 4;
}

void catch_signals_here() {
  static std::once_flag once;
  std::call_once(once, install);
  stack_t stack{signal_stack().data(), 0, signal_stack().size()};
  sigaltstack(&stack, nullptr);
}

void release_signals_here() {
  stack_t off{nullptr, SS_DISABLE, 0};
  sigaltstack(&off, nullptr);
}

} // namespace cutaway::cuda::sim
