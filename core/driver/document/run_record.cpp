#include "driver/document/run_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace cutaway::driver {

Result<RunRecord> measure(Session& session, const Feeds& feeds, bool drift, const std::atomic<bool>* cancel) {
  RunRecord out;
  if (drift) {
    auto measured = measure_drift(session, feeds, cancel);
    if (!measured) return measured.error();
    out.drift = std::move(*measured);
  } else if (auto ran = session.run(feeds, Mode::compiled, nullptr, {cancel, {}}); !ran) {
    return ran.error();
  }
  if (session.last_segments().empty()) return out; // every output is a constant
  auto inputs = session.first_inputs(feeds);
  if (!inputs) return inputs.error();
  const runtime::Executable& e = *session.last_segments()[0]->executable;
  auto made = e.make_context(session.compiler().pool());
  if (!made) return made.error();
  const auto& context = *made;
  for (const bool clock : {false, true}) { // the first run warms the caches
    if (cancel && cancel->load()) return over_limit("", "cancelled");
    context->profile = clock;
    if (auto ran = e.run(*inputs, *context); !ran) return ran.error();
  }
  out.profile = std::move(context->measured);
  return out;
}

namespace {

using trace::LaneKind;
using trace::RunForm;
using trace::TimelineRun;

// Turns one timing into lanes, spans and flows.
class RunMaker {
 public:
  RunMaker(const std::vector<KernelLook>& kernels, const std::function<std::string(ValueId)>& value_name) : kernels_(kernels), value_name_(value_name), first_(kernels.size(), none) {}

  TimelineRun make(const runtime::Timing& timing, RunForm form, bool modelled, const std::vector<runtime::RunProfile::Flow>& events) {
    run_.form = form, run_.modelled = modelled, run_.duration_us = timing.duration_us;
    const bool host = !timing.calls.empty(), whole = form == RunForm::replayed;
    if (host) run_.lanes.push_back({"host", LaneKind::host});
    for (size_t i = 0; i < timing.calls.size(); ++i) {
      if (whole) add(0, timing.calls[i], "graph launch", entity(LaunchId(static_cast<uint32_t>(i))), 0);
      else add(0, timing.calls[i], kernels_[i].name, kernels_[i].entity, kernels_[i].category);
    }
    for (const runtime::Timing::Lane& lane : timing.lanes) work(lane);
    if (host && form != RunForm::plain) launches(timing.calls.size(), whole);
    for (const auto& e : events)
      if (first_[e.from] != none && first_[e.to] != none) run_.flows.push_back({first_[e.from], first_[e.to]});
    return std::move(run_);
  }

 private:
  static constexpr int64_t none = -1;

  void add(size_t lane, const runtime::Timing::Span& s, const std::string& name, Entity entity, uint8_t category) {
    run_.spans.push_back({static_cast<int64_t>(lane), s.start_us, s.duration_us, name, entity, category});
  }
  void work(const runtime::Timing::Lane& lane) {
    const size_t at = run_.lanes.size();
    run_.lanes.push_back({lane.name, lane.name.starts_with("copy") ? LaneKind::copy : LaneKind::work});
    for (const runtime::Timing::Busy& busy : lane.busy) {
      const auto span = static_cast<int64_t>(run_.spans.size());
      if (busy.value) {
        add(at, busy, value_name_(busy.value), entity(busy.value), 0);
      } else {
        if (first_[busy.launch] == none) first_[busy.launch] = span;
        add(at, busy, kernels_[busy.launch].name, kernels_[busy.launch].entity, kernels_[busy.launch].category);
      }
    }
  }
  // A replayed call starts many at once: what begins first before the next call is what it is seen to start.
  void launches(size_t calls, bool whole) {
    for (size_t i = 0; i < calls; ++i) {
      const auto call = static_cast<int64_t>(i);
      const int64_t started = whole ? earliest(at(call).start_us, i + 1 < calls ? at(call + 1).start_us : std::numeric_limits<double>::infinity()) : first_[i];
      if (started != none) run_.flows.push_back({call, started});
    }
  }
  int64_t earliest(double from_us, double to_us) const {
    int64_t found = none;
    for (const int64_t span : first_)
      if (span != none && at(span).start_us >= from_us && at(span).start_us < to_us && (found == none || at(span).start_us < at(found).start_us)) found = span;
    return found;
  }
  const TimelineRun::Span& at(int64_t span) const { return run_.spans[static_cast<size_t>(span)]; }

  const std::vector<KernelLook>& kernels_;
  const std::function<std::string(ValueId)>& value_name_;
  std::vector<int64_t> first_; // by launch: its span
  TimelineRun run_;
};

} // namespace

trace::TimelinePanel timeline_panel(const runtime::RunProfile& profile, const std::vector<KernelLook>& kernels, const std::function<std::string(ValueId)>& value_name) {
  trace::TimelinePanel out;
  const auto add = [&](const runtime::Timing& timing, RunForm form, bool modelled) { out.runs.push_back(RunMaker(kernels, value_name).make(timing, form, modelled, profile.flows)); };
  const bool ran = !profile.lanes.empty();
  out.name = ran ? "one run" : "plan";
  if (ran) add(profile, profile.device ? RunForm::one_by_one : RunForm::plain, profile.modelled);
  if (profile.replayed) add(*profile.replayed, RunForm::replayed, profile.modelled);
  if (profile.planned) add(*profile.planned, RunForm::planned, true);
  return out;
}

trace::SeriesPanel drift_panel(const Drift& drift, const std::function<std::string(NodeId)>& node_name) {
  trace::SeriesPanel out;
  out.name = "drift from float64";
  out.unit = "ulp";
  out.limit = 2;
  out.curves = {{"eager", {}}, {"compiled", {}}};
  for (const Drift::Place& p : drift.places) {
    out.places.push_back(node_name(p.producer));
    out.entities.push_back(entity(p.producer));
    out.curves[0].y.push_back(p.eager_ulp);
    out.curves[1].y.push_back(p.compiled_ulp);
  }
  return out;
}

const Drift::Place* culprit(const Drift& drift) {
  const auto found = std::find_if(drift.places.begin(), drift.places.end(), [](const auto& p) { return p.compiled_ulp > drift_limit(p.eager_ulp); });
  return found == drift.places.end() ? nullptr : &*found;
}

const Drift::Place* worst(const Drift& drift) {
  const auto found = std::max_element(drift.places.begin(), drift.places.end(), [](const auto& a, const auto& b) { return a.compiled_ulp < b.compiled_ulp; });
  return found == drift.places.end() ? nullptr : &*found;
}

std::string duration_text(double us) {
  static constexpr std::pair<double, const char*> units[] = {{1e6, "s"}, {1e3, "ms"}, {1, "µs"}};
  for (const auto& [size, unit] : units)
    if (us >= size * .9995 || size == 1) {
      const double v = us / size;
      return fmt::format("{:.{}f} {}", v, v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, unit);
    }
  return {};
}

} // namespace cutaway::driver
