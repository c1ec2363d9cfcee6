#include "explorer/open.h"

#include "cli/verbs.h"
#include "explorer/main_window.h"
#include "explorer/widgets.h"

#include <QApplication>

namespace cutaway::explorer {
namespace {

int run(const cli::ModelOptions& o) {
  auto options = o.session();
  if (!options) return cli::report(o.file, options.error());
  auto bindings = o.bindings();
  if (!bindings) return cli::report(o.file, bindings.error());
  int count = 1;
  char name[] = "cutaway";
  char* arguments[] = {name, nullptr};
  if (!qEnvironmentVariableIsSet("QT_SCALE_FACTOR")) qputenv("QT_SCALE_FACTOR", QByteArray::number(kept().value("scale", 1).toDouble()));
  QApplication::setStyle("Fusion");
  QApplication app(count, arguments);
  MainWindow window({o.file, *options, *bindings, o.inputs});
  window.show();
  return QApplication::exec();
}

} // namespace

void add_open(CLI::App& app, int& code) {
  auto o = std::make_shared<cli::ModelOptions>();
  CLI::App* verb = app.add_subcommand("open", "opens a model, a .cut text, a saved document or a list of buffers (.csv) in the explorer");
  o->add_to(*verb);
  verb->get_option("FILE")->required(false);
  verb->callback([o, &code] { code = run(*o); });
}

} // namespace cutaway::explorer
