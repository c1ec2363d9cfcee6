#include "backend/cuda/sim/memory.h"

#include <cstdio>
#include <cstring>
#include <sys/mman.h>

namespace cutaway::cuda::sim {

namespace {

constexpr unsigned char pattern = 0xcb;

std::string hex(uintptr_t v) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%lx", v);
  return text;
}

} // namespace

DeviceMemory::DeviceMemory() {
  void* at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at != MAP_FAILED) base_ = next_ = reinterpret_cast<uintptr_t>(at);
}

DeviceMemory::~DeviceMemory() {
  if (base_) munmap(reinterpret_cast<void*>(base_), size);
}

// A run of pages with one before it that faults; once the range is used up, the first gap between live allocations.
uintptr_t DeviceMemory::room_for(size_t pages) {
  const size_t need = pages + 2 * page;
  if (!base_ || need > size) return 0;
  if (need <= base_ + size - next_) {
    const uintptr_t first = next_ + page;
    next_ = first + pages;
    return first;
  }
  std::erase_if(blocks_, [](const auto& entry) { return !entry.second.live; });
  uintptr_t from = base_;
  for (const auto& [at, block] : blocks_) {
    if (need <= block.pages_begin - from) return from + page;
    from = block.pages_end;
  }
  next_ = from;
  if (need > base_ + size - from) return 0;
  next_ = from + page + pages;
  return from + page;
}

CUdeviceptr DeviceMemory::allocate(size_t bytes) {
  std::lock_guard lock(mutex_);
  const size_t room = (bytes + 255) / 256 * 256, pages = (room + page - 1) / page * page;
  if (bytes == 0 || room < bytes || pages < room) return 0;
  const uintptr_t first = room_for(pages), at = first + pages - room;
  if (!first || mprotect(reinterpret_cast<void*>(first), pages, PROT_READ | PROT_WRITE)) return 0;
  std::memset(reinterpret_cast<void*>(first), pattern, at - first);
  std::memset(reinterpret_cast<void*>(at + bytes), pattern, room - bytes);
  blocks_[at] = {bytes, first, first + pages, true};
  live_.insert(at);
  used_ += bytes;
  return at;
}

bool DeviceMemory::release(CUdeviceptr at) {
  std::lock_guard lock(mutex_);
  const auto it = blocks_.find(at);
  if (it == blocks_.end() || !it->second.live) return false;
  Block& b = it->second;
  void* pages = reinterpret_cast<void*>(b.pages_begin);
  madvise(pages, b.pages_end - b.pages_begin, MADV_DONTNEED);
  mprotect(pages, b.pages_end - b.pages_begin, PROT_NONE);
  b.live = false;
  live_.erase(at);
  used_ -= b.bytes;
  return true;
}

std::optional<DeviceMemory::Hit> DeviceMemory::find(CUdeviceptr at) const {
  std::lock_guard lock(mutex_);
  auto it = blocks_.upper_bound(at);
  if (it != blocks_.end() && it->second.pages_begin <= at) return *it; // in the red zone before it
  if (it == blocks_.begin()) return {};
  return *--it;
}

std::vector<DeviceMemory::Hit> DeviceMemory::live() const {
  std::lock_guard lock(mutex_);
  std::vector<Hit> out;
  for (CUdeviceptr at : live_) out.emplace_back(at, blocks_.at(at));
  return out;
}

std::string DeviceMemory::check(CUdeviceptr at, size_t bytes) const {
  const auto hit = find(at);
  if (!owns(at) || !hit) return hex(at) + " is not device memory";
  const auto& [start, block] = *hit;
  const std::string of = " of the " + std::to_string(block.bytes) + "-byte allocation at " + hex(start);
  if (!block.live && at < block.pages_end) return "use after free, offset " + std::to_string(at - start) + of;
  if (at < start) return std::to_string(start - at) + " bytes before the start" + of;
  const CUdeviceptr end = start + block.bytes;
  if (at > end || bytes > end - at) return std::to_string(at + bytes - end) + " bytes past the end" + of;
  return {};
}

std::string DeviceMemory::red_zone(CUdeviceptr at, const Block& b) const {
  const std::pair<uintptr_t, uintptr_t> zones[] = {{b.pages_begin, at}, {at + b.bytes, b.pages_end}};
  for (auto [from, to] : zones) {
    const auto* p = reinterpret_cast<const unsigned char*>(from);
    if (from == to || (*p == pattern && !std::memcmp(p, p + 1, to - from - 1))) continue;
    while (*p == pattern) ++p;
    const auto offset = int64_t(reinterpret_cast<uintptr_t>(p)) - int64_t(at);
    return "write outside, at offset " + std::to_string(offset) + " of the " + std::to_string(b.bytes) +
           "-byte allocation at " + hex(at);
  }
  return {};
}

std::string DeviceMemory::red_zones() const {
  std::lock_guard lock(mutex_);
  for (CUdeviceptr at : live_)
    if (std::string bad = red_zone(at, blocks_.at(at)); !bad.empty()) return bad;
  return {};
}

} // namespace cutaway::cuda::sim
