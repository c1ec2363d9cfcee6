#pragma once
#include <cstdint>
#include <vector>

namespace cutaway::plan {

// A set of nonzero 64-bit keys with open addressing. Full at half its slots, it doubles, up to `most` keys; then it
// takes no more, which costs a search time and nothing else.
class Memo {
 public:
  void clear() {
    slots_.assign(1 << 12, 0);
    used_ = 0;
  }
  bool has(uint64_t key) const { return slots_[find(key)] == key; }
  void add(uint64_t key) {
    if (used_ == most) return;
    if (2 * ++used_ > slots_.size()) grow();
    slots_[find(key)] = key;
  }

 private:
  static constexpr uint64_t most = uint64_t{1} << 24;

  size_t find(uint64_t key) const {
    size_t at = key >> 1 & (slots_.size() - 1);
    while (slots_[at] != 0 && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<uint64_t> old(2 * slots_.size());
    old.swap(slots_);
    for (uint64_t key : old)
      if (key != 0) slots_[find(key)] = key;
  }

  std::vector<uint64_t> slots_ = std::vector<uint64_t>(1 << 12);
  uint64_t used_ = 0;
};

} // namespace cutaway::plan
