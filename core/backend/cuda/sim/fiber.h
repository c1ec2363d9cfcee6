#pragma once

namespace cutaway::cuda::sim {

// Saves the callee-saved registers of one fiber under its stack pointer and resumes another (System V x86-64).
extern "C" void cw_switch(void** save, void* load);

// The stack pointer of a fiber that begins in `body` when it is first resumed; `top` is the end of its stack, aligned to
// 64 bytes.
void* fresh_fiber(char* top, void (*body)());

} // namespace cutaway::cuda::sim
