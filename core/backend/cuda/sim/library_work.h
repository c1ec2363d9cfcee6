#pragma once
#include "backend/cuda/library.h"
#include "backend/cuda/sim/submit.h"

#include <functional>

// What the simulated libraries share: objects behind handles, numbers in memory, and their routines as work of a stream.
namespace cutaway::cuda::sim {

template <class Object, class Handle> int make(Handle* out, Object object) {
  *out = reinterpret_cast<Handle>(new Object(std::move(object)));
  return 0;
}
template <class Object, class Handle> int drop(Handle handle) {
  delete reinterpret_cast<Object*>(handle);
  return 0;
}

inline int64_t number_bytes(LibraryType type) { return type == LibraryType::f32 ? 4 : 2; }
float get_number(LibraryType type, const std::byte* base, int64_t index);
void put_number(LibraryType type, std::byte* base, int64_t index, float value);

// The last of `touches` is written, the others are read.
CUresult post_routine(Call& call, CUstream stream, const char* name, std::vector<Range> touches, double flops, std::function<void()> run);

} // namespace cutaway::cuda::sim
