#include "explorer/export.h"

#include "cli/verbs.h"
#include "driver/document/make.h"
#include "registry.h"
#include "trace/file/document_file.h"

#include <QGuiApplication>

#include <algorithm>

namespace cutaway::explorer {
namespace {

struct ExportOptions : cli::ModelOptions {
  std::string view, theme = "light", out;
  int64_t step = -1;
};

// Views of a run: a model is measured first, a document must hold one.
bool shows_run(const std::string& view) { return view == "timeline" || view == "drift"; }

bool holds_run(const trace::Trace& t, const std::string& view) {
  return view == "drift" ? t.panel<trace::SeriesPanel>(0) != nullptr : t.panel<trace::TimelinePanel>(0) != nullptr;
}

Result<trace::Document> saved_document(const ExportOptions& o) {
  auto document = trace::read_document(o.file);
  if (!document || !shows_run(o.view)) return document;
  const auto& traces = document->traces;
  if (std::none_of(traces.begin(), traces.end(), [&](const auto& t) { return holds_run(*t, o.view); }))
    return unsupported("--view " + o.view, "the document holds no run", "draw it from the model: it is run first");
  return document;
}

Result<trace::Document> document_of(const ExportOptions& o) {
  if (trace::is_document(o.file)) return saved_document(o);
  std::unique_ptr<driver::Session> session;
  driver::Feeds feeds;
  if (Status s = o.open(session, feeds, true); !s) return s.error();
  driver::RunInfo info;
  if (auto ran = session->run(feeds, driver::Mode::compiled, &info); !ran) return ran.error();
  if (!shows_run(o.view)) return driver::make_document(*session, info, o.file);
  auto record = driver::measure(*session, feeds, o.view == "drift");
  if (!record) return record.error();
  if (!info.breaks.empty()) cli::print_notes(o.file, {"breaks cut the model: its first segment was measured"});
  return driver::make_document(*session, info, o.file, &*record);
}

// The segment with the largest arena: where a model was cut, the part that matters most.
size_t main_segment(const trace::Document& d) {
  size_t best = 0;
  int64_t most = -1;
  for (size_t i = 0; i < d.traces.size(); ++i) {
    const auto* arena = d.traces[i]->panel<trace::ArenaPanel>(0);
    if (arena && arena->peak > most) best = i, most = arena->peak;
  }
  return best;
}

size_t segment_for(const trace::Document& d, const std::string& view) {
  if (!shows_run(view)) return main_segment(d);
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

int run(const ExportOptions& o) {
  const views::ViewRow* view = views::viewNamed(QString::fromStdString(o.view));
  if (!view) {
    std::string known;
    for (const views::ViewRow& row : views::allViews()) known += (known.empty() ? "" : ", ") + std::string(row.id);
    return cli::report("--view", unsupported("'" + o.view + "'", "is not drawn in this version", "one of " + known));
  }
  auto document = document_of(o);
  if (!document) return cli::report(o.file, document.error());
  const views::Place place = place_of(std::move(*document), o.view, o.step);

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
  if (!views::writeFigure(QString::fromStdString(o.out), *theme, view->figure(place, *theme, QSizeF(1080, 600)), &why))
    return cli::report("-o", bad_input("'" + o.out + "'", why.toStdString(), "check the folder, its rights and the ending"));
  return 0;
}

} // namespace

void add_export(CLI::App& app, int& code) {
  auto o = std::make_shared<ExportOptions>();
  CLI::App* verb = app.add_subcommand("export", "draws a view of a model or a document as SVG, PDF or PNG");
  o->add_to(*verb);
  verb->add_option("--view", o->view, "graph, arena, layout, guards, tiles, timeline, drift or source")->required();
  verb->add_option("--step", o->step, "the state after this step; left out: the end");
  verb->add_option("--theme", o->theme, "light, dark, contrast or paper");
  verb->add_option("-o,--output", o->out, "a file that ends in .svg, .pdf or .png")->required();
  verb->callback([o, &code] { code = run(*o); });
}

} // namespace cutaway::explorer
