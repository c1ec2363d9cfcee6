#include "explorer/export.h"

#include "arena/arena_figure.h"
#include "cli/verbs.h"
#include "driver/document/make.h"
#include "trace/file/document_file.h"

#include <QGuiApplication>

namespace cutaway::explorer {
namespace {

struct ExportOptions : cli::ModelOptions {
  std::string view, theme = "light", out;
  int64_t step = -1;
};

Result<trace::Document> document_of(const ExportOptions& o) {
  if (trace::is_document(o.file)) return trace::read_document(o.file);
  std::unique_ptr<driver::Session> session;
  driver::Feeds feeds;
  if (Status s = o.open(session, feeds, true); !s) return s.error();
  driver::RunInfo info;
  if (auto ran = session->run(feeds, driver::Mode::compiled, &info); !ran) return ran.error();
  return driver::make_document(*session, info, o.file);
}

// The trace with the largest arena: where a model was cut, the part that matters for memory.
Result<const trace::ArenaPanel*> arena_of(const trace::Document& d) {
  const trace::ArenaPanel* found = nullptr;
  for (const auto& trace : d.traces)
    if (const auto* arena = trace->panel<trace::ArenaPanel>(0); arena && (!found || arena->peak > found->peak)) found = arena;
  if (!found) return unsupported("--view arena", "there is no arena: every value is an input, a constant or an output of the model");
  return found;
}

int run(const ExportOptions& o) {
  if (o.view != "arena")
    return cli::report("--view", unsupported("'" + o.view + "'", "is not drawn in this version", "arena is; the others come with the explorer"));
  auto document = document_of(o);
  if (!document) return cli::report(o.file, document.error());
  auto arena = arena_of(*document);
  if (!arena) return cli::report(o.file, arena.error());

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
  if (!views::writeFigure(QString::fromStdString(o.out), *theme, views::arenaFigure(**arena, *theme, o.step), &why))
    return cli::report("-o", bad_input("'" + o.out + "'", why.toStdString(), "check the folder, its rights and the ending"));
  return 0;
}

} // namespace

void add_export(CLI::App& app, int& code) {
  auto o = std::make_shared<ExportOptions>();
  CLI::App* verb = app.add_subcommand("export", "draws a view of a model or a document as SVG, PDF or PNG");
  o->add_to(*verb);
  verb->add_option("--view", o->view, "arena (graph, layout, guards, tiles, timeline, drift, source: later)")->required();
  verb->add_option("--step", o->step, "the state after this step; left out: the end");
  verb->add_option("--theme", o->theme, "light, dark, contrast or paper");
  verb->add_option("-o,--output", o->out, "a file that ends in .svg, .pdf or .png")->required();
  verb->callback([o, &code] { code = run(*o); });
}

} // namespace cutaway::explorer
