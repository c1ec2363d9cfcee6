#pragma once
#include "plan/streams/hazards.h"
#include "plan/streams/problem.h"

#include <optional>
#include <string>

namespace cutaway::plan {

// Two tasks that touch the same bytes, one of them writing, of which neither is sure to be done before the other starts.
struct Race {
  uint32_t a = 0, b = 0;
  uint64_t byte = 0; // the first that both touch
};

// Checks a schedule by what tasks touch and nothing else; it shares no code with what makes schedules. Events that do not
// point forward in the order of submission order nothing.
std::optional<Race> find_race(const std::vector<std::vector<Touch>>& touches, const StreamSchedule& schedule, const std::vector<StreamEvent>& events);

} // namespace cutaway::plan
