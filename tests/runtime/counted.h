#pragma once

namespace cutaway::runtime::testing {

// Whether calls are counted in this build: sanitizers have an allocator and locks of their own.
bool can_count();

struct Counts {
  long allocations = 0, locks = 0; // of all threads: malloc and its kin, mutexes
  long sleeps = 0;                 // of this thread: waits in the kernel
};
// What is done from construction to counts(), wherever in the program.
class Counter {
 public:
  Counter();
  ~Counter();
  Counts counts() const;
};

} // namespace cutaway::runtime::testing
