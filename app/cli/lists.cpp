#include "cli/verbs.h"

#include "backend/cuda/api.h"
#include "base/disk_cache.h"
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

// The libraries are opened, but no device is: that may take long.
void add_cuda(std::vector<Finding>& out) {
  cuda::Api api;
  const cuda::Libraries found = cuda::find_libraries(api);
  out.push_back({"cuda driver", !found.driver.empty(), found.driver.empty() ? "no libcuda.so.1" : "for CUDA " + cuda::version_text(found.driver_version)});
  const std::string nvrtc = found.nvrtc + ", version " + std::to_string(found.nvrtc_major) + "." + std::to_string(found.nvrtc_minor);
  out.push_back({"nvrtc", !found.nvrtc.empty(), found.nvrtc.empty() ? "no libnvrtc.so.13 or .12" : nvrtc});
  out.push_back({"device sim", cuda::has_simulator(), cuda::has_simulator() ? "times are modelled" : "not in this build"});
  const bool gpu = !found.driver.empty() && !found.nvrtc.empty();
  out.push_back({"device cuda", gpu, gpu ? "opened when a model runs on it" : "needs the driver and NVRTC"});
}

} // namespace

std::vector<Finding> findings() {
  std::vector<Finding> out = {{"device cpu", true, std::to_string(std::thread::hardware_concurrency()) + " hardware threads"}};
  auto compiler = cpu::KernelCompiler::create({});
  out.push_back({"kernel compiler", compiler.ok(), compiler ? (*compiler)->target() : compiler.error().str()});
  const bool cache = !default_cache_dir().empty();
  out.push_back({"kernel cache", cache, cache ? "on disk, for this user only" : "no directory that only this user can write"});
  add_cuda(out);
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
