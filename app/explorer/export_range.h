#pragma once
#include "base/result.h"

#include <QSizeF>

#include <cstdint>
#include <string>
#include <utility>

namespace cutaway::explorer {

// What `--steps` says: both ends belong to it.
struct StepRange {
  uint64_t first = 0;
  std::optional<uint64_t> last; // left out: the end
};
// "A..B" or "A..".
Result<StepRange> parse_steps(const std::string& text);
// First and last step in a trace of `count` steps; a last step behind the end means the end. At most 400 steps.
Result<std::pair<uint32_t, uint32_t>> steps_within(const StepRange& range, size_t count);
// The room for a view from `--size WxH` and `--width W` (empty and 0: not given).
Result<QSizeF> parse_room(const std::string& size, int width, QSizeF otherwise);

} // namespace cutaway::explorer
