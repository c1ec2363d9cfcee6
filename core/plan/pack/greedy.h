#pragma once
#include "plan/pack/gap_tree.h"
#include "plan/pack/instance.h"

#include <limits>
#include <vector>

namespace cutaway::plan {

// What an order sorts by. All but `birth` and `death` put the greatest first; those put the earliest first.
enum class Key { tightest, width, area, size, birth, late_birth, death };

// Items sorted by the keys in turn, then by index.
std::vector<int> order_by(const Instance& instance, const std::vector<Key>& keys);

// By breadth: first what lives in the section of the greatest load, the largest first, then the rest of the next
// section.
std::vector<int> order_by_breadth(const Instance& instance);

// Places the items in the order given, each in the lowest or the tightest gap that is free for its whole life; units.
// Gives up, with an empty plan, as soon as a peak reaches `limit`.
Offsets fit_in_order(const Instance& instance, const std::vector<int>& order, Fit fit, PackTrace* trace = nullptr,
                     int64_t limit = std::numeric_limits<int64_t>::max());

// Greedy by size (TensorFlow Lite Micro's greedy_memory_planner): largest first, each in the lowest gap.
Offsets pack_by_size(const Instance& instance, PackTrace* trace);
// Best fit (XLA's GlobalDecreasingSizeBestFitHeap): largest first, longer-lived first among equals, the tightest gap.
Offsets pack_best_fit(const Instance& instance, PackTrace* trace);
// First fit by start: earliest birth first, larger first among equals, each in the lowest gap.
Offsets pack_first_fit(const Instance& instance, PackTrace* trace);
// Greedy by breadth (Pisarchyk and Lee, arXiv 2001.03288): the times of the greatest load first; at each the largest
// buffer first, in the tightest gap.
Offsets pack_by_breadth(const Instance& instance, PackTrace* trace);
// Online best fit (ONNX Runtime's MemPatternPlanner): buffers come and go in time order, and each takes the tightest
// hole between those live at its birth, or the top. What comes later is not known.
Offsets pack_online(const Instance& instance, PackTrace* trace);
// Interval colouring: buffers share slots, a slot is as large as its largest buffer, and slots are stacked. Optimal
// where all sizes are equal and where all buffers are live at one time (a live set that only grows or only shrinks).
Offsets pack_colouring(const Instance& instance, PackTrace* trace);

} // namespace cutaway::plan
