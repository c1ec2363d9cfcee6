// Built without sanitizers, as block.cpp.
#include "backend/cuda/sim/callbacks.h"

#include "backend/cuda/sim/block_state.h"

#include <cmath>
#include <cstring>

extern "C" void cw_trap(CwThread*, const char* why) {
  using namespace cutaway::cuda;
  const bool misaligned = std::strncmp(why, "misaligned", 10) == 0;
  sim::active_block()->fail(misaligned ? CUDA_ERROR_MISALIGNED_ADDRESS : CUDA_ERROR_LAUNCH_FAILED, why);
}
extern "C" void cw_block_sync(CwThread* t) {
  cutaway::cuda::sim::active_block()->block_sync(t);
}
extern "C" void cw_warp_sync(CwThread* t, unsigned kind, unsigned mask) {
  cutaway::cuda::sim::active_block()->warp_sync(t, kind, mask);
}

namespace cutaway::cuda::sim {

namespace {

using Symbols = std::vector<std::pair<std::string, void*>>;

template <class F> void* address(F* f) {
  return reinterpret_cast<void*>(f);
}

void look(const volatile void* at, size_t bytes, bool write, bool aligned = true) {
  active_block()->access(reinterpret_cast<uintptr_t>(at), bytes, write, aligned);
}

template <size_t bytes, bool write, bool aligned> void touch(void* at) {
  look(at, bytes, write, aligned);
}
void touch_range(void* at, size_t bytes) {
  if (bytes) look(at, bytes, true, false);
}
void* copied(void* to, const void* from, size_t n) {
  if (n) look(from, n, false, false), look(to, n, true, false);
  return std::memcpy(to, from, n);
}
void* moved(void* to, const void* from, size_t n) {
  if (n) look(from, n, false, false), look(to, n, true, false);
  return std::memmove(to, from, n);
}
void* filled(void* to, int v, size_t n) {
  touch_range(to, n);
  return std::memset(to, v, n);
}
void nothing() {}

// Atomics of checked code; every memory order is served by the relaxed one, as kernels use no other.
template <class T> struct Atomic {
  static T load(T* p, int) { return look(p, sizeof(T), false), __atomic_load_n(p, __ATOMIC_RELAXED); }
  static void store(T* p, T v, int) { look(p, sizeof(T), true), __atomic_store_n(p, v, __ATOMIC_RELAXED); }
  static T add(T* p, T v, int) { return look(p, sizeof(T), true), __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
  static T sub(T* p, T v, int) { return look(p, sizeof(T), true), __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }
  static T bit_or(T* p, T v, int) { return look(p, sizeof(T), true), __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
  static T bit_and(T* p, T v, int) { return look(p, sizeof(T), true), __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }
  static T exchange(T* p, T v, int) { return look(p, sizeof(T), true), __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
  static T swap(T* p, T old, T v, int, int) {
    look(p, sizeof(T), true);
    __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return old;
  }

  static void add_to(Symbols& out) {
    const std::string name = "__tsan_atomic" + std::to_string(sizeof(T) * 8) + "_";
    const std::pair<const char*, void*> entries[] = {
        {"load", address(load)},           {"store", address(store)},        {"fetch_add", address(add)},
        {"fetch_sub", address(sub)},       {"fetch_or", address(bit_or)},    {"fetch_and", address(bit_and)},
        {"exchange", address(exchange)},   {"compare_exchange_val", address(swap)}};
    for (const auto& [what, at] : entries) out.emplace_back(name + what, at);
  }
};

template <size_t bytes> void add_accesses(Symbols& out) {
  const std::string n = std::to_string(bytes), unaligned = "__tsan_unaligned_"; // merged: alignment says nothing
  out.emplace_back("__tsan_read" + n, address(touch<bytes, false, true>));
  out.emplace_back(unaligned + "read" + n, address(touch<bytes, false, false>));
  for (const char* write : {"write", "read_write"}) {
    out.emplace_back(std::string("__tsan_") + write + n, address(touch<bytes, true, true>));
    out.emplace_back(unaligned + write + n, address(touch<bytes, true, false>));
  }
}

void add_math(Symbols& out) {
  using F1 = float (*)(float);
  using F2 = float (*)(float, float);
  const std::pair<const char*, F1> one[] = {{"expf", ::expf}, {"exp2f", ::exp2f}, {"logf", ::logf}, {"tanhf", ::tanhf},
                                            {"erff", ::erff}, {"sinf", ::sinf},   {"cosf", ::cosf}};
  for (const auto& [name, f] : one) out.emplace_back(name, address(f));
  out.emplace_back("powf", address(F2(::powf)));
}

} // namespace

Symbols kernel_callbacks() {
  Symbols out = {{"cw_trap", address(cw_trap)},
                 {"cw_block_sync", address(cw_block_sync)},
                 {"cw_warp_sync", address(cw_warp_sync)},
                 {"__tsan_init", address(nothing)},
                 {"__tsan_func_entry", address(nothing)},
                 {"__tsan_func_exit", address(nothing)},
                 {"__tsan_memcpy", address(copied)},
                 {"__tsan_memmove", address(moved)},
                 {"__tsan_memset", address(filled)}};
  add_accesses<1>(out);
  add_accesses<2>(out);
  add_accesses<4>(out);
  add_accesses<8>(out);
  add_accesses<16>(out);
  Atomic<int>::add_to(out);
  Atomic<long long>::add_to(out);
  add_math(out);
  return out;
}

} // namespace cutaway::cuda::sim
