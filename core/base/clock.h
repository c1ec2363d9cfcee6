#pragma once
#include <chrono>

namespace cutaway {

// A steady clock, for durations.
inline double now_us() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
inline double now_ms() { return now_us() / 1000; }

} // namespace cutaway
