#pragma once
#include "driver/drift.h"
#include "trace/panels.h"

#include <functional>
#include <optional>

namespace cutaway::driver {

// What was measured on one segment of a document: the first, where breaks cut the model.
struct RunRecord {
  std::optional<runtime::RunProfile> profile;
  std::optional<Drift> drift;
  size_t segment = 0;
};

// Runs the session's model compiled, then the first segment once to warm up and once with the clock; with `drift` in all
// three modes as well. `limit` ("cancelled") soon after *cancel became true.
Result<RunRecord> measure(Session& session, const Feeds& feeds, bool drift, const std::atomic<bool>* cancel = nullptr);

// How documents speak of a kernel.
struct KernelLook {
  std::string name;
  Entity entity;
  uint8_t category = 0;
};
// The run as it was launched, replayed and planned, as far as the profile knows; a flow from each call to what it starts and
// one an event. `value_name`: how documents call a value that is copied.
trace::TimelinePanel timeline_panel(const runtime::RunProfile& profile, const std::vector<KernelLook>& kernels, const std::function<std::string(ValueId)>& value_name);
// `node_name`: how documents call a node of the compiled graph.
trace::SeriesPanel drift_panel(const Drift& drift, const std::function<std::string(NodeId)>& node_name);

// The first place that is over its limit; null: none is.
const Drift::Place* culprit(const Drift& drift);
// The place whose compiled value lies farthest from the oracle; null where there are none.
const Drift::Place* worst(const Drift& drift);

// "17.5 ms": three digits.
std::string duration_text(double us);

} // namespace cutaway::driver
