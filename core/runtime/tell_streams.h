#pragma once
#include "base/journal.h"
#include "codegen/group_kernel.h"
#include "plan/streams/schedule.h"

#include <optional>
#include <span>

namespace cutaway::runtime {

struct Part {
  size_t number = 1, of = 1;
};

// Why launches run in which stream: what runs beside others, what waits for whom, what could have run beside others and does
// not, and what the plan promises. `kernel`: by task, the launch that it is; `part`: which of how many regions this is.
void tell_streams(const plan::StreamPlan& plan, const std::vector<std::optional<uint32_t>>& kernel, std::span<const codegen::GroupKernel> kernels, int most_queues, Part part, Journal& journal);

} // namespace cutaway::runtime
