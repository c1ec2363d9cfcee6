#include "cli/verbs.h"

#include "driver/document/make.h"
#include "driver/steps.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "trace/file/document_file.h"

#include <algorithm>
#include <cstdio>

namespace cutaway::cli {
namespace {

struct CompileOptions : ModelOptions {
  std::string stop_after, print_after, trace;
};

Json segment_json(const driver::CompiledSegment& s) {
  Json passes = Json::array();
  for (const driver::PassRun& p : s.passes) passes.push_back({{"pass", p.name}, {"changes", p.changes}, {"ms", p.ms}, {"nodes", p.nodes_after}});
  Json j{{"passes", passes}, {"nodes", s.graph.node_count()}, {"steps", s.journal.events().size()}, {"compile_ms", s.compile_ms}};
  if (s.executable) {
    const auto builtin = std::count_if(s.executable->kernels().begin(), s.executable->kernels().end(), [](const codegen::GroupKernel& k) { return k.builtin(); });
    j["kernels"] = s.executable->kernel_count();
    j["builtin_kernels"] = builtin;
    j["launches"] = s.executable->launch_count();
    j["peak_arena_bytes"] = s.executable->arena_bytes();
    j["lower_bound_bytes"] = s.executable->lower_bound_bytes();
    j["packer"] = s.executable->memory().strategy;
    j["codegen_ms"] = s.executable->codegen_ms;
  }
  return j;
}

void print_segment(const driver::CompiledSegment& s) {
  for (const driver::PassRun& p : s.passes) std::printf("  %-10s %6zu changes %8.2f ms  %6zu nodes left\n", p.name.c_str(), p.changes, p.ms, p.nodes_after);
  if (!s.executable) return;
  std::printf("  %zu steps, %lld kernels, %lld launches; arena peak %lld bytes, bound %lld; compiled in %.0f ms\n", s.journal.events().size(),
              static_cast<long long>(s.executable->kernel_count()), static_cast<long long>(s.executable->launch_count()),
              static_cast<long long>(s.executable->arena_bytes()), static_cast<long long>(s.executable->lower_bound_bytes()), s.compile_ms);
  for (const codegen::GroupKernel& k : s.executable->kernels())
    if (k.builtin()) std::printf("  builtin kernel: %s\n", k.name.c_str());
}

int compile(const CompileOptions& o) {
  std::unique_ptr<driver::Session> session;
  driver::Feeds feeds;
  for (const std::string& p : {o.stop_after, o.print_after}) {
    const auto rows = passes::all_passes();
    const bool known = p.empty() || p == "import" || std::any_of(rows.begin(), rows.end(), [&](const passes::PassRow& r) { return p == r.name; });
    if (!known) return report(o.file, bad_input("--stop-after/--print-after", "there is no pass '" + p + "'", "`cutaway passes` lists them"));
  }
  if (Status s = o.open(session, feeds, true); !s) return report(o.file, s.error());
  driver::RunInfo info;
  auto out = session->run(feeds, driver::Mode::compiled, &info);
  if (!out) return report(o.file, out.error());
  Json j{{"model", o.file}, {"segments", Json::array()}, {"breaks", breaks_json(info)}};
  for (const auto& s : session->last_segments()) j["segments"].push_back(segment_json(*s));
  if (!o.trace.empty()) {
    const Status written = trace::write_document(o.trace, driver::make_document(*session, info, o.file));
    if (!written) return report("--trace", written.error());
  }
  if (o.json) return print_json(j), 0;
  for (const auto& s : session->last_segments()) {
    print_segment(*s);
    const std::string upto = o.print_after.empty() ? o.stop_after : o.print_after;
    if (upto.empty()) continue;
    size_t keep = 0;
    for (const driver::PassRun& p : s->passes)
      if (p.name == upto) keep = p.last_event;
    const Graph g = driver::Steps(s->graph, s->journal.events()).at(keep);
    std::fputs(print(g, {.elide_above = 64}).c_str(), stdout);
  }
  for (const driver::BreakInfo& b : info.breaks) std::printf("break at %s (%s): %s\n", b.node.c_str(), b.cause.c_str(), b.reason.c_str());
  return 0;
}

} // namespace

void add_compile(CLI::App& app, int& code) {
  auto o = std::make_shared<CompileOptions>();
  CLI::App* verb = app.add_subcommand("compile", "compiles a model and reports passes, kernels and memory");
  o->add_to(*verb);
  verb->add_option("--stop-after", o->stop_after, "a pass; prints the graph after it");
  verb->add_option("--print-after", o->print_after, "a pass, or import; prints the graph after it");
  verb->add_option("--trace", o->trace, "writes the steps as a document (JSON, or CBOR where the name ends in .cbor)");
  verb->callback([o, &code] { code = compile(*o); });
}

} // namespace cutaway::cli
