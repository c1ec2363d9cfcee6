#pragma once
#include "backend/cuda/abi.h"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cutaway::cuda::sim {

// Device memory in an address range of its own. An allocation ends at most 255 bytes before a page that faults; those
// bytes and the ones before it hold a pattern that is checked when it is freed and after each launch. Freed pages fault,
// and are handed out again only when the range (256 GB) is used up, so that a stale pointer is noticed. Thread-safe.
class DeviceMemory {
 public:
  struct Block {
    size_t bytes = 0;
    uintptr_t pages_begin = 0, pages_end = 0;
    bool live = false;
  };
  using Hit = std::pair<CUdeviceptr, Block>;

  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  CUdeviceptr allocate(size_t bytes); // 256-byte aligned; 0 where there is no room
  bool release(CUdeviceptr at);       // false: not the start of a live allocation
  std::string check(CUdeviceptr at, size_t bytes) const; // what is wrong with touching this; empty where all of it is live
  std::string red_zones() const;                         // which is overwritten; empty when intact
  std::optional<Hit> find(CUdeviceptr at) const;         // the allocation at or before `at`
  std::vector<Hit> live() const;
  bool owns(uintptr_t at) const { return at - base_ < size; }
  size_t used() const { return used_; }

 private:
  static constexpr size_t size = size_t{1} << 38, page = 4096;

  uintptr_t room_for(size_t pages);
  std::string red_zone(CUdeviceptr at, const Block& block) const;

  uintptr_t base_ = 0, next_ = 0;
  std::map<CUdeviceptr, Block> blocks_; // freed ones too
  std::set<CUdeviceptr> live_;
  std::atomic<size_t> used_ = 0;
  mutable std::mutex mutex_;
};

} // namespace cutaway::cuda::sim
