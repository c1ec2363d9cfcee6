#pragma once

namespace cutaway::cuda::sim {

// Faults of kernels, and kernels that the watchdog stops, come as signals. These take a stack for them in this thread and
// install the handlers at the first call; a signal that no kernel caused goes to whoever handled it before.
void catch_signals_here();
void release_signals_here();

int expiry_signal();

} // namespace cutaway::cuda::sim
