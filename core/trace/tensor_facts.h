#pragma once
#include "trace/text.h"

#include <cstdint>
#include <vector>

namespace cutaway::trace {

// What a tensor holds, small enough to show. Statistics are over the finite elements; strings have none.
struct TensorFacts {
  Text dtype, shape; // "f32", "[1,64,56,56]"
  Text source;       // which run gave it: "compiled run", "eager run", "reference of the compiled graph", "input of the run", "constant"
  int64_t elements = 0, bytes = 0;
  int64_t zeros = 0, negative = 0, nan = 0, infinite = 0; // elements
  bool numeric = true;
  double least = 0, greatest = 0, mean = 0, deviation = 0; // deviation: of the population
  std::vector<int64_t> histogram; // elements in equal bins from least to greatest, both included; empty: nothing finite
  std::vector<Text> first;        // the first elements in order, at most 24
};

} // namespace cutaway::trace
