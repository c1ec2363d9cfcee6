#pragma once
#include "ir/builder.h"

#include <random>

namespace cutaway::driver {

// One op of a random kind, type, extent and form, with elementwise work around it: what one fused group may be. The extents
// straddle the edges of tiles, warps and vectors.
class RandomGroup {
 public:
  explicit RandomGroup(uint32_t seed);

  Graph graph;
  std::vector<Tensor> inputs;

 private:
  using Dims = std::vector<int64_t>;

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int64_t any_of(const Dims& list) { return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))]; }
  Tensor random_tensor(DType t, const Dims& dims);
  // A param, or a constant where `fixed`.
  ValueId value(DType t, const Dims& dims, bool fixed = false);
  ValueId make(Op op, std::vector<ValueId> in, Attrs attrs = {}) { return *b_.make(op, std::move(in), std::move(attrs)); }
  Dims dims_of(ValueId v) const { return static_dims(b_.type(v).shape); }
  Dims shuffled(size_t rank);
  // The value as a view that lies otherwise in memory, or as it is.
  ValueId viewed(ValueId v);
  // Some elementwise work on it, with operands that broadcast.
  ValueId worked(ValueId v, int steps);

  ValueId map();
  ValueId moved();
  ValueId gathered();
  ValueId rows();
  ValueId normalised();
  ValueId window();
  ValueId product();
  ValueId convolution();

  std::mt19937 random_;
  Builder b_{graph};
};

} // namespace cutaway::driver
