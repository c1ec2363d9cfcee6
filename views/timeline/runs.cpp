#include "timeline/runs.h"

#include "kit/numbers.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

using trace::LaneKind;
using trace::RunForm;

// How long at least one of some spans runs, each [start, end), sorted here.
double together(std::vector<std::pair<double, double>> spans) {
  std::sort(spans.begin(), spans.end());
  double busy = 0, until = 0;
  for (const auto& [start, end] : spans) {
    busy += std::max(0., end - std::max(start, until));
    until = std::max(until, end);
  }
  return busy;
}

// The gap from one span to the next of its lane that half of them stay under.
double middleGap(const ShownRun& r) {
  std::vector<double> gaps;
  for (size_t lane = 0; lane < r.lanes.size(); ++lane) {
    if (r.kind(lane) != LaneKind::work) continue;
    for (size_t i = 1; i < r.lanes[lane].size(); ++i) {
      const auto &a = r.span(r.lanes[lane][i - 1]), &b = r.span(r.lanes[lane][i]);
      gaps.push_back(std::max(0., b.start_us - a.start_us - a.duration_us));
    }
  }
  if (gaps.empty()) return -1;
  std::nth_element(gaps.begin(), gaps.begin() + std::ptrdiff_t(gaps.size() / 2), gaps.end());
  return gaps[gaps.size() / 2];
}

QString counted(size_t n, const char* what) { return QString("%1 %2%3").arg(number(double(n)), what, n == 1 ? "" : "s"); }
int percent(double part, double whole) { return int(std::lround(100 * part / std::max(whole, 1e-9))); }

QString callsText(const ShownRun& r) { return counted(r.calls, "driver call") + " of " + timeText(r.hostBusy / double(std::max<size_t>(1, r.calls))); }

QString oneByOne(const ShownRun& r, const std::vector<ShownRun>& all) {
  if (r.calls == 0) return {};
  // Where a run of fewer calls takes as long, calls were not what it waited for, however busy they keep the host.
  if (const ShownRun* replay = withForm(all, RunForm::replayed); replay && replay->end >= .98 * r.end) return callsText(r) + ", hidden behind kernels that take as long";
  const double host = r.hostBusy / std::max(r.end, 1e-9), device = r.deviceBusy / std::max(r.end, 1e-9);
  if (host >= .7 && host > device) return callsText(r) + ": the host is the bottleneck";
  if (device >= .7) return callsText(r) + ": the kernels are the bottleneck";
  return QString("%1; the device is busy for %2 % of the time").arg(callsText(r)).arg(percent(r.deviceBusy, r.end));
}

QString replayed(const ShownRun& r, const std::vector<ShownRun>& all) {
  const size_t streams = r.count(LaneKind::work);
  if (const ShownRun* one = withForm(all, RunForm::one_by_one); one && r.end >= one->end) return callsText(r) + ": the kernels take the time, so fewer calls save none";
  if (streams == 0) return callsText(r) + "; the device tells the time of the whole only";
  if (streams > 1) return QString("%1: %2 streams go on by themselves, by events").arg(callsText(r)).arg(streams);
  return callsText(r) + (r.gap < 0 ? QString() : r.gap < .0005 ? QString(": kernels follow each other at once") : ": kernels follow each other after " + timeText(r.gap));
}

QString planned(const ShownRun& r, const std::vector<ShownRun>& all) {
  const size_t streams = r.count(LaneKind::work);
  const QString in = streams == 1 ? QString("one stream") : counted(streams, "stream");
  const ShownRun* replay = withForm(all, RunForm::replayed);
  if (!replay || replay->calls != 1 || replay->end <= 0) return QString("predicted before anything ran: %1 in %2").arg(timeText(r.end), in);
  const double took = replay->end - replay->hostBusy, more = took / std::max(r.end, 1e-9) - 1;
  const QString met = std::abs(more) < .005 ? QString("just as long") : QString("%1 % %2").arg(std::abs(percent(more, 1))).arg(more > 0 ? "longer" : "shorter");
  return QString("predicted %1 in %2; the replay took %3 after its call, %4").arg(timeText(r.end), in, timeText(took), met);
}

QString plain(const ShownRun& r) {
  const uint32_t* longest = nullptr;
  bool threads = true;
  for (size_t lane = 0; lane < r.lanes.size(); ++lane) {
    if (r.host(lane)) continue;
    threads = threads && r.run->lanes[lane].name.view().starts_with("thread");
    for (const uint32_t& i : r.lanes[lane])
      if (!longest || r.span(i).duration_us > r.span(*longest).duration_us) longest = &i;
  }
  if (!longest) return {};
  const size_t lanes = r.lanes.size() - r.count(LaneKind::host);
  return QString("%1 busy for %2 %; %3 takes longest, %4").arg(counted(lanes, threads ? "thread" : "lane")).arg(percent(r.laneShare(), 1))
      .arg(qt(r.span(*longest).name), timeText(r.span(*longest).duration_us));
}

} // namespace

size_t ShownRun::count(LaneKind kind) const {
  return size_t(std::count_if(run->lanes.begin(), run->lanes.end(), [&](const auto& l) { return l.kind == kind; }));
}

double ShownRun::laneShare() const {
  double sum = 0;
  size_t lanes = 0;
  for (size_t lane = 0; lane < busy.size(); ++lane)
    if (!host(lane)) sum += busy[lane], ++lanes;
  return sum / std::max(end * double(std::max<size_t>(1, lanes)), 1e-9);
}

bool ShownRun::sound(const trace::TimelineRun::Span& s) const {
  return s.lane >= 0 && size_t(s.lane) < run->lanes.size() && s.start_us >= 0 && s.duration_us >= 0 && std::isfinite(s.start_us + s.duration_us);
}

const trace::TimelinePanel* timelineAt(const Place& place) {
  const trace::Trace* trace = place.trace();
  if (!trace) return nullptr;
  if (place.at())
    for (const uint32_t i : place.at()->panels)
      if (const auto* p = std::get_if<trace::TimelinePanel>(&trace->panels()[i])) return p;
  for (size_t i = trace->panels().size(); i-- > 0;)
    if (const auto* p = std::get_if<trace::TimelinePanel>(&trace->panels()[i])) return p;
  return nullptr;
}

ShownRun shownRun(const trace::TimelineRun& run) {
  ShownRun out;
  out.run = &run;
  out.lanes.resize(run.lanes.size());
  for (uint32_t i = 0; i < run.spans.size(); ++i) {
    const auto& s = run.spans[i];
    if (!out.sound(s)) continue;
    out.lanes[size_t(s.lane)].push_back(i);
    out.end = std::max(out.end, s.start_us + s.duration_us);
  }
  if (std::isfinite(run.duration_us)) out.end = std::max(out.end, run.duration_us);
  std::vector<std::pair<double, double>> device;
  for (size_t lane = 0; lane < out.lanes.size(); ++lane) {
    auto& spans = out.lanes[lane];
    std::stable_sort(spans.begin(), spans.end(), [&](uint32_t a, uint32_t b) { return run.spans[a].start_us < run.spans[b].start_us; });
    std::vector<std::pair<double, double>> times;
    for (const uint32_t i : spans) times.push_back({run.spans[i].start_us, run.spans[i].start_us + run.spans[i].duration_us});
    if (out.host(lane)) out.calls += spans.size();
    else device.insert(device.end(), times.begin(), times.end());
    out.busy.push_back(together(std::move(times)));
    if (out.host(lane)) out.hostBusy += out.busy.back();
  }
  out.deviceBusy = together(std::move(device));
  out.gap = middleGap(out);
  return out;
}

std::vector<ShownRun> shownRuns(const trace::TimelinePanel& panel) {
  std::vector<ShownRun> out;
  for (const trace::TimelineRun& run : panel.runs)
    if (ShownRun shown = shownRun(run); !run.lanes.empty()) out.push_back(std::move(shown));
  return out;
}

const ShownRun* withForm(const std::vector<ShownRun>& runs, RunForm form) {
  for (const ShownRun& r : runs)
    if (r.run->form == form) return &r;
  return nullptr;
}

QString formName(const ShownRun& run, bool brief) {
  switch (run.run->form) {
    case RunForm::one_by_one: return brief ? "One by one" : "Launched one by one";
    case RunForm::replayed: return "Replayed";
    case RunForm::planned: return "Planned";
    case RunForm::plain: break;
  }
  return brief ? "Run" : "One run";
}

QString formReason(const ShownRun& run, const std::vector<ShownRun>& all) {
  switch (run.run->form) {
    case RunForm::one_by_one: return oneByOne(run, all);
    case RunForm::replayed: return replayed(run, all);
    case RunForm::planned: return planned(run, all);
    case RunForm::plain: break;
  }
  return plain(run);
}

QString laneName(const ShownRun& run, size_t lane) {
  QString name = qt(run.run->lanes[lane].name);
  if (!name.isEmpty()) name[0] = name[0].toUpper();
  return name;
}

QString laneNote(const ShownRun& run, size_t lane) {
  if (run.host(lane)) return counted(run.lanes[lane].size(), "call");
  return run.lanes[lane].empty() ? QString("idle") : QString("%1 % busy").arg(percent(run.busy[lane], run.end));
}

QString withoutNumber(const QString& name) { return name.startsWith('K') && name.size() > 1 && name[1].isDigit() ? name.section(' ', 1) : name; }

} // namespace cutaway::views
