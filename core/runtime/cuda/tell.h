#pragma once
#include "base/journal.h"
#include "runtime/cuda/program.h"

#include <span>

namespace cutaway::runtime {

// Which launches are replayed as one, and what ends such a region.
void tell_capture(const std::vector<DeviceRegion>& regions, std::span<const codegen::GroupKernel> kernels, std::span<const DeviceLaunch> launches, bool captures, Journal& journal);

} // namespace cutaway::runtime
