#include "cli/program.h"

#include "base/version.h"
#include "cli/verbs.h"

#include <algorithm>

namespace cutaway::cli {

int run_program(int argc, char** argv, std::span<const AddVerb> more) {
  CLI::App app("Cutaway: a compiler for machine-learning graphs that shows what it does", "cutaway");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("cutaway ") + version);
  int code = 0;
  for (auto* add : {add_compile, add_run, add_verify, add_bench, add_drift, add_bisect, add_pack, add_lists}) add(app, code);
  for (const AddVerb add : more) add(app, code);
  // `cutaway FILE` is `cutaway open FILE`.
  std::vector<std::string> args(argv + 1, argv + argc);
  const auto verbs = app.get_subcommands({});
  const bool verb = !args.empty() && std::any_of(verbs.begin(), verbs.end(), [&](const CLI::App* a) { return a->get_name() == args[0]; });
  if (!args.empty() && args[0].rfind("-", 0) != 0 && !verb) args.insert(args.begin(), "open");
  std::reverse(args.begin(), args.end());
  try {
    app.parse(args);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return code;
}

} // namespace cutaway::cli
