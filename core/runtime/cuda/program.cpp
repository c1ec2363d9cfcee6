#include "runtime/cuda/program.h"

#include "base/check.h"
#include "plan/streams/race_checker.h"

#include <algorithm>

namespace cutaway::runtime {
namespace {

using Kind = DeviceWork::Kind;

} // namespace

DevicePlanner::DevicePlanner(const Graph& graph, std::vector<codegen::CudaKernel>& kernels, std::vector<DeviceLaunch>& launches, const cuda::DeviceModel& device, int queues)
    : graph_(graph), kernels_(kernels), launches_(launches), device_(device), queues_(queues), read_by_host_(graph.value_bound(), false), written_by_host_(graph.value_bound(), false), is_param_(graph.value_bound(), false) {
  for (const NodeId p : graph.params())
    if (p) is_param_[graph.node(p).outputs[0].v] = true;
  for (const GraphOutput& o : graph.outputs()) read_by_host_[o.value.v] = true;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (launches[i].code) continue;
    for (const ValueId v : kernels[i].reads) read_by_host_[v.v] = true;
    for (const ValueId v : kernels[i].writes) written_by_host_[v.v] = true;
  }
}

void DevicePlanner::cut() {
  regions_.assign(1, {});
  for (uint32_t i = 0; i < kernels_.size(); ++i) {
    const bool on_host = !launches_[i].code;
    if (on_host && !regions_.back().works.empty()) regions_.emplace_back();
    DeviceRegion& r = regions_.back();
    if (on_host) r.host.push_back(i);
    else r.works.push_back({Kind::launch, i, {}});
  }
  std::vector<bool> on_device(graph_.value_bound(), false);
  for (DeviceRegion& r : regions_) add_copies(r, on_device);
}

// What the region reads and the host has goes in before the launches; what it makes and the host reads comes out after them.
void DevicePlanner::add_copies(DeviceRegion& region, std::vector<bool>& on_device) const {
  std::vector<DeviceWork> in, out;
  bool checks = false;
  for (const DeviceWork& w : region.works) {
    checks = checks || launches_[w.kernel].checks_indices;
    for (const ValueId v : kernels_[w.kernel].reads)
      if ((is_param_[v.v] || written_by_host_[v.v]) && !on_device[v.v] && graph_.type(v).bytes() > 0) on_device[v.v] = true, in.push_back({Kind::copy_in, 0, v});
    for (const ValueId v : kernels_[w.kernel].writes)
      if (read_by_host_[v.v] && graph_.type(v).bytes() > 0 && std::none_of(out.begin(), out.end(), [&](const DeviceWork& o) { return o.value == v; })) out.push_back({Kind::copy_out, 0, v});
  }
  if (checks) in.insert(in.begin(), DeviceWork{Kind::clear_flags, 0, {}}), out.push_back({Kind::read_flags, 0, {}});
  region.works.insert(region.works.begin(), in.begin(), in.end());
  region.works.insert(region.works.end(), out.begin(), out.end());
}

std::vector<std::vector<plan::Touch>> DevicePlanner::touches(const DeviceRegion& region, const Addresses& where) const {
  std::vector<std::vector<plan::Touch>> out;
  const auto flags = [&](uint32_t first, uint32_t last, bool write) { return plan::Touch{where.end() + first * sizeof(int), where.end() + last * sizeof(int), write}; };
  for (const DeviceWork& w : region.works) {
    auto& t = out.emplace_back();
    switch (w.kind) {
    case Kind::copy_in: t.push_back(where.of(w.value, true)); break;
    case Kind::copy_out: t.push_back(where.of(w.value, false)); break;
    case Kind::clear_flags: t.push_back(flags(region.first_kernel, region.last_kernel, true)); break;
    case Kind::read_flags: t.push_back(flags(region.first_kernel, region.last_kernel, false)); break;
    case Kind::launch:
      for (const ValueId v : kernels_[w.kernel].reads)
        if (graph_.producer(v).op != Op::constant) t.push_back(where.of(v, false));
      for (const ValueId v : kernels_[w.kernel].writes) t.push_back(where.of(v, true));
      if (launches_[w.kernel].checks_indices) t.push_back(flags(w.kernel, w.kernel + 1, true));
    }
  }
  return out;
}

plan::StreamTask DevicePlanner::cost(const DeviceWork& work) const {
  using plan::Resource;
  plan::StreamTask out;
  const auto share = [&](Resource r) -> double& { return out.share[static_cast<size_t>(r)]; };
  if (work.kind == Kind::launch) {
    const DeviceLaunch& l = launches_[work.kernel];
    const cuda::KernelModel model = cuda::model_kernel(device_, l.blocks(), static_cast<int>(l.threads), l.shared, l.bytes, l.flops);
    out.us = model.us;
    share(Resource::compute) = static_cast<double>(model.sms) / device_.sms;
    share(Resource::bandwidth) = model.bandwidth;
    const double held = l.bytes / static_cast<double>(device_.l2_bytes);
    if (held <= 1) share(Resource::cache) = held; // what streams through it keeps nothing there
  } else if (work.kind == Kind::clear_flags) {
    out.us = cuda::model_driver_kernel(device_, 0).us;
    share(Resource::compute) = 1. / device_.sms;
  } else {
    const bool in = work.kind == Kind::copy_in;
    out.us = cuda::model_copy_us(device_, work.is_copy() ? static_cast<double>(graph_.type(work.value).bytes()) : 0);
    share(in ? Resource::copy_in : Resource::copy_out) = 1;
  }
  out.us += device_.graph_node_gap_us;
  return out;
}

plan::StreamProblem DevicePlanner::problem_of(const DeviceRegion& region, const Addresses& where) const {
  plan::StreamProblem out;
  out.queues = queues_;
  out.event_us = device_.graph_node_gap_us;
  for (const DeviceWork& w : region.works) out.tasks.push_back(cost(w));
  auto after = plan::hazards(touches(region, where));
  for (size_t i = 0; i < after.size(); ++i) out.tasks[i].after = std::move(after[i]);
  return out;
}

// Kernels as they are run, on the host or submitted.
void DevicePlanner::reorder() {
  std::vector<codegen::CudaKernel> kernels;
  std::vector<DeviceLaunch> launches;
  const auto take = [&](uint32_t& k) {
    kernels.push_back(std::move(kernels_[k])), launches.push_back(std::move(launches_[k]));
    k = static_cast<uint32_t>(kernels.size() - 1);
  };
  for (DeviceRegion& r : regions_) {
    for (uint32_t& k : r.host) take(k);
    for (DeviceWork& w : r.works)
      if (w.kind == Kind::launch) take(w.kernel);
  }
  kernels_ = std::move(kernels), launches_ = std::move(launches);
}

std::vector<DeviceRegion> DevicePlanner::regions() {
  cut();
  uint32_t kernel = 0;
  const Addresses apart(graph_, nullptr);
  for (DeviceRegion& r : regions_) {
    r.first_kernel = kernel + static_cast<uint32_t>(r.host.size());
    r.last_kernel = r.first_kernel + static_cast<uint32_t>(std::count_if(r.works.begin(), r.works.end(), [](const DeviceWork& w) { return w.kind == Kind::launch; }));
    kernel = r.last_kernel;
    r.streams = plan::plan_streams(problem_of(r, apart));
    r.works = plan::renumber(r.streams, r.works);
  }
  reorder();
  return std::move(regions_);
}

std::vector<plan::StreamOrder::Span> DevicePlanner::beside(const std::vector<DeviceRegion>& regions, size_t kernels) {
  std::vector<plan::StreamOrder::Span> out(kernels);
  for (uint32_t k = 0; k < kernels; ++k) out[k] = {k, k};
  for (const DeviceRegion& r : regions) {
    const plan::StreamOrder order(r.streams.schedule, r.streams.events);
    for (uint32_t i = 0; i < r.works.size(); ++i) {
      if (r.works[i].kind != Kind::launch) continue;
      const auto span = order.beside(i);
      auto& own = out[r.works[i].kernel];
      for (uint32_t j = span.first; j <= span.last; ++j)
        if (r.works[j].kind == Kind::launch) own.first = std::min(own.first, r.works[j].kernel), own.last = std::max(own.last, r.works[j].kernel);
    }
  }
  return out;
}

void DevicePlanner::order_reuse(std::vector<DeviceRegion>& regions, const plan::MemoryPlan& memory) const {
  const Addresses where(graph_, &memory);
  for (DeviceRegion& r : regions) {
    r.streams = plan::replan_events(problem_of(r, where), std::move(r.streams));
    CUTAWAY_CHECK(std::is_sorted(r.streams.schedule.order.begin(), r.streams.schedule.order.end()), "works are not in the order of their submission");
  }
}

void DevicePlanner::wire(std::vector<DeviceRegion>& regions) {
  for (DeviceRegion& r : regions) {
    const auto& queue = r.streams.schedule.queue;
    const plan::StreamOrder order(r.streams.schedule, r.streams.events);
    Wiring w{std::vector<int>(r.works.size(), -1), std::vector<std::vector<uint32_t>>(r.works.size()), std::vector<bool>(r.streams.queues, false), std::vector<int>(r.streams.queues, -1), 0};
    const auto record = [&](uint32_t work) {
      if (w.records[work] < 0) w.records[work] = w.events++;
    };
    for (const plan::StreamEvent& e : r.streams.events) record(e.from), w.waits[e.to].push_back(e.from);
    std::vector<int> last(r.streams.queues, -1);
    for (uint32_t i = 0; i < r.works.size(); ++i) {
      if (last[queue[i]] < 0 && queue[i] > 0) w.forks[queue[i]] = w.waits[i].empty();
      last[queue[i]] = static_cast<int>(i);
    }
    for (uint32_t q = 1; q < r.streams.queues; ++q)
      if (!order.before(static_cast<uint32_t>(last[q]), static_cast<uint32_t>(last[0]))) record(static_cast<uint32_t>(last[q])), w.joins[q] = last[q];
    r.wiring = std::move(w);
  }
}

std::string DevicePlanner::find_race(const std::vector<DeviceRegion>& regions, const plan::MemoryPlan& memory) const {
  const Addresses where(graph_, &memory);
  for (const DeviceRegion& r : regions)
    if (const auto race = plan::find_race(touches(r, where), r.streams.schedule, r.streams.events))
      return "works " + std::to_string(race->a) + " and " + std::to_string(race->b) + " of a region both touch byte " + std::to_string(race->byte);
  return {};
}

} // namespace cutaway::runtime
