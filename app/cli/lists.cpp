#include "cli/verbs.h"

#include "cli/doctor.h"
#include "import/onnx/lowering.h"
#include "ir/op.h"
#include "passes/passes.h"

#include <cstdio>
#include <thread>

namespace cutaway::cli {
namespace {

int later(const std::string& what, const std::string& hint) { return report("cutaway", unsupported(what, "is not there in this version", hint)); }

int doctor() {
  for (const Finding& f : findings()) std::printf("%s: %s%s\n", f.name.c_str(), f.there ? "" : "none: ", f.words.c_str());
  return 0;
}

} // namespace

std::vector<Finding> findings() {
  std::vector<Finding> out = {{"device cpu", true, std::to_string(std::thread::hardware_concurrency()) + " hardware threads"}};
  auto compiler = cpu::KernelCompiler::create({});
  out.push_back({"kernel compiler", compiler.ok(), compiler ? (*compiler)->target() : compiler.error().str()});
  const bool cache = !cpu::default_cache_dir().empty();
  out.push_back({"kernel cache", cache, cache ? "on disk, for this user only" : "no directory that only this user can write"});
  out.push_back({"device cuda", false, "not in this version"});
  out.push_back({"device sim", false, "not in this version"});
  return out;
}

void add_lists(CLI::App& app, int& code) {
  app.add_subcommand("passes", "lists the passes in order")->callback([&code] {
    for (const passes::PassRow& row : passes::all_passes()) std::printf("%-10s %s\n", row.name, row.summary);
    code = 0;
  });
  app.add_subcommand("ops", "lists the primitives, then the ONNX operators that are lowered")->callback([&code] {
    for (int i = 0; i < op_count(); ++i) {
      const OpRow& row = op_row(static_cast<Op>(i));
      std::printf("%-18s %-12s %s\n", row.name, op_class_name(row.cls), row.summary);
    }
    for (const onnx::LoweringRow& row : onnx::all_lowerings()) std::printf("onnx %s\n", row.op);
    code = 0;
  });
  app.add_subcommand("lessons", "lists the lessons")->callback([&code] { code = later("lessons", "the ten lessons come with the explorer"); });
  app.add_subcommand("doctor", "says which devices and libraries were found")->callback([&code] { code = doctor(); });
}

void add_open_later(CLI::App& app, int& code) {
  CLI::App* verb = app.add_subcommand("open", "opens a model or a document in the explorer (later)");
  verb->allow_extras();
  verb->callback([&code] { code = later("open", "use `cutaway compile`, `run`, `drift` and `export`"); });
}

void add_export_later(CLI::App& app, int& code) {
  CLI::App* verb = app.add_subcommand("export", "draws a figure (this build is without Qt)");
  verb->allow_extras();
  verb->callback([&code] { code = report("cutaway", unsupported("export", "needs Qt, and this build is without it", "build with Qt 6 installed")); });
}

} // namespace cutaway::cli
