#include "cli/verbs.h"

#include "base/clock.h"
#include "driver/document/make.h"
#include "import/tensor_files.h"
#include "runtime/reference.h"
#include "trace/chrome/chrome_trace.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace cutaway::cli {
namespace {

bool parse_mode(const std::string& name, driver::Mode& mode) {
  for (driver::Mode m : {driver::Mode::compiled, driver::Mode::eager, driver::Mode::oracle})
    if (name == driver::mode_name(m)) return mode = m, true;
  return false;
}

// A file name from an output's name: what is no letter, digit, '.', '_' or '-' becomes %XX.
std::string escaped(const std::string& name) {
  std::string out;
  for (unsigned char c : name) {
    if (std::isalnum(c) || c == '_' || c == '-' || (c == '.' && !out.empty())) {
      out += static_cast<char>(c);
    } else {
      char hex[4];
      std::snprintf(hex, sizeof hex, "%%%02X", c);
      out += hex;
    }
  }
  return out.empty() ? "output" : out.substr(0, 200);
}

struct RunOptions : ModelOptions {
  std::string mode = "compiled", output_dir, profile;
  int repeat = 1;
};

// One run of a segment, on the clock.
Result<trace::TimelinePanel> profiled(driver::Session& session, size_t segment, const driver::Feeds& feeds) {
  std::vector<Tensor> inputs;
  for (const std::string& name : session.last_imported()[segment]->inputs) {
    const auto it = feeds.find(name);
    if (it == feeds.end()) return unsupported("--profile", "a model with breaks or defaults among its inputs");
    inputs.push_back(it->second);
  }
  const runtime::Executable& e = *session.last_segments()[segment]->executable;
  runtime::ThreadPool pool(session.options().threads);
  auto made = e.make_context(pool);
  if (!made) return made.error();
  const auto& context = *made;
  context->profile = true;
  for (int i = 0; i < 2; ++i) // the first run warms the caches
    if (auto out = e.run(inputs, *context); !out) return out.error();
  return driver::timeline_of(*session.last_segments()[segment], context->measured);
}

// One run of the last variant as a Chrome trace: a process for each way in which it was submitted, a thread a lane.
Status write_profile(driver::Session& session, const driver::Feeds& feeds, const std::string& path) {
  trace::TimelinePanel all;
  for (size_t s = 0; s < session.last_segments().size(); ++s) {
    auto panel = profiled(session, s, feeds);
    if (!panel) return panel.error();
    for (trace::TimelineRun& r : panel->runs) all.runs.push_back(std::move(r));
  }
  return trace::write_chrome_trace(path, all);
}

int run(const RunOptions& o) {
  driver::Mode mode;
  if (!parse_mode(o.mode, mode)) return report(o.file, bad_input("--mode", "there is no mode '" + o.mode + "'", "compiled, eager or oracle"));
  std::unique_ptr<driver::Session> session;
  driver::Feeds feeds;
  if (Status s = o.open(session, feeds); !s) return report(o.file, s.error());
  driver::RunInfo info;
  std::vector<Tensor> outputs;
  std::vector<double> times;
  for (int i = 0; i < std::max(o.repeat, 1); ++i) {
    info = {};
    const double start = now_ms();
    auto out = session->run(feeds, mode, &info);
    if (!out) return report(o.file, out.error());
    times.push_back(now_ms() - start);
    outputs = std::move(*out);
  }
  const auto names = session->output_names();
  if (!o.output_dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(o.output_dir, error);
    for (size_t i = 0; i < names.size(); ++i)
      if (Status s = write_npy(o.output_dir + "/" + escaped(names[i]) + ".npy", outputs[i]); !s) return report(o.file, s.error());
  }
  if (!o.profile.empty())
    if (Status s = write_profile(*session, feeds, o.profile); !s) return report(o.file, s.error());
  Json j{{"model", o.file}, {"mode", o.mode}, {"ms", median(times)}, {"breaks", breaks_json(info)}};
  for (size_t i = 0; i < names.size(); ++i) j["outputs"].push_back({{"name", names[i]}, {"type", outputs[i].type().str()}});
  if (o.json) return print_json(j), 0;
  for (size_t i = 0; i < names.size(); ++i) std::printf("%s: %s\n", names[i].c_str(), outputs[i].type().str().c_str());
  for (const driver::BreakInfo& b : info.breaks) std::printf("break at %s (%s): %s\n", b.node.c_str(), b.cause.c_str(), b.reason.c_str());
  std::printf("%s: %.3f ms (median of %zu)\n", o.mode.c_str(), median(times), times.size());
  return 0;
}

struct BenchOptions : ModelOptions {
  int repeat = 20;
  std::string modes = "compiled,eager";
};

Json spread(const std::vector<double>& v) {
  return {{"min", *std::min_element(v.begin(), v.end())}, {"median", median(v)}, {"max", *std::max_element(v.begin(), v.end())}};
}

int bench(const BenchOptions& o) {
  std::unique_ptr<driver::Session> session;
  driver::Feeds feeds;
  if (Status s = o.open(session, feeds); !s) return report(o.file, s.error());
  driver::RunInfo first;
  const double start = now_ms();
  auto out = session->run(feeds, driver::Mode::compiled, &first);
  if (!out) return report(o.file, out.error());
  const double first_ms = now_ms() - start;
  Json j{{"model", o.file}, {"device", o.device}, {"math", math_name(session->options().settings.math)}, {"breaks", first.breaks.size()},
         {"threads", o.threads}, {"compile_ms", first.compile_ms}, {"first_run_ms", first_ms}};
  for (const auto& [mode, repeat] : {std::pair{driver::Mode::eager, std::min(o.repeat, 3)}, std::pair{driver::Mode::compiled, o.repeat}}) {
    if (o.modes.find(driver::mode_name(mode)) == std::string::npos) continue;
    std::vector<double> times;
    for (int i = 0; i < std::max(repeat, 1); ++i) {
      const double t = now_ms();
      auto again = session->run(feeds, mode);
      if (!again) return report(o.file, again.error());
      times.push_back(now_ms() - t);
    }
    j[std::string(driver::mode_name(mode)) + "_ms"] = spread(times);
  }
  j["peak_arena_bytes"] = first.peak_arena_bytes;
  j["lower_bound_bytes"] = first.lower_bound_bytes;
  j["kernels"] = first.kernels;
  j["launches"] = first.launches;
  if (o.json) return print_json(j), 0;
  for (const auto& [key, value] : j.items()) std::printf("%-20s %s\n", key.c_str(), value.dump().c_str());
  return 0;
}

} // namespace

void add_run(CLI::App& app, int& code) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand("run", "compiles and runs a model");
  o->add_to(*verb);
  verb->add_option("--mode", o->mode, "compiled, eager or oracle")->capture_default_str();
  verb->add_option("--output-dir", o->output_dir, "writes one .npy an output");
  verb->add_option("--repeat", o->repeat, "runs")->capture_default_str();
  verb->add_option("--profile", o->profile, "writes a Chrome trace");
  verb->callback([o, &code] { code = run(*o); });
}

void add_bench(CLI::App& app, int& code) {
  auto o = std::make_shared<BenchOptions>();
  CLI::App* verb = app.add_subcommand("bench", "times eager against compiled");
  o->add_to(*verb);
  verb->add_option("--repeat", o->repeat, "compiled runs (eager: at most 3)")->capture_default_str();
  verb->add_option("--mode", o->modes, "compiled,eager")->capture_default_str();
  verb->callback([o, &code] { code = bench(*o); });
}

} // namespace cutaway::cli
