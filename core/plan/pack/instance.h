#pragma once
#include "plan/pack/problem.h"

#include <span>

namespace cutaway::plan {

// A problem as the packers see it: only buffers that occupy something, sizes rounded up and in units of their common
// divisor, time cut into sections.
//
// A section is a maximal set of buffers that live together; every buffer lives through a run [first, last) of them.
// Sets that are not maximal are dropped: whatever they forbid, a maximal one forbids too.
struct Instance {
  struct Item {
    int64_t size = 0;      // units, rounded up to the alignment
    int64_t alignment = 1; // units
    int64_t start = 0, end = 0;
    int first = 0, last = 0;
    int64_t tightest = 0; // the greatest load it takes part in, units
  };
  std::vector<Item> items;
  std::vector<int> origin; // item -> buffer of the problem
  int64_t unit = 1;        // bytes
  int sections = 0;
  std::vector<int64_t> load; // per section, units
  int64_t bound = 0;         // the greatest load, units

  int size() const { return int(items.size()); }
  // The top of the highest item, units.
  int64_t peak(const Offsets& offsets) const;
};

Instance make_instance(const Problem& problem);

// The instance of some of the items; its origins index the problem's buffers, its unit is the same.
Instance sub_instance(const Instance& whole, std::span<const int> items);

// The items in groups that share no section with each other, each in order of index; a peak is the greatest of theirs.
std::vector<std::vector<int>> components(const Instance& instance);

} // namespace cutaway::plan
