#include "runtime/tell_streams.h"

namespace cutaway::runtime {

void tell_streams(const plan::StreamPlan& p, const std::vector<std::optional<uint32_t>>& kernel, std::span<const codegen::GroupKernel> kernels, int most_queues, Part part, Journal& journal) {
  const auto tell = [&](const char* code, bool refused, std::vector<uint32_t> tasks, std::vector<Arg> args) {
    std::vector<Entity> of;
    for (const uint32_t t : tasks) {
      if (!kernel[t]) return; // copies are no ops of the graph
      of.push_back(entity(kernels[*kernel[t]].nodes.front()));
    }
    journal.append({"streams", code, refused, std::move(of), std::move(args), {.time_us = p.serial_us}, {.time_us = p.predicted.makespan_us}, nullptr});
  };
  for (uint32_t t = 0; t < kernel.size(); ++t)
    if (p.schedule.queue[t] > 0) tell("stream", false, {t}, {int64_t{p.schedule.queue[t]}, p.predicted.spans[t].start_us, p.predicted.spans[t].end_us});
  for (const plan::StreamEvent& e : p.events) tell("stream-event", false, {e.to, e.from}, {int64_t{p.schedule.queue[e.to]}, int64_t{p.schedule.queue[e.from]}});
  for (const plan::StreamKept& k : p.kept) tell("not-overlapped", true, {k.task, k.with}, {std::string(plan::resource_name(k.demand.resource)), k.demand.wanted});
  tell(p.queues > 1 ? "streams" : "one-stream", p.queues == 1, {},
       {int64_t{p.queues}, p.serial_us, p.queues > 1 ? p.predicted.makespan_us : p.best_us, p.shortest_us, static_cast<int64_t>(p.events.size()), int64_t{most_queues},
        static_cast<int64_t>(part.number), static_cast<int64_t>(part.of)});
}

} // namespace cutaway::runtime
