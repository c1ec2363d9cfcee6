#pragma once
#include "layout/walk.h"
#include "place/place.h"

namespace cutaway::views {

// The elements that one output of a reading op takes: from `start` on, so many along each dim of the value. The output is the
// first whose window lies whole within the value; padding is nowhere in memory.
struct Window {
  QString reader, what; // "conv1", "3 × 3 of 64 channels"
  QList<int64_t> start, extents;
  bool holds(const Walk& walk, int plane, int row, int column) const; // a drawn cell
  // "3 runs of 192 elements, 36 cache lines": as the window lies in memory. Empty where it has too many elements to count.
  QString inMemory(const Walk& walk, int64_t elementBytes) const;
};

// Whether an op takes windows of its first operand: a convolution or a pooling.
bool readsWindows(const trace::GraphNode& node);
// That of the first op in another kernel that reads the value as a convolution, a window or a product does. Nothing: there is none
// (what only its own kernel reads never lies in memory), it is dilated, or no window lies whole within the value.
std::optional<Window> windowOf(const trace::GraphDoc& graph, const trace::GraphValue& value, const Walk& walk);

} // namespace cutaway::views
