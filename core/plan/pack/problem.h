#pragma once
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cutaway::plan {

// A range of bytes live at the times of [start, end). It occupies its size rounded up to its alignment, at an offset
// that is a multiple of the alignment. Times may be negative; alignment is at least 1 and need not be a power of two.
struct Buffer {
  int64_t start = 0, end = 0; // half-open
  int64_t size = 0;           // bytes
  int64_t alignment = 1;
};

// An idle window of a buffer: during [start, end) only bytes [low, high) of it are in use. Packers treat the buffer as
// live throughout, which is safe; only the lower bound knows of the window, so that no proof claims too much.
struct IdleWindow {
  int buffer = 0;
  int64_t start = 0, end = 0;
  int64_t low = 0, high = 0;
};

// Offline dynamic storage allocation: give every buffer an offset so that buffers live at the same time share no byte
// and the peak is least. Buffers of size 0 or of an empty lifetime conflict with nothing.
struct Problem {
  std::vector<Buffer> buffers;
  std::vector<std::string> names; // empty, or one a buffer
  std::vector<IdleWindow> idle;
  int64_t capacity = 0; // bytes; 0: none, minimise

  std::string name_of(int buffer) const;
};

using Offsets = std::vector<int64_t>; // one a buffer, in bytes

inline int64_t round_up(int64_t bytes, int64_t alignment) {
  return alignment == 1 ? bytes : (bytes + alignment - 1) / alignment * alignment;
}
inline int64_t occupied(const Buffer& b) {
  return round_up(b.size, b.alignment);
}

// Bad input where a size is negative, an alignment below 1, an end before its start, or a sum of sizes could overflow;
// `limit` where there are more than a million buffers. Everything below takes a problem that passed.
Status validate(const Problem& problem);

// The most bytes occupied at one time: no plan can have a lower peak.
int64_t lower_bound(const Problem& problem);

// The top of the highest buffer that occupies anything.
int64_t peak_of(const Problem& problem, const Offsets& offsets);

} // namespace cutaway::plan
