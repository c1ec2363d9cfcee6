#include "backend/cuda/sim/library_work.h"

#include "base/prelude/cw_math.h"

#include <cstring>

namespace cutaway::cuda::sim {

float get_number(LibraryType type, const std::byte* base, int64_t index) {
  const std::byte* at = base + index * number_bytes(type);
  float wide = 0;
  if (type == LibraryType::f32) return std::memcpy(&wide, at, sizeof wide), wide;
  return type == LibraryType::f16 ? cw_load_f16(at, 0) : cw_load_bf16(at, 0);
}

void put_number(LibraryType type, std::byte* base, int64_t index, float value) {
  std::byte* at = base + index * number_bytes(type);
  if (type == LibraryType::f32) std::memcpy(at, &value, sizeof value);
  else if (type == LibraryType::f16) cw_store_f16(at, 0, value);
  else cw_store_bf16(at, 0, value);
}

CUresult post_routine(Call& call, CUstream stream, const char* name, std::vector<Range> touches, double flops, std::function<void()> run) {
  touches.back().write = true;
  Work work;
  work.unit = Unit::kernel;
  work.note.touches = touches;
  work.note.flops = flops;
  work.run = [touches, name, run = std::move(run), memory = &call.sim().memory]() -> DeviceFault {
    for (const Range& r : touches)
      if (std::string bad = memory->check(r.begin, r.end - r.begin); !bad.empty()) return {CUDA_ERROR_ILLEGAL_ADDRESS, std::string(name) + ": illegal address: " + bad};
    run();
    return {};
  };
  return post(call, stream, std::move(work), name);
}

} // namespace cutaway::cuda::sim
