#pragma once
#include "kit/figure.h"
#include "place/place.h"

#include <set>

namespace cutaway::views {

// What sets one graph apart from another compile's graph of the same model, by identity: an op is the same where id, op and
// name are, a kernel where it runs the same ops, and a value is written where it leaves its kernel.
struct Difference {
  std::set<Entity> only;    // ops, and values written here that the other does not have or does not write
  std::set<Entity> differs; // kernels that run other ops than any of the other's
  size_t kernels = 0, values = 0;     // how many of each
  bool empty() const { return only.empty() && differs.empty(); }
};
Difference differenceOf(const trace::GraphDoc& here, const trace::GraphDoc& other);

// Two places of one model side by side in numbers: a column a measure, A over B, and by how much B is better or worse.
Figure differenceFigure(const Place& a, const Place& b, const Theme& theme, QSizeF room);

} // namespace cutaway::views
