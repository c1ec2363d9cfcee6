#include "runtime/cpu_queues.h"

#include "plan/streams/race_checker.h"

#include <algorithm>

namespace cutaway::runtime {
namespace {

// Kernels up to which stretches are looked for: it takes a bit for each two of them.
constexpr size_t most_kernels = 8192;

double bytes_of(const Graph& g, const codegen::GroupKernel& k) {
  double out = 0;
  for (const auto* list : {&k.reads, &k.writes})
    for (const ValueId v : *list) out += static_cast<double>(g.type(v).bytes());
  return out;
}

} // namespace

CpuQueues::CpuQueues(const Graph& graph, std::vector<codegen::Kernel>& kernels, int threads, int queues, const CpuMachine& machine)
    : graph_(graph), kernels_(kernels), threads_(threads), queues_(std::min(threads, queues)), machine_(machine) {}

double CpuQueues::us(const codegen::GroupKernel& kernel, int threads) const {
  const auto working = static_cast<double>(std::clamp<int64_t>(kernel.units, 1, threads));
  const double work = 1e6 * std::max(kernel.flops / (machine_.flops_per_s * working), bytes_of(graph_, kernel) / machine_.bytes_per_s);
  return machine_.launch_us + (threads > 1 && kernel.units > 1 ? machine_.barrier_us : 0) + work;
}

std::vector<std::vector<plan::Touch>> CpuQueues::touches(size_t first, size_t last, const Addresses& where) const {
  std::vector<std::vector<plan::Touch>> out;
  for (size_t k = first; k < last; ++k) {
    auto& t = out.emplace_back();
    for (const ValueId v : kernels_[k].reads)
      if (graph_.producer(v).op != Op::constant) t.push_back(where.of(v, false));
    for (const ValueId v : kernels_[k].writes) t.push_back(where.of(v, true));
  }
  return out;
}

// Each queue has its own threads; what they share is memory.
plan::StreamProblem CpuQueues::problem_of(size_t first, size_t last, const Addresses& where) const {
  plan::StreamProblem out;
  out.queues = queues_;
  out.event_us = machine_.barrier_us / 2;
  out.least_gain = 0; // of one queue with a part of the threads; what counts is asked later
  const auto after = plan::hazards(touches(first, last, where));
  for (size_t k = first; k < last; ++k) {
    plan::StreamTask task{us(kernels_[k], threads_ / queues_), {}, after[k - first]};
    task.share[static_cast<size_t>(plan::Resource::bandwidth)] = std::min(1., 1e6 * bytes_of(graph_, kernels_[k]) / machine_.bytes_per_s / task.us);
    out.tasks.push_back(std::move(task));
  }
  return out;
}

// Kernels that all others come before or after.
std::vector<bool> CpuQueues::joints() const {
  const size_t n = kernels_.size(), words = (n + 63) / 64;
  const auto after = plan::hazards(touches(0, n, Addresses(graph_, nullptr)));
  std::vector<uint64_t> past(n * words, 0);
  std::vector<size_t> before(n, 0), behind(n, 0);
  for (size_t k = 0; k < n; ++k) {
    for (const uint32_t f : after[k]) {
      for (size_t w = 0; w < words; ++w) past[k * words + w] |= past[f * words + w];
      past[k * words + f / 64] |= uint64_t{1} << (f % 64);
    }
    for (size_t f = 0; f < k; ++f)
      if (past[k * words + f / 64] >> (f % 64) & 1) ++before[k], ++behind[f];
  }
  std::vector<bool> out(n);
  for (size_t k = 0; k < n; ++k) out[k] = before[k] == k && behind[k] == n - 1 - k;
  return out;
}

bool CpuQueues::find() {
  const size_t n = kernels_.size();
  if (queues_ < 2 || n < 2 || n > most_kernels) return false;
  const Addresses apart(graph_, nullptr);
  const std::vector<bool> joint = joints();
  for (size_t first = 0, last = 0; first < n; first = last + 1) {
    for (last = first; last < n && !joint[last];) ++last;
    if (last - first < 2) continue;
    double whole = 0;
    for (size_t k = first; k < last; ++k) whole += us(kernels_[k], threads_);
    plan::StreamPlan streams = plan::plan_streams(problem_of(first, last, apart));
    if (streams.queues < 2 || streams.predicted.makespan_us + machine_.split_us > (1 - machine_.least_gain) * whole) continue;
    std::vector<uint32_t> order = streams.schedule.order;
    plan::number_as_submitted(streams);
    std::vector<codegen::Kernel> sorted;
    for (const uint32_t t : order) sorted.push_back(std::move(kernels_[first + t]));
    std::move(sorted.begin(), sorted.end(), kernels_.begin() + static_cast<std::ptrdiff_t>(first));
    streams.serial_us = whole;
    stretches_.push_back({static_cast<uint32_t>(first), std::move(streams)});
  }
  return !stretches_.empty();
}

std::vector<plan::StreamOrder::Span> CpuQueues::beside() const {
  std::vector<plan::StreamOrder::Span> out(kernels_.size());
  for (uint32_t k = 0; k < out.size(); ++k) out[k] = {k, k};
  for (const Stretch& s : stretches_) {
    const plan::StreamOrder order(s.streams.schedule, s.streams.events);
    for (uint32_t t = 0; t < s.streams.schedule.order.size(); ++t) {
      const auto span = order.beside(t);
      out[s.first + t] = {s.first + span.first, s.first + span.last};
    }
  }
  return out;
}

void CpuQueues::order_reuse(const plan::MemoryPlan& memory) {
  const Addresses where(graph_, &memory);
  for (Stretch& s : stretches_) {
    const double whole = s.streams.serial_us;
    const plan::StreamProblem problem = problem_of(s.first, s.first + s.streams.schedule.order.size(), where);
    s.streams = plan::replan_events(problem, std::move(s.streams));
    s.streams.serial_us = whole;
  }
  std::erase_if(stretches_, [&](const Stretch& s) { return s.streams.queues < 2 || s.streams.predicted.makespan_us + machine_.split_us > (1 - machine_.least_gain) * s.streams.serial_us; });
}

std::string CpuQueues::find_race(const plan::MemoryPlan& memory) const {
  const Addresses where(graph_, &memory);
  for (const Stretch& s : stretches_)
    if (const auto race = plan::find_race(touches(s.first, s.first + s.streams.schedule.order.size(), where), s.streams.schedule, s.streams.events))
      return "launches " + std::to_string(s.first + race->a) + " and " + std::to_string(s.first + race->b) + " both touch byte " + std::to_string(race->byte);
  return {};
}

QueuePlan CpuQueues::plan() const {
  QueuePlan out = QueuePlan::one(kernels_.size(), threads_);
  if (stretches_.empty()) return out;
  out.team_sizes.assign(static_cast<size_t>(queues_), threads_ / queues_);
  out.queue_of.assign(kernels_.size(), QueuePlan::everyone);
  for (const Stretch& s : stretches_) {
    for (size_t t = 0; t < s.streams.schedule.queue.size(); ++t) out.queue_of[s.first + t] = s.streams.schedule.queue[t];
    for (const plan::StreamEvent& e : s.streams.events) out.events.emplace_back(s.first + e.from, s.first + e.to);
  }
  return out;
}

} // namespace cutaway::runtime
