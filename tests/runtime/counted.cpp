#include "runtime/counted.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0}, locks{0};
thread_local long sleeps = 0;

void note(std::atomic<long>& count) {
  if (counting.load(std::memory_order_relaxed)) count.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
// The functions of this program stand before those of libc, which do the work.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) { return note(allocations), __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return note(allocations), __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return note(allocations), __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) { return note(allocations), __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return note(allocations), __libc_memalign(alignment, bytes); }
int posix_memalign(void** out, size_t alignment, size_t bytes) {
  note(allocations);
  *out = __libc_memalign(alignment, bytes);
  return *out ? 0 : ENOMEM;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const auto real = reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  note(locks);
  return real(mutex);
}

// The standard library waits on atomics through it.
long syscall(long number, ...) {
  static const auto real = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& x : a) x = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex) {
    const int call = static_cast<int>(a[1]) & FUTEX_CMD_MASK;
    sleeps += call == FUTEX_WAIT || call == FUTEX_WAIT_BITSET;
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
}
constexpr bool hooked = true;
#else
constexpr bool hooked = false;
#endif

namespace cutaway::runtime::testing {

bool can_count() { return hooked; }

Counter::Counter() {
  allocations = 0, locks = 0, sleeps = 0;
  counting = true;
}
Counter::~Counter() { counting = false; }
Counts Counter::counts() const { return {allocations, locks, sleeps}; }

} // namespace cutaway::runtime::testing
