#pragma once
#include "trace/panels.h"

#include <QString>

#include <vector>

// What a timeline says of its runs, in numbers and sentences; nothing is drawn here.
namespace cutaway::views {

// A run with what of it can be drawn: spans of lanes that are there, at times on the clock. Times in microseconds.
struct ShownRun {
  const trace::TimelineRun* run = nullptr;
  std::vector<std::vector<uint32_t>> lanes; // by lane: its spans, by their start
  std::vector<double> busy;                 // by lane: at least one span runs
  double end = 0, hostBusy = 0, deviceBusy = 0; // deviceBusy: any lane runs that is no host's
  size_t calls = 0;                             // of the host
  double gap = -1; // from a kernel to the next of its lane, in the middle; negative: none follows another

  const trace::TimelineRun::Span& span(uint32_t i) const { return run->spans[i]; }
  trace::LaneKind kind(size_t lane) const { return run->lanes[lane].kind; }
  bool host(size_t lane) const { return kind(lane) == trace::LaneKind::host; }
  size_t count(trace::LaneKind kind) const; // of lanes
  double laneShare() const; // of the time that lanes which are no host's are busy, on average
  bool sound(const trace::TimelineRun::Span& s) const;
};

ShownRun shownRun(const trace::TimelineRun& run);
// Those that have lanes or an end, in the order of the panel.
std::vector<ShownRun> shownRuns(const trace::TimelinePanel& panel);
const ShownRun* withForm(const std::vector<ShownRun>& runs, trace::RunForm form); // null: none

// "Launched one by one"; `brief`: "One by one".
QString formName(const ShownRun& run, bool brief);
// Why a run takes as long as it does: "32 driver calls of 5.0 µs: the host is the bottleneck".
QString formReason(const ShownRun& run, const std::vector<ShownRun>& all);
// "Stream 0", and beneath it "39 % busy".
QString laneName(const ShownRun& run, size_t lane);
QString laneNote(const ShownRun& run, size_t lane);
// "conv3" of "K4 conv3".
QString withoutNumber(const QString& name);

} // namespace cutaway::views
