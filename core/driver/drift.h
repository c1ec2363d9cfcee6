#pragma once
#include "driver/session.h"

#include <algorithm>
#include <atomic>

namespace cutaway::driver {

// How far two ways of computing one value lie from the float64 oracle, in units in the last place (of the declared dtype)
// of the value's largest element; integers: plain.
struct DriftPair {
  double eager_ulp = 0, compiled_ulp = 0;
  bool equal = false; // eager and compiled agree in every bit
};

// The session's model in three modes on the same inputs.
struct Drift {
  struct Place : DriftPair {
    int kernel = 0;     // its place in the schedule
    std::string name;   // the kernel's
    std::string node;   // the model's
    ValueId value;
    NodeId producer;    // in the compiled graph
  };
  struct Output : DriftPair {
    std::string name;
    bool numeric = true; // strings have no distance
  };
  // What the kernels of the first segment write, in order. Values that a pass made anew have no eager twin and are left out.
  std::vector<Place> places;
  std::vector<Output> outputs; // of the model
  size_t segments = 1;
};

// The place is a culprit where compiled is beyond this many ulp.
inline double drift_limit(double eager_ulp) { return std::max(1.5 * eager_ulp, 2.0); }

// Distance of a tensor from its oracle.
double drift_of(const Tensor& t, const Tensor& oracle);
// `limit` ("cancelled") soon after *cancel became true. The session's last run is a compiled one afterwards.
Result<Drift> measure_drift(Session& session, const Feeds& feeds, const std::atomic<bool>* cancel = nullptr);

} // namespace cutaway::driver
