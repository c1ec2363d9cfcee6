#include "driver/document/run_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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

trace::TimelinePanel timeline_panel(const runtime::RunProfile& profile, const std::vector<KernelLook>& kernels) {
  trace::TimelinePanel out;
  out.name = "one run";
  out.modelled = profile.modelled;
  if (!profile.modelled) out.lanes.push_back("host"); // a model has no clock for it
  const size_t first = out.lanes.size();
  for (const auto& lane : profile.lanes) out.lanes.push_back(lane.name);
  const auto add = [&](size_t lane, const runtime::RunProfile::Span& s, size_t launch) {
    const KernelLook& k = kernels[launch];
    out.spans.push_back({static_cast<int64_t>(lane), s.start_us, s.duration_us, k.name, k.entity, k.category});
  };
  for (size_t i = 0; i < profile.calls.size() && first > 0; ++i) add(0, profile.calls[i], i);
  for (size_t t = 0; t < profile.lanes.size(); ++t)
    for (const auto& busy : profile.lanes[t].busy) add(first + t, busy, busy.launch);
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
