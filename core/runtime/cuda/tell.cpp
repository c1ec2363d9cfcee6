#include "runtime/cuda/tell.h"

namespace cutaway::runtime {

using Kind = DeviceWork::Kind;

void tell_capture(const std::vector<DeviceRegion>& regions, std::span<const codegen::GroupKernel> kernels, std::span<const DeviceLaunch> launches, bool captures, Journal& journal) {
  for (const DeviceRegion& r : regions) {
    for (const uint32_t k : r.host) journal.append({"capture", "not-captured", true, {entity(kernels[k].nodes.front())}, {launches[k].why_on_host}, {}, {}, nullptr});
    if (r.works.empty()) continue;
    std::vector<Entity> of;
    for (const DeviceWork& w : r.works)
      if (w.kind == Kind::launch) of.push_back(entity(kernels[w.kernel].nodes.front()));
    const auto count = static_cast<int64_t>(of.size());
    journal.append({"capture", captures ? "captured" : "capture-off", !captures, std::move(of), {count, static_cast<int64_t>(r.works.size()) - count, int64_t{r.streams.queues}}, {.launches = count}, {.launches = 1}, nullptr});
  }
}

} // namespace cutaway::runtime
