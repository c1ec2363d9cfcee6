#include "base/version.h"
#include "trace/chrome/chrome_trace.h"
#include "trace/chrome/events.h"
#include "trace/file/fields.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <limits>
#include <map>

namespace cutaway::trace {
namespace {

using chrome::Event;
using chrome::Events;

constexpr size_t most_levels = 32;

template <class E, size_t N> E word_of(const Text& text, const char* const (&words)[N], E standard) {
  for (size_t i = 0; i < N; ++i)
    if (text.view() == words[i]) return static_cast<E>(i);
  return standard;
}

// Makes runs of events. What another program wrote is one run, for all processes share its clock; what Cutaway wrote is a run a
// process. Spans within spans of a thread go one lane down.
class Maker {
 public:
  explicit Maker(Events events) : events_(std::move(events)) {}

  Result<TimelinePanel> make() {
    TimelinePanel out;
    out.name = "trace";
    if (Status s = pair_up(); !s) return s.error();
    sort_threads();
    for (const uint32_t t : order_) {
      TimelineRun& r = run_of(out, events_.threads[t].process);
      if (Status s = lanes(r, t); !s) return s.error();
    }
    for (const Event& e : events_.list) flow(out, e);
    for (size_t i = 0; i < out.runs.size(); ++i)
      if (!own_[i]) from_zero(out.runs[i]);
    return out;
  }

 private:
  struct Piece {
    double ts, dur;
    const Event* event;
  };
  struct Place {
    size_t run;
    int64_t span;
    double start, end;
  };

  // Complete events as they are; of begin and end the pair. What is never ended lasts until the last time of the file.
  Status pair_up() {
    pieces_.resize(events_.threads.size());
    std::vector<std::vector<const Event*>> marks(events_.threads.size()), open(events_.threads.size());
    double last = -std::numeric_limits<double>::infinity();
    for (const Event& e : events_.list) {
      last = std::max(last, e.ts + e.dur);
      if (e.phase == 'X') pieces_[e.thread].push_back({e.ts, e.dur, &e});
      if (e.phase == 'B' || e.phase == 'E') marks[e.thread].push_back(&e);
    }
    for (size_t t = 0; t < marks.size(); ++t) {
      std::stable_sort(marks[t].begin(), marks[t].end(), [](const Event* a, const Event* b) { return a->ts < b->ts; });
      for (const Event* e : marks[t]) {
        if (e->phase == 'B') {
          open[t].push_back(e);
        } else if (open[t].empty()) {
          return invalid_model("event " + std::to_string(e->number) + ": ph", "it ends what was not begun on thread " + events_.threads[t].thread.str(), "see Chrome's trace event format");
        } else {
          pieces_[t].push_back({open[t].back()->ts, e->ts - open[t].back()->ts, open[t].back()});
          open[t].pop_back();
        }
      }
      for (const Event* e : open[t]) pieces_[t].push_back({e->ts, last - e->ts, e});
    }
    return {};
  }

  // Processes in the order of the file, their threads together.
  void sort_threads() {
    std::map<Text, size_t> rank;
    for (const auto& t : events_.threads) rank.try_emplace(t.process, rank.size());
    for (uint32_t t = 0; t < events_.threads.size(); ++t) order_.push_back(t);
    std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return rank[events_.threads[a].process] < rank[events_.threads[b].process]; });
    placed_.resize(events_.threads.size());
  }

  const chrome::Process* process(const Text& pid) const {
    const auto found = events_.processes.find(pid);
    return found == events_.processes.end() ? nullptr : &found->second;
  }

  TimelineRun& run_of(TimelinePanel& panel, const Text& pid) {
    const chrome::Process* p = process(pid);
    const bool own = p && !p->form.empty();
    const auto [at, added] = runs_.try_emplace(own ? pid : Text(), panel.runs.size());
    if (added) {
      own_.push_back(own);
      TimelineRun& r = panel.runs.emplace_back();
      if (own) r.form = word_of(p->form, form_words, RunForm::plain), r.modelled = p->modelled, r.duration_us = p->duration_us;
    }
    now_ = at->second;
    return panel.runs[now_];
  }

  std::string lane_name(uint32_t t, size_t level) const {
    const chrome::Thread& thread = events_.threads[t];
    const chrome::Process* p = process(thread.process);
    if (level) return "level " + std::to_string(level + 1);
    const bool number = !thread.thread.empty() && std::isdigit(static_cast<unsigned char>(thread.thread.view()[0]));
    std::string name = !thread.name.empty() ? thread.name.str() : number ? "thread " + thread.thread.str() : thread.thread.str();
    if (p && p->form.empty() && !p->name.empty() && events_.processes.size() > 1) name = p->name.str() + ", " + name;
    return name;
  }

  Status lanes(TimelineRun& r, uint32_t t) {
    auto& pieces = pieces_[t];
    const bool own = own_[now_];
    // What Cutaway wrote keeps its order and its lanes, empty ones too.
    if (!own) std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.ts != b.ts ? a.ts < b.ts : a.dur > b.dur; });
    if (pieces.empty() && !own) return {};
    std::vector<int64_t> lane_at;
    std::vector<double> ends; // of the spans that enclose the present one
    for (const Piece& p : pieces) {
      while (!own && !ends.empty() && ends.back() <= p.ts) ends.pop_back();
      const size_t level = own ? 0 : std::min(ends.size(), most_levels - 1);
      if (!own) ends.push_back(p.ts + p.dur);
      if (ends.size() > 100'000) return over_limit("event " + std::to_string(p.event->number), "nested deeper than 100,000 on thread " + events_.threads[t].thread.str());
      while (lane_at.size() <= level) add_lane(r, t, lane_at);
      placed_[t].push_back({now_, static_cast<int64_t>(r.spans.size()), p.ts, p.ts + p.dur});
      r.spans.push_back({lane_at[level], p.ts, p.dur, p.event->name, entity_of(*p.event), category_of(*p.event)});
    }
    if (lane_at.empty()) add_lane(r, t, lane_at);
    std::stable_sort(placed_[t].begin(), placed_[t].end(), [](const Place& a, const Place& b) { return a.start < b.start; });
    if (r.lanes.size() > chrome_most_lanes) return over_limit("thread " + events_.threads[t].thread.str(), "more than " + std::to_string(chrome_most_lanes) + " lanes");
    return {};
  }
  void add_lane(TimelineRun& r, uint32_t t, std::vector<int64_t>& lane_at) {
    r.lanes.push_back({lane_name(t, lane_at.size()), word_of(events_.threads[t].kind, lane_words, LaneKind::work)});
    lane_at.push_back(static_cast<int64_t>(r.lanes.size()) - 1);
  }

  // Spans of one name stand for one thing, where the file does not say what.
  uint32_t number_of(const Text& name) { return names_.try_emplace(name, static_cast<uint32_t>(names_.size())).first->second; }
  Entity entity_of(const Event& e) {
    Entity out;
    return parse_entity_key(e.entity.str(), out) ? out : entity(LaunchId(number_of(e.name)));
  }
  uint8_t category_of(const Event& e) { return static_cast<uint8_t>(e.category >= 0 ? e.category : static_cast<int>(number_of(e.name) % 12)); }

  // A flow begins in the span that ends at its time or encloses it, and leads to the one that begins then or encloses it.
  const Place* span_at(uint32_t thread, double ts, bool from) const {
    const auto& places = placed_[thread];
    const auto after = from ? std::lower_bound(places.begin(), places.end(), ts, [](const Place& p, double at) { return p.start < at; })
                            : std::upper_bound(places.begin(), places.end(), ts, [](double at, const Place& p) { return at < p.start; });
    if (after != places.begin()) return &*std::prev(after);
    return after == places.end() ? nullptr : &*after;
  }
  void flow(TimelinePanel& panel, const Event& e) {
    if (e.phase != 's' && e.phase != 't' && e.phase != 'f') return;
    const Text& id = e.id;
    if (e.phase == 's') {
      if (const Place* p = span_at(e.thread, e.ts, true)) begun_[id] = *p;
      return;
    }
    const auto from = begun_.find(id);
    const Place* to = span_at(e.thread, e.ts, false);
    if (from == begun_.end() || !to) return;
    if (from->second.run == to->run && from->second.span != to->span) panel.runs[to->run].flows.push_back({from->second.span, to->span});
    if (e.phase == 't') from->second = *to;
  }

  static void from_zero(TimelineRun& r) {
    double first = std::numeric_limits<double>::infinity();
    for (const auto& s : r.spans) first = std::min(first, s.start_us);
    for (auto& s : r.spans) s.start_us -= first;
  }

  Events events_;
  std::vector<std::vector<Piece>> pieces_;      // by thread
  std::vector<std::vector<Place>> placed_;      // by thread, by their start
  std::vector<uint32_t> order_;                 // of threads
  std::map<Text, size_t> runs_;                 // by process; empty: what another program wrote
  std::vector<bool> own_;                       // by run: Cutaway wrote it
  size_t now_ = 0;                              // the run that is being made
  std::map<Text, uint32_t> names_;
  std::map<Text, Place> begun_; // by flow id
};

} // namespace

bool is_chrome_trace(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string head(65536, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(in.gcount()));
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || std::string_view(head).substr(begin).starts_with("{\"cutaway\"")) return false;
  if (head[begin] == '{') return head.find("\"traceEvents\"") != std::string::npos;
  return head[begin] == '[' && head.find("\"ph\"") != std::string::npos;
}

Result<TimelinePanel> read_chrome_trace(const std::string& path) {
  auto events = chrome::read_events(path);
  if (!events) return events.error();
  auto panel = Maker(std::move(*events)).make();
  if (!panel) return panel.error();
  if (std::all_of(panel->runs.begin(), panel->runs.end(), [](const TimelineRun& r) { return r.spans.empty(); }))
    return invalid_model("traceEvents", "it holds no span: no event of phase X, B or E", "record the trace again");
  return panel;
}

Document chrome_document(const std::string& name, TimelinePanel panel) {
  size_t spans = 0, lanes = 0;
  for (const TimelineRun& r : panel.runs) spans += r.spans.size(), lanes += r.lanes.size();
  Step step;
  step.phase = Phase::run;
  step.code = "trace";
  step.title = std::to_string(spans) + " spans on " + std::to_string(lanes) + " lanes";
  step.explanation = "A trace of another run, as its file has it. There is no graph to it.";
  step.panels = {0};
  Pass pass{"run", "what was recorded", Phase::run, 0, 1, -1};
  Document out;
  out.model = name, out.version = version;
  auto trace = std::make_shared<Trace>(GraphDoc(), std::vector{std::move(step)}, std::vector{std::move(pass)}, std::vector<Panel>{std::move(panel)});
  trace->name = name;
  out.traces.push_back(std::move(trace));
  return out;
}

} // namespace cutaway::trace
