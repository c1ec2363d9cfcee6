#include "runtime/cuda/tell.h"

namespace cutaway::runtime {
namespace {

using Kind = DeviceWork::Kind;

class Teller {
 public:
  Teller(const DeviceRegion& region, std::span<const codegen::GroupKernel> kernels, Journal& journal) : r_(region), kernels_(kernels), journal_(journal) {}

  void tell(int most_queues) {
    const plan::StreamPlan& p = r_.streams;
    for (uint32_t i = 0; i < r_.works.size(); ++i)
      if (launch(i) && p.schedule.queue[i] > 0) event("stream", false, {at(i)}, {int64_t{p.schedule.queue[i]}, p.predicted.spans[i].start_us, p.predicted.spans[i].end_us});
    for (const plan::StreamEvent& e : p.events)
      if (launch(e.from) && launch(e.to)) event("stream-event", false, {at(e.to), at(e.from)}, {int64_t{p.schedule.queue[e.to]}, int64_t{p.schedule.queue[e.from]}});
    for (const plan::StreamKept& k : p.kept)
      if (launch(k.task) && launch(k.with)) event("not-overlapped", true, {at(k.task), at(k.with)}, {std::string(plan::resource_name(k.demand.resource)), k.demand.wanted});
    const std::vector<Arg> sums{int64_t{p.queues}, p.serial_us, p.queues > 1 ? p.predicted.makespan_us : p.best_us, p.shortest_us, static_cast<int64_t>(p.events.size()), int64_t{most_queues}};
    event(p.queues > 1 ? "streams" : "one-stream", p.queues == 1, {}, sums);
  }

 private:
  bool launch(uint32_t work) const { return r_.works[work].kind == Kind::launch; }
  Entity at(uint32_t work) const { return entity(kernels_[r_.works[work].kernel].nodes.front()); }
  void event(const char* code, bool refused, std::vector<Entity> entities, std::vector<Arg> args) {
    const plan::StreamPlan& p = r_.streams;
    journal_.append({"streams", code, refused, std::move(entities), std::move(args), {.time_us = p.serial_us}, {.time_us = p.predicted.makespan_us}, nullptr});
  }

  const DeviceRegion& r_;
  std::span<const codegen::GroupKernel> kernels_;
  Journal& journal_;
};

} // namespace

void tell_streams(const std::vector<DeviceRegion>& regions, std::span<const codegen::GroupKernel> kernels, int most_queues, Journal& journal) {
  for (const DeviceRegion& r : regions)
    if (!r.works.empty()) Teller(r, kernels, journal).tell(most_queues);
}

} // namespace cutaway::runtime
