#include "driver/document/make.h"

#include "base/version.h"
#include "driver/describe.h"
#include "driver/document/arena_panel.h"
#include "driver/document/mirror.h"
#include "driver/document/tables.h"
#include "driver/document/texts.h"
#include "driver/steps.h"
#include "passes/passes.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace cutaway::driver {
namespace {

using trace::Phase;

// Steps times nodes up to which the bytes alive are counted after every step; beyond, after every pass.
constexpr size_t live_budget = 40'000'000;

std::string counted(size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

class TraceMaker {
 public:
  TraceMaker(const CompiledSegment& segment, std::string name, std::vector<trace::TablePanel> tables)
      : segment_(segment), events_(segment.journal.events()), mirror_(Steps(segment.graph, events_).at(0)), name_(std::move(name)), tables_(std::move(tables)) {}

  std::shared_ptr<const trace::Trace> run(const RunRecord* record) {
    import_step();
    size_t done = 0;
    for (const PassRun& run : segment_.passes) {
      open_pass(run.name, summary_of(run.name), Phase::rewrite, run.ms);
      for (done = run.first_event; done < run.last_event; ++done) event_step(events_[done]);
      close_pass();
    }
    if (segment_.executable) {
      schedule();
      done = memory(done);
      plan_panel();
      done = other_events("streams", "runs at once what uses different things, with the fewest events", done);
      done = other_events("capture", "records what is launched, to be replayed as one submission", done);
      other_events("libraries", "gives plain products and convolutions to the vendor's libraries", done);
      codegen();
      tables();
      if (record && (record->profile || record->drift)) measured(*record);
    }
    auto trace = std::make_shared<trace::Trace>(std::move(first_), std::move(steps_), std::move(passes_), std::move(panels_));
    trace->name = name_;
    trace->steps_left_out = segment_.journal.dropped();
    return trace;
  }

 private:
  Namer namer() const {
    return [this](Entity e) { return mirror_.name(e); };
  }
  static std::string summary_of(const std::string& pass) {
    for (const passes::PassRow& row : passes::all_passes())
      if (pass == row.name) return row.summary;
    return {};
  }

  void open_pass(const std::string& name, const std::string& summary, Phase phase, double ms) {
    passes_.push_back({name, summary, phase, static_cast<uint32_t>(steps_.size()), 0, ms});
    mirror_.editor().erase_notes();
    peak_ = -1;
  }
  void close_pass() { passes_.back().last = static_cast<uint32_t>(steps_.size()); }

  trace::Step& add_step(const std::string& code, const std::string& title, const std::string& text) {
    trace::Step& s = steps_.emplace_back();
    s.id = static_cast<uint32_t>(steps_.size() - 1);
    s.pass = static_cast<uint32_t>(passes_.size() - 1);
    s.phase = passes_.back().phase;
    s.code = pool_(code), s.title = title, s.explanation = text;
    return s;
  }
  // Closes the step: what the graph became, and what it costs.
  void finish(trace::Step& s) {
    s.edits = mirror_.editor().take();
    s.after = mirror_.metrics();
    if (packed_ >= 0) {
      s.after.peak_bytes = packed_;
    } else {
      const bool changed = std::any_of(s.edits.begin(), s.edits.end(), [](const trace::Edit& e) { return !std::holds_alternative<trace::Change<trace::GraphNote>>(e); });
      if (peak_ < 0 || (changed && events_.size() * mirror_.graph().node_count() < live_budget)) peak_ = mirror_.live_peak();
      s.after.peak_bytes = peak_;
    }
  }

  void import_step() {
    open_pass("import", "reads the model into primitive ops", Phase::import, -1);
    const trace::Metrics m = mirror_.metrics();
    trace::Step& s = add_step("import", "The model as imported", fmt::format("{} primitive ops; every one remembers the model node it came from.", m.nodes));
    finish(s);
    s.edits.clear();
    first_ = mirror_.editor().graph();
    close_pass();
  }

  void event_step(const Event& event) {
    // Names are read before the change: what it removes still has one.
    const Described before = describe(event, namer());
    trace::Step& s = add_step(event.code, before.title, before.explanation);
    s.refused = event.refused;
    s.entities = event.entities;
    mirror_.replay(event);
    if (event.refused) add_note(s);
    finish(s);
  }

  void add_note(const trace::Step& s) {
    trace::GraphNote note;
    note.id = trace::NoteId(next_note_++);
    const std::string& code = s.code.str();
    note.kind = code.find("limit") != std::string::npos || code.find("budget") != std::string::npos ? trace::RefusalKind::over_limit : trace::RefusalKind::illegal;
    note.title = s.title, note.reason = s.explanation;
    note.entities = s.entities;
    mirror_.editor().set(std::move(note));
  }

  // The order in which kernels run, which the members of each follow.
  void schedule() {
    open_pass("schedule", "puts the kernels into a topological order", Phase::plan, -1);
    double at = 0;
    for (const codegen::GroupKernel& k : segment_.executable->kernels())
      for (NodeId n : k.nodes) {
        const double place = at++;
        mirror_.editor().node(n, [&](trace::GraphNode& node) { node.order = place; });
      }
    share_storage();
    trace::Step& s = add_step("scheduled", fmt::format("{} kernels in order", segment_.executable->launch_count()),
                              "A topological order of the kernels: each after those whose values it reads.");
    finish(s);
    close_pass();
  }

  // Views that move no bytes lie where their operand lies.
  void share_storage() {
    const Graph& g = mirror_.graph();
    const plan::Storage storage(g);
    for (const NodeId id : g.order())
      if (storage.is_alias(id)) {
        const std::string strides = strides_text(storage.access(g.node(id).outputs[0]).strides);
        mirror_.editor().value(g.node(id).outputs[0], [&](trace::GraphValue& value) { value.strides = strides; });
      }
  }

  // Returns where the events of another pass begin.
  size_t memory(size_t from) {
    const bool arena = !segment_.executable->memory().placements.empty();
    if (arena) panels_.push_back(arena_panel(mirror_, *segment_.executable));
    open_pass("memory", "packs the values between kernels into one arena", Phase::plan, -1);
    size_t i = from;
    for (; i < events_.size() && events_[i].pass == std::string_view("memory"); ++i) {
      const Event& event = events_[i];
      trace::Step& s = described_step(event);
      if (arena) s.panels.push_back(0);
      if (arena) tell_arena(std::get<trace::ArenaPanel>(panels_[0]), event, s.id);
      if (arena && event.code == "placed") place(event);
      finish(s);
    }
    close_pass();
    return i;
  }
  // A step that changes no graph.
  trace::Step& described_step(const Event& event) {
    const Described words = describe(event, [this](Entity e) { return mirror_.launch_name(e); });
    trace::Step& s = add_step(event.code, words.title, words.explanation);
    s.refused = event.refused;
    s.entities = event.entities;
    return s;
  }
  // Those of a pass that changes no graph; none where it wrote none.
  size_t other_events(const char* pass, const char* summary, size_t from) {
    size_t i = from;
    if (i == events_.size() || events_[i].pass != std::string_view(pass)) return i;
    open_pass(pass, summary, Phase::plan, -1);
    for (; i < events_.size() && events_[i].pass == std::string_view(pass); ++i) {
      trace::Step& s = described_step(events_[i]);
      if (plan_) s.panels.push_back(*plan_);
      finish(s);
    }
    close_pass();
    return i;
  }
  // What the plan of the streams promises; on the steps that tell of it.
  void plan_panel() {
    const auto planned = segment_.executable->planned();
    if (!planned) return;
    plan_ = static_cast<uint32_t>(panels_.size());
    panels_.push_back(timeline(*planned));
  }
  trace::TimelinePanel timeline(const runtime::RunProfile& profile) const {
    return timeline_panel(profile, kernel_looks(mirror_, segment_.executable->kernels()), [this](ValueId v) { return mirror_.name(entity(v)); });
  }
  void place(const Event& event) {
    const auto& buffer = std::get<trace::ArenaPanel>(panels_[0]).buffers[event.entities.back().id];
    packed_ = std::max(packed_, buffer.offset + buffer.bytes);
    for (const ValueId v : buffer.values) mirror_.editor().value(v, [&](trace::GraphValue& value) { value.buffer = buffer.id; });
  }

  void codegen() {
    open_pass("codegen", "prints each kernel as a loop nest and as source", Phase::codegen, segment_.executable->codegen_ms);
    for (const codegen::GroupKernel& k : segment_.executable->kernels()) {
      const std::string name = kernel_name(mirror_, k);
      const auto at = static_cast<uint32_t>(panels_.size());
      const Entity who = kernel_entity(k);
      const std::string nest = nest_text(mirror_, k);
      panels_.push_back(trace::TextPanel{name, "loop nest", who, nest, links_of(mirror_.graph(), k, nest)});
      if (!k.builtin()) panels_.push_back(trace::TextPanel{name, segment_.executable->language(), who, k.text, links_of(mirror_.graph(), k, k.text)});
      const std::string text = k.builtin() ? fmt::format("No printer knows {}: the reference evaluation runs it, on values in memory.", k.name)
                                           : fmt::format("{}: {} in one kernel, {} of work for the threads; it reads {} and writes {}.", k.name,
                                                         counted(k.nodes.size(), "op"), counted(static_cast<size_t>(k.units), "unit"), counted(k.reads.size(), "value"), k.writes.size());
      trace::Step& s = add_step(k.builtin() ? "builtin" : "printed", shortened(name + (k.builtin() ? " runs built in" : " becomes a loop nest"), 48), text);
      s.entities = {who};
      for (auto p = at; p < panels_.size(); ++p) s.panels.push_back(p);
      finish(s);
    }
    close_pass();
  }

  // After those of the compile's steps and before those of a run, so that a run moves none.
  void tables() {
    const auto& kernels = segment_.executable->kernels();
    for (trace::TablePanel& t : tables_) panels_.push_back(std::move(t));
    panels_.push_back(tiles_table(mirror_, kernels));
    panels_.push_back(ranking_table(mirror_, kernels));
    panels_.push_back(copies_table(mirror_));
  }

  void measured(const RunRecord& record) {
    open_pass("run", "measures one run, and how far its values drift", Phase::run, record.profile ? record.profile->duration_us / 1000 : -1);
    if (record.profile) profile_step(*record.profile);
    if (record.drift) drift_step(*record.drift);
    close_pass();
  }
  void profile_step(const runtime::RunProfile& profile) {
    const std::vector<KernelLook> looks = kernel_looks(mirror_, segment_.executable->kernels());
    size_t longest = 0;
    double busy = 0;
    std::vector<double> took(profile.calls.size(), 0);
    for (const auto& lane : profile.lanes)
      for (const auto& span : lane.busy)
        if (!span.value) busy += span.duration_us, took[span.launch] = std::max(took[span.launch], span.duration_us);
    if (!took.empty()) longest = static_cast<size_t>(std::max_element(took.begin(), took.end()) - took.begin());
    std::string text = "Nothing was launched.";
    if (!profile.calls.empty())
      text = fmt::format("After one run to warm up. {} takes longest: {}. The {} busy for {:.0f} % of the time{}.", shortened(looks[longest].name, 80),
                         duration_text(took[longest]), profile.lanes.size() == 1 ? profile.lanes[0].name + " was" : fmt::format("{} threads were", profile.lanes.size()),
                         100 * busy / std::max(profile.duration_us * static_cast<double>(profile.lanes.size()), 1e-9), profile.modelled ? "; all times are modelled" : "");
    trace::Step& s = add_step("measured", fmt::format("{} launches in {}{}", profile.calls.size(), duration_text(profile.duration_us), profile.modelled ? ", modelled" : ""), text);
    if (!looks.empty()) s.entities = {looks[longest].entity};
    s.panels = {static_cast<uint32_t>(panels_.size())};
    panels_.push_back(timeline(profile));
    finish(s);
    if (!profile.replayed) return;
    // What a capture saves is seen in the run.
    for (const trace::Pass& pass : passes_)
      if (pass.name.view() == "capture")
        for (uint32_t i = pass.first; i < pass.last; ++i) steps_[i].panels = steps_.back().panels;
  }
  void drift_step(const Drift& drift) {
    const auto name = [&](NodeId n) { return mirror_.graph().alive(n) ? mirror_.name(n) : "op " + std::to_string(n.v); };
    const Drift::Place *guilty = culprit(drift), *far = guilty ? guilty : worst(drift);
    std::string title = "No value to compare", text = "No kernel writes a value that the imported graph has too.";
    if (far) {
      const trace::GraphNode* node = mirror_.editor().graph().nodes.find(far->producer);
      const std::string where = node && !node->scope.empty() ? "In " + shortened(node->scope.str(), 56) + ": " : "";
      const std::string numbers = fmt::format("{:.2f} ulp compiled, {:.2f} eager", far->compiled_ulp, far->eager_ulp);
      title = far->compiled_ulp == 0 ? "No compiled value drifts" : guilty ? shortened(name(far->producer), 24) + " is first over the limit" : shortened(name(far->producer), 26) + " drifts most, within limit";
      text = fmt::format("{}{}, in units of the last place of the largest element; the limit is {:.2f}. {} of {} values are bit-equal to eager.", where, numbers,
                         drift_limit(far->eager_ulp), std::count_if(drift.places.begin(), drift.places.end(), [](const auto& p) { return p.equal; }),
                         drift.places.size());
    }
    trace::Step& s = add_step("drift", title, text);
    if (far) s.entities = {entity(far->producer)};
    s.panels = {static_cast<uint32_t>(panels_.size())};
    panels_.push_back(drift_panel(drift, name));
    finish(s);
  }

  const CompiledSegment& segment_;
  const std::vector<Event>& events_;
  GraphMirror mirror_;
  std::string name_;
  std::vector<trace::TablePanel> tables_;
  trace::TextPool pool_;
  trace::GraphDoc first_;
  std::vector<trace::Step> steps_;
  std::vector<trace::Pass> passes_;
  std::vector<trace::Panel> panels_;
  uint32_t next_note_ = 0;
  std::optional<uint32_t> plan_; // the panel of the planned run
  int64_t peak_ = -1, packed_ = -1;
};

} // namespace

std::shared_ptr<const trace::Trace> make_trace(const CompiledSegment& segment, const std::string& name, std::vector<trace::TablePanel> tables, const RunRecord* record) {
  return TraceMaker(segment, name, std::move(tables)).run(record);
}

trace::TimelinePanel timeline_of(const CompiledSegment& segment, const runtime::RunProfile& profile) {
  const GraphMirror mirror(segment.graph);
  return timeline_panel(profile, kernel_looks(mirror, segment.executable->kernels()), [&](ValueId v) { return mirror.name(entity(v)); });
}

std::string model_title(const std::string& path) { return std::filesystem::path(path).filename().string(); }

trace::Document make_document(const Session& session, const RunInfo& info, const std::string& path, const RunRecord* record) {
  trace::Document out;
  out.model = model_title(path);
  out.device = session.options().device == "cpu" ? fmt::format("cpu, {} threads", session.options().threads) : session.options().device;
  out.version = version;
  const auto standard = Settings{}.list();
  for (const auto& [key, value] : session.options().settings.list())
    if (standard.at(key) != value) out.settings.push_back({key, value});
  for (const BreakInfo& b : info.breaks) out.breaks.push_back({b.node, b.cause, b.reason});
  const std::filesystem::path file(path);
  // "resnet50/model.onnx" says more by its folder.
  const std::string stem = (file.stem() == "model" && file.has_parent_path() ? file.parent_path().filename() : file.stem()).string();
  for (size_t i = 0; i < session.last_segments().size(); ++i) {
    const CompiledSegment& segment = *session.last_segments()[i];
    std::vector<trace::TablePanel> tables;
    if (i < session.last_variants().size()) tables = {guards_table(session.model(), session.last_variants()[i], segment.graph), variants_table(session.last_variants()[i])};
    out.traces.push_back(make_trace(segment, i == 0 ? stem : fmt::format("{}, part {}", stem, i + 1), std::move(tables), record && record->segment == i ? record : nullptr));
  }
  return out;
}

} // namespace cutaway::driver
