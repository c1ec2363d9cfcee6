#include "runtime/cuda/clock.h"

#include "backend/cuda/sim/sim.h"
#include "base/clock.h"

#include <algorithm>

namespace cutaway::runtime {
namespace {

using Kind = DeviceWork::Kind;

constexpr const char* copies_in = "copy to device";
constexpr const char* copies_out = "copy to host";

Timing empty(const CudaProgram& program) {
  Timing out;
  for (uint32_t q = 0; q < program.queues; ++q) out.lanes.push_back({"stream " + std::to_string(q), {}});
  out.lanes.push_back({copies_in, {}});
  out.lanes.push_back({copies_out, {}});
  return out;
}

Timing::Lane& lane_of(const CudaProgram& program, Timing& out, size_t region, uint32_t work) {
  const DeviceRegion& r = program.regions[region];
  const Kind kind = r.works[work].kind;
  return out.lanes[kind == Kind::copy_in ? program.queues : kind == Kind::copy_out || kind == Kind::read_flags ? program.queues + 1 : r.streams.schedule.queue[work]];
}

// Flags are cleared and read beside what people look for.
void add(Timing::Lane& lane, const DeviceWork& work, double start_us, double end_us) {
  if (work.kind == Kind::launch || work.is_copy()) lane.busy.push_back({{start_us, end_us - start_us}, work.kernel, work.value});
}

void close(Timing& out) {
  std::erase_if(out.lanes, [](const Timing::Lane& l) { return l.busy.empty(); });
  for (Timing::Lane& lane : out.lanes) {
    std::sort(lane.busy.begin(), lane.busy.end(), [](const auto& a, const auto& b) { return a.start_us < b.start_us; });
    for (const Timing::Busy& busy : lane.busy) out.duration_us = std::max(out.duration_us, busy.end_us());
  }
  for (const Timing::Span& call : out.calls) out.duration_us = std::max(out.duration_us, call.end_us());
}

// Events between launches of different streams.
std::vector<RunProfile::Flow> flows_of(const CudaProgram& program) {
  std::vector<RunProfile::Flow> out;
  for (const DeviceRegion& r : program.regions)
    for (const plan::StreamEvent& e : r.streams.events)
      if (r.works[e.from].kind == Kind::launch && r.works[e.to].kind == Kind::launch) out.push_back({r.works[e.from].kernel, r.works[e.to].kernel});
  return out;
}

} // namespace

RunProfile planned_run(const CudaProgram& program) {
  RunProfile out;
  out.modelled = out.device = true;
  out.flows = flows_of(program);
  Timing& planned = out.planned.emplace(empty(program));
  double from = 0;
  for (size_t r = 0; r < program.regions.size(); ++r) {
    const plan::Prediction& predicted = program.regions[r].streams.predicted;
    for (uint32_t i = 0; i < predicted.spans.size(); ++i)
      add(lane_of(program, planned, r, i), program.regions[r].works[i], from + predicted.spans[i].start_us, from + predicted.spans[i].end_us);
    from += predicted.makespan_us;
  }
  close(planned);
  return out;
}

CudaClock::CudaClock(const CudaProgram& program, CudaContext& context) : program_(program), context_(context), start_us_(now_us()), host_(program.launches.size()) {
  if (program.device->modelled()) {
    modelled_before_ = cuda::sim::timeline().size();
    return;
  }
  size_t works = 0;
  for (const DeviceRegion& r : program.regions) works += r.works.size();
  events_.assign(2 * works, nullptr);
  for (cuda::CUevent& e : events_) keep(program.device->api().cuEventCreate(&e, 0), "cuEventCreate");
}

CudaClock::~CudaClock() {
  for (const cuda::CUevent e : events_)
    if (e) program_.device->api().cuEventDestroy(e);
}

void CudaClock::keep(cuda::CUresult code, const char* call) {
  if (fault_) fault_ = program_.device->check(code, "profile", call);
}
void CudaClock::record(size_t event, cuda::CUstream stream) {
  if (event < events_.size() && fault_) keep(program_.device->api().cuEventRecord(events_[event], stream), "cuEventRecord");
}

void CudaClock::start(size_t region, uint32_t work, cuda::CUstream stream) {
  record(2 * marks_.size(), stream);
  marks_.push_back({region, work, now_us() - start_us_, 0});
}
void CudaClock::stop(cuda::CUstream stream) {
  marks_.back().end_us = now_us() - start_us_;
  record(2 * marks_.size() - 1, stream);
}
void CudaClock::start_replay(cuda::CUstream stream) {
  record(0, stream);
  replay_us_ = now_us() - start_us_;
}
void CudaClock::stop_replay(cuda::CUstream stream) { record(1, stream); }
void CudaClock::start_call() { replay_calls_.push_back({now_us() - start_us_ - replay_us_, 0}); }
void CudaClock::stop_call() { replay_calls_.back().duration_us = now_us() - start_us_ - replay_us_ - replay_calls_.back().start_us; }
void CudaClock::host_start(uint32_t kernel) { host_[kernel].start_us = now_us() - start_us_; }
void CudaClock::host_stop(uint32_t kernel) { host_[kernel].duration_us = now_us() - start_us_ - host_[kernel].start_us; }

Status CudaClock::read(RunProfile& out) const {
  static_cast<Timing&>(out) = empty(program_);
  out.calls = host_;
  out.modelled = program_.device->modelled();
  out.device = true;
  out.flows = flows_of(program_);
  if (out.modelled) read_model(out);
  else if (Status s = read_events(out); !s) return s;
  close(out);
  out.planned = planned_run(program_).planned;
  return {};
}

// A device's clock knows nothing of the host's: its first event is taken to be when the first call ended.
Status CudaClock::read_events(RunProfile& out) const {
  if (!fault_) return fault_;
  const double first = marks_.empty() ? 0 : marks_[0].end_us;
  for (size_t i = 0; i < marks_.size(); ++i) {
    const DeviceWork& work = program_.regions[marks_[i].region].works[marks_[i].work];
    float begin = 0, end = 0;
    for (const auto& [ms, event] : {std::pair{&begin, 2 * i}, {&end, 2 * i + 1}})
      if (Status s = program_.device->check(program_.device->api().cuEventElapsedTime(ms, events_[0], events_[event]), "profile", "cuEventElapsedTime"); !s) return s;
    add(lane_of(program_, out, marks_[i].region, marks_[i].work), work, first + begin * 1e3, first + end * 1e3);
    if (work.kind == Kind::launch) out.calls[work.kernel] = {marks_[i].begin_us, marks_[i].end_us - marks_[i].begin_us};
  }
  return {};
}

// The record has a call and what it started for each work, in the order of submission.
void CudaClock::read_model(RunProfile& out) const {
  const std::vector<cuda::sim::Span> spans = cuda::sim::timeline();
  size_t call = 0, work = 0;
  double zero = -1;
  std::vector<double> done(program_.regions.size(), 0); // by region
  for (size_t i = std::min(modelled_before_, spans.size()); i < spans.size(); ++i) {
    const cuda::sim::Span& s = spans[i];
    if (zero < 0) zero = s.begin_us;
    const bool host = s.unit == cuda::sim::Unit::host;
    size_t& at = host ? call : work;
    if (at >= marks_.size()) continue;
    const Mark& mark = marks_[at++];
    const DeviceWork& w = program_.regions[mark.region].works[mark.work];
    done[mark.region] = std::max(done[mark.region], s.end_us - zero);
    if (!host) add(lane_of(program_, out, mark.region, mark.work), w, s.begin_us - zero, s.end_us - zero);
    else if (w.kind == Kind::launch) out.calls[w.kernel] = {s.begin_us - zero, s.end_us - s.begin_us};
  }
  // The model has no time for what the host evaluates: it has its place, and takes none.
  double before = 0;
  for (size_t r = 0; r < program_.regions.size(); ++r) {
    for (const uint32_t k : program_.regions[r].host) out.calls[k] = {before, 0};
    before = std::max(before, done[r]);
  }
}

Status CudaClock::read_replay(Timing& out) const {
  out = empty(program_);
  if (!program_.device->modelled()) {
    if (!fault_) return fault_;
    float ms = 0;
    if (Status s = program_.device->check(program_.device->api().cuEventElapsedTime(&ms, events_[0], events_[1]), "profile", "cuEventElapsedTime"); !s) return s;
    out.lanes.clear();
    out.calls = replay_calls_;
    out.duration_us = ms * 1e3;
    for (const Timing::Span& call : out.calls) out.duration_us = std::max(out.duration_us, call.end_us());
    return {};
  }
  const std::vector<cuda::sim::Span> spans = cuda::sim::timeline();
  size_t region = 0;
  uint32_t work = 0;
  double zero = -1;
  for (size_t i = std::min(modelled_before_, spans.size()); i < spans.size(); ++i) {
    const cuda::sim::Span& s = spans[i];
    if (zero < 0) zero = s.begin_us;
    if (s.unit == cuda::sim::Unit::host) {
      out.calls.push_back({s.begin_us - zero, s.end_us - s.begin_us});
      continue;
    }
    while (region < program_.regions.size() && work == program_.regions[region].works.size()) ++region, work = 0;
    if (region == program_.regions.size()) break;
    add(lane_of(program_, out, region, work), program_.regions[region].works[work], s.begin_us - zero, s.end_us - zero);
    ++work;
  }
  close(out);
  return {};
}

} // namespace cutaway::runtime
