#include "backend/cuda/sim/fiber.h"

// It leaves by an indirect jump, not by ret: the return-address predictor would miss on every switch. MXCSR is not saved,
// as kernels do not change it.
asm(R"(.text
.globl cw_switch
.type cw_switch,@function
cw_switch:
    pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp
    popq %rcx
    jmpq *%rcx
.size cw_switch,.-cw_switch
)");

namespace cutaway::cuda::sim {

void* fresh_fiber(char* top, void (*body)()) {
  auto** sp = reinterpret_cast<void**>(top - 8); // as after a call
  *--sp = reinterpret_cast<void*>(body);
  for (int i = 0; i < 6; ++i) *--sp = nullptr;
  return sp;
}

} // namespace cutaway::cuda::sim
