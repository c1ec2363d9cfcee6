#pragma once
#include "base/journal.h"
#include "runtime/cuda/program.h"

#include <span>

namespace cutaway::runtime {

// Why launches run in which stream: what runs beside others, what waits for whom, what could have run beside others and does
// not, and what the plan promises.
void tell_streams(const std::vector<DeviceRegion>& regions, std::span<const codegen::GroupKernel> kernels, int most_queues, Journal& journal);

} // namespace cutaway::runtime
