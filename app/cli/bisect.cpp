#include "cli/verbs.h"

#include "driver/steps.h"
#include "ir/edit.h"
#include "runtime/reference.h"

#include <cstdio>

namespace cutaway::cli {
namespace {

// Where the compiled program first gives other bits than the imported graph, in math=strict.
struct Guilt {
  std::string pass, node, what;
};

// A pass is guilty when the graph after it evaluates to other bits; its first event after which that holds names the node.
Result<std::optional<Guilt>> guilty_pass(const driver::CompiledSegment& s, std::span<const Tensor> inputs) {
  const auto& events = s.journal.events();
  Graph g = driver::Steps(s.graph, events).at(0);
  auto want = runtime::run_reference(g, inputs);
  if (!want) return want.error();
  const auto differs = [&](const Graph& at) {
    auto got = runtime::run_reference(at, inputs);
    if (!got) return true;
    for (size_t i = 0; i < want->size(); ++i)
      if (!(*got)[i].same_bits((*want)[i])) return true;
    return false;
  };
  for (const driver::PassRun& p : s.passes) {
    Graph before = g;
    for (size_t i = p.first_event; i < p.last_event; ++i) replay(g, events[i]);
    if (!differs(g)) continue;
    for (size_t i = p.first_event; i < p.last_event; ++i) {
      const std::string node = events[i].entities.empty() || !before.alive(NodeId(events[i].entities[0].id)) ? "" : before.model_name(NodeId(events[i].entities[0].id));
      replay(before, events[i]);
      if (differs(before)) return std::optional<Guilt>({p.name, node, events[i].code});
    }
    return std::optional<Guilt>({p.name, "", "the pass as a whole"});
  }
  return std::optional<Guilt>();
}

// All passes are innocent: the first kernel whose output is not what the reference makes of its graph.
Result<std::optional<Guilt>> guilty_kernel(const driver::CompiledSegment& s, std::span<const Tensor> inputs, runtime::ThreadPool& pool) {
  std::map<uint32_t, Tensor> values;
  auto reference = runtime::run_reference(s.graph, inputs, {.observe = [&](ValueId v, const Tensor& t) { values[v.v] = t; }});
  if (!reference) return reference.error();
  std::optional<Guilt> guilt;
  auto made = s.executable->make_context(pool);
  if (!made) return made.error();
  const auto& context = *made;
  context->observe = [&](int kernel, ValueId v, const Tensor& t) {
    if (guilt || t.same_bits(values[v.v])) return;
    guilt = Guilt{"codegen", s.graph.model_name(s.graph.value(v).producer), "kernel " + std::to_string(kernel) + " (" + s.executable->kernels()[static_cast<size_t>(kernel)].name + ")"};
  };
  auto out = s.executable->run(inputs, *context);
  if (!out) return out.error();
  return guilt;
}

int bisect(ModelOptions o) {
  o.sets.push_back("math=strict");
  std::unique_ptr<driver::Session> session;
  driver::Feeds feeds;
  if (Status s = o.open(session, feeds, true); !s) return report(o.file, s.error());
  if (auto out = session->run(feeds, driver::Mode::compiled); !out) return report(o.file, out.error());
  if (session->last_segments().size() != 1) return report(o.file, unsupported("bisect", "a model with breaks is searched segment by segment, which is not there in this version"));
  std::vector<Tensor> inputs;
  for (const std::string& name : session->last_imported()[0]->inputs) {
    const auto it = feeds.find(name);
    if (it == feeds.end()) return report(o.file, unsupported("bisect", "input '" + name + "' has a default", "give it with --input"));
    inputs.push_back(it->second);
  }
  const driver::CompiledSegment& s = *session->last_segments()[0];
  auto guilt = guilty_pass(s, inputs);
  if (guilt && !*guilt) guilt = guilty_kernel(s, inputs, session->compiler().pool());
  if (!guilt) return report(o.file, guilt.error());
  Json j{{"model", o.file}, {"math", "strict"}, {"guilty", guilt->has_value()}};
  if (*guilt) j["pass"] = (**guilt).pass, j["node"] = (**guilt).node, j["step"] = (**guilt).what;
  if (o.json) print_json(j);
  else if (*guilt) std::printf("pass %s at %s: %s changes the result\n", (**guilt).pass.c_str(), (**guilt).node.c_str(), (**guilt).what.c_str());
  else std::printf("no pass and no kernel changes the result: compiled equals eager bit for bit (math=strict)\n");
  return *guilt ? 1 : 0;
}

} // namespace

void add_bisect(CLI::App& app, int& code) {
  auto o = std::make_shared<ModelOptions>();
  CLI::App* verb = app.add_subcommand("bisect", "finds the first pass and node that change the result (math=strict)");
  o->add_to(*verb);
  verb->callback([o, &code] { code = bisect(*o); });
}

} // namespace cutaway::cli
