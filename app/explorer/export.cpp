#include "explorer/export.h"

#include "cli/verbs.h"
#include "driver/document/packing.h"
#include "driver/document/study.h"
#include "driver/document/texts.h"
#include "explorer/export_range.h"
#include "explorer/write_view.h"
#include "kit/sequence.h"
#include "place/reading.h"
#include "registry.h"
#include "source/source_figure.h"
#include "timeline/runs.h"
#include "trace/chrome/chrome_trace.h"
#include "trace/saved.h"

#include <QFileInfo>
#include <QGuiApplication>

#include <algorithm>

namespace cutaway::explorer {
namespace {

struct ExportOptions : cli::ModelOptions {
  std::string view, as, theme = "light", out, steps, size;
  int64_t step = -1;
  int width = 0;
  // The view whose run the picture reads.
  std::string reads() const { return as == "drift" ? "drift" : view; }
};

// What the options say, checked before anything is compiled.
struct Wanted {
  const views::ViewRow* view = nullptr;
  const views::ViewMode* mode = nullptr;
  QString out;
  bool trace = false;              // the timeline's spans instead of a picture
  bool frames = false;             // several pictures, or a form that always holds frames
  std::optional<StepRange> range; // left out: the one step
  QSizeF room{1080, 600};
};

// Views of a run: a model is measured first, a document must hold one.
bool shows_run(const std::string& view) { return view == "timeline" || view == "drift"; }

bool holds_run(const trace::Trace& t, const std::string& view) {
  if (view == "drift") return t.panel<trace::SeriesPanel>(0) != nullptr;
  return std::any_of(t.panels().begin(), t.panels().end(), [](const trace::Panel& p) {
    const auto* timeline = std::get_if<trace::TimelinePanel>(&p);
    return timeline && std::any_of(timeline->runs.begin(), timeline->runs.end(), [](const auto& r) { return r.form != trace::RunForm::planned; });
  });
}

Result<trace::Document> saved_document(const ExportOptions& o) {
  auto document = trace::read_saved(o.file);
  if (!document || !shows_run(o.reads())) return document;
  const auto& traces = document->traces;
  if (std::none_of(traces.begin(), traces.end(), [&](const auto& t) { return holds_run(*t, o.reads()); }))
    return unsupported("--view " + o.view, "the document holds no run", "draw it from the model: it is run first");
  return document;
}

// `session`: what compiled it; null where it was saved.
Result<trace::Document> document_of(const ExportOptions& o, std::unique_ptr<driver::Session>& session) {
  if (trace::is_saved(o.file)) return saved_document(o);
  if (driver::is_packing(o.file)) {
    auto options = o.session();
    if (!options) return options.error();
    return driver::packing_document(o.file, options->settings.memory_strategy);
  }
  driver::Feeds feeds;
  if (Status s = o.open(session, feeds, true); !s) return s.error();
  const auto what = o.reads() == "drift" ? driver::Measure::drift : shows_run(o.reads()) ? driver::Measure::profile : driver::Measure::nothing;
  auto made = driver::study(*session, feeds, o.file, what);
  if (!made) return made.error();
  if (shows_run(o.reads()) && !made->info.breaks.empty()) cli::print_notes(o.file, {"breaks cut the model: its first segment was measured"});
  return std::move(made->document);
}

size_t segment_for(const trace::Document& d, const std::string& view) {
  if (!shows_run(view)) return views::mainSegment(d);
  for (size_t i = 0; i < d.traces.size(); ++i)
    if (holds_run(*d.traces[i], view)) return i;
  return 0;
}

views::Place place_of(trace::Document&& document, const std::string& view, int64_t step) {
  views::Place place;
  place.segment = segment_for(document, view);
  place.document = std::make_shared<trace::Document>(std::move(document));
  const size_t steps = place.trace() ? place.trace()->steps().size() : 0;
  if (steps) place.step = static_cast<uint32_t>(step < 0 ? steps - 1 : std::min<size_t>(static_cast<size_t>(step), steps - 1));
  return place;
}

Result<const views::ViewMode*> mode_of(const views::ViewRow& view, const std::string& id) {
  if (id.empty()) return &view.modes.front();
  if (const views::ViewMode* mode = view.modeNamed(QString::fromStdString(id))) return mode;
  const std::string where = "--as '" + id + "'", what = std::string("the view ") + view.id + " has no such mode";
  if (view.modes.size() < 2) return unsupported(where, what, "leave --as out: it has one");
  std::string known;
  for (const views::ViewMode& mode : view.modes) known += (known.empty() ? "" : ", ") + std::string(mode.id);
  return unsupported(where, what, "one of " + known);
}

// The assembly of a kernel is printed for the one that is shown; a saved document, and a build without the kernel compiler,
// have none.
void add_assembly(views::Place& place, const driver::Session& session) {
  const auto kernel = views::sourceKernel(place);
  if (!kernel) return;
  auto panel = driver::assembly_panel(session.compiler(), *place.trace(), *kernel);
  if (panel) place.asked.push_back(std::make_shared<const trace::TextPanel>(std::move(*panel)));
}

Result<Wanted> wanted(const ExportOptions& o) {
  Wanted out;
  out.view = views::viewNamed(QString::fromStdString(o.view));
  if (!out.view) {
    std::string known;
    for (const views::ViewRow& row : views::allViews()) known += (known.empty() ? "" : ", ") + std::string(row.id);
    return unsupported("--view '" + o.view + "'", "is not drawn in this version", "one of " + known);
  }
  const auto mode = mode_of(*out.view, o.as);
  if (!mode) return mode.error();
  out.mode = *mode;
  out.out = QString::fromStdString(o.out);
  const QString ending = QFileInfo(out.out).suffix().toLower();
  out.trace = ending == "json" && o.view == "timeline" && o.steps.empty();
  if (!out.trace && !QStringList{"svg", "pdf", "png", "html", "gif"}.contains(ending))
    return bad_input("-o '" + o.out + "'", "the name must end in .svg, .pdf or .png, for several steps in .pdf, .html or .gif, for the timeline as a trace in .json");
  const bool moving = ending == "html" || ending == "gif";
  if (!o.steps.empty() && o.step >= 0) return bad_input("--steps", "--step is given too", "give one of them");
  if (!o.steps.empty() && !moving && ending != "pdf") return bad_input("--steps", "a ." + ending.toStdString() + " file holds one step", "let the name after -o end in .pdf, .html or .gif, or use --step");
  if (ending == "gif" && !views::canWriteGif()) return unsupported("-o '" + o.out + "'", "this build has no giflib", "install libgif-dev and build again, or let the name end in .html or .pdf");
  out.frames = moving || !o.steps.empty();
  if (!o.steps.empty()) {
    auto range = parse_steps(o.steps);
    if (!range) return range.error();
    out.range = *range;
  }
  auto room = parse_room(o.size, o.width, out.room);
  if (!room) return room.error();
  out.room = *room;
  return out;
}

Status write(const ExportOptions& o, const Wanted& w, views::Place place, const views::Theme& theme) {
  uint32_t last = place.step;
  if (w.range) {
    auto steps = steps_within(*w.range, place.trace() ? place.trace()->steps().size() : 0);
    if (!steps) return steps.error();
    place.step = steps->first, last = steps->second;
  }
  QString why;
  const bool good = w.frames ? write_steps(w.out, place, last, *w.view, *w.mode, theme, w.room, &why) : write_step(w.out, place, *w.view, theme, w.mode->figure(place, theme, w.room), &why);
  if (!good) return bad_input("-o '" + o.out + "'", why.toStdString(), "check the folder, its rights and the ending");
  return {};
}

int write_trace(const ExportOptions& o, const views::Place& place) {
  const trace::TimelinePanel* panel = views::timelineAt(place);
  if (!panel) return cli::report(o.file, unsupported("--view timeline", "nothing has run", "give a model: it is run first"));
  if (Status s = trace::write_chrome_trace(o.out, *panel); !s) return cli::report("-o", s.error());
  return 0;
}

int run(const ExportOptions& o) {
  const auto w = wanted(o);
  if (!w) return cli::report(o.file, w.error());
  std::unique_ptr<driver::Session> session;
  auto document = document_of(o, session);
  if (!document) return cli::report(o.file, document.error());
  views::Place place = place_of(std::move(*document), o.reads(), o.step);
  if (w->trace) return write_trace(o, place);
  if (session && o.view == "source" && !w->range) add_assembly(place, *session);

  // Without a display, and without Qt's remarks on the surroundings (a missing XDG_RUNTIME_DIR).
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type == QtCriticalMsg || type == QtFatalMsg) std::fprintf(stderr, "cutaway: %s\n", qPrintable(text));
  });
  int count = 1;
  char name[] = "cutaway";
  char* arguments[] = {name, nullptr};
  const QGuiApplication gui(count, arguments);
  QString why;
  const auto theme = views::Theme::load(":/visual", QString::fromStdString(o.theme), &why);
  if (!theme) return cli::report("--theme", bad_input("'" + o.theme + "'", why.toStdString(), "one of light, dark, contrast, paper"));
  if (Status s = write(o, *w, place, *theme); !s) return cli::report(o.file, s.error());
  return 0;
}

} // namespace

void add_export(CLI::App& app, int& code) {
  auto o = std::make_shared<ExportOptions>();
  CLI::App* verb = app.add_subcommand("export", "draws a view of a model or a document as SVG, PDF or PNG, a range of steps as PDF, HTML or GIF");
  o->add_to(*verb);
  verb->add_option("--view", o->view, "graph, arena, layout, guards, tiles, timeline, drift or source")->required();
  verb->add_option("--as", o->as, "how: offsets, bytes or intervals of the arena; left out: the first");
  verb->add_option("--step", o->step, "the state after this step; left out: the end");
  verb->add_option("--steps", o->steps, "A..B, both drawn, or A.. to the end: pages of a .pdf, frames of an .html or a .gif");
  verb->add_option("--width", o->width, "width of the picture in px, where the view follows it; left out: 1080");
  verb->add_option("--size", o->size, "WIDTHxHEIGHT in px; left out: 1080x600");
  verb->add_option("--theme", o->theme, "light, dark, contrast or paper");
  verb->add_option("-o,--output", o->out, "a file that ends in .svg, .pdf, .png, .html or .gif; of the timeline in .json too, a Chrome trace")->required();
  verb->callback([o, &code] { code = run(*o); });
}

} // namespace cutaway::explorer
