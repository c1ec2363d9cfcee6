#pragma once
#include <cstdint>
#include <vector>

namespace cutaway::plan {

// Bytes that a task reads, or also writes.
struct Touch {
  uint64_t begin = 0, end = 0;
  bool write = false;
};

// By task: the earlier tasks that must be done first, since they touch the same bytes and one of the two writes them
// (read after write, write after read, write after write). Those that follow from others are left out where they are seen.
std::vector<std::vector<uint32_t>> hazards(const std::vector<std::vector<Touch>>& touches);

} // namespace cutaway::plan
