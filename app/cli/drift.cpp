#include "cli/verbs.h"

#include "runtime/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cutaway::cli {
namespace {

// Distance from the oracle in units of the last place that a float of this size has in the declared dtype; integers: plain.
double drift_of(const Tensor& t, const Tensor& oracle) {
  double worst = 0;
  const int digits = t.dtype() == DType::f64 ? 53 : t.dtype() == DType::f32 ? 24 : t.dtype() == DType::f16 ? 11 : 8;
  double scale = 0;
  for (int64_t i = 0; i < oracle.count(); ++i)
    if (std::isfinite(oracle.as_double(i))) scale = std::max(scale, std::abs(oracle.as_double(i)));
  for (int64_t i = 0; i < t.count(); ++i) {
    const double a = t.as_double(i), b = oracle.as_double(i);
    if (a == b || (a != a && b != b)) continue;
    // Against the largest element: an error of a cancelled small one is no drift of the kernel.
    const double unit = is_float(t.dtype()) ? std::ldexp(1.0, std::ilogb(std::max(scale, 1e-300)) - digits + 1) : 1;
    worst = std::max(worst, std::abs(a - b) / unit);
  }
  return worst;
}

using Values = std::map<uint32_t, Tensor>;

// Every value of a graph in one mode of the eager path.
Result<Values> reference_values(const Graph& g, std::span<const Tensor> inputs, bool oracle) {
  Values values;
  auto out = runtime::run_reference(g, inputs, {.oracle = oracle, .observe = [&](ValueId v, const Tensor& t) { values[v.v] = t; }});
  if (!out) return out.error();
  return values;
}

// Per kernel output: how far eager and compiled lie from the oracle. Values that a pass made anew have no eager twin.
Status kernel_rows(driver::Session& session, const driver::Feeds& feeds, Json& rows) {
  const auto& compiled = session.last_segments();
  const auto& imported = session.last_imported();
  if (compiled.size() != 1 || imported.size() != 1) return {}; // later segments start from values that breaks computed
  std::vector<Tensor> inputs;
  for (const std::string& name : imported[0]->inputs) {
    const auto it = feeds.find(name);
    if (it == feeds.end()) return {};
    inputs.push_back(it->second);
  }
  auto eager = reference_values(imported[0]->graph, inputs, false), oracle = reference_values(imported[0]->graph, inputs, true);
  if (!eager) return eager.error();
  if (!oracle) return oracle.error();
  const runtime::Executable& e = *compiled[0]->executable;
  runtime::ThreadPool pool(session.options().threads);
  auto context = e.make_context(pool);
  const Graph& g = compiled[0]->graph;
  context->observe = [&](int kernel, ValueId v, const Tensor& t) {
    const auto a = eager->find(v.v), b = oracle->find(v.v);
    if (a == eager->end() || b == oracle->end() || a->second.dims() != t.dims()) return;
    rows.push_back({{"kernel", kernel}, {"name", e.kernels()[static_cast<size_t>(kernel)].name}, {"value", entity_key(entity(v))}, {"node", g.model_name(g.value(v).producer)},
                    {"eager_ulp", drift_of(a->second, b->second)}, {"compiled_ulp", drift_of(t, b->second)}, {"equal", t.same_bits(a->second)}});
  };
  auto out = e.run(inputs, *context);
  return out ? Status() : Status(out.error());
}

int drift(const ModelOptions& o) {
  std::unique_ptr<driver::Session> session;
  driver::Feeds feeds;
  if (Status s = o.open(session, feeds); !s) return report(o.file, s.error());
  std::vector<std::vector<Tensor>> results;
  for (driver::Mode m : {driver::Mode::oracle, driver::Mode::eager, driver::Mode::compiled}) {
    auto out = session->run(feeds, m);
    if (!out) return report(o.file, out.error());
    results.push_back(std::move(*out));
  }
  Json j{{"model", o.file}, {"math", math_name(session->options().settings.math)}, {"unit", "ulp of the largest element"}, {"outputs", Json::array()}};
  bool equal = true;
  const auto names = session->output_names();
  for (size_t i = 0; i < names.size(); ++i) {
    const bool same = results[1][i].same_bits(results[2][i]);
    equal = equal && same;
    if (results[1][i].dtype() == DType::string) continue;
    j["outputs"].push_back({{"name", names[i]}, {"eager_ulp", drift_of(results[1][i], results[0][i])}, {"compiled_ulp", drift_of(results[2][i], results[0][i])}, {"compiled_equals_eager", same}});
  }
  j["compiled_equals_eager"] = equal;
  j["kernels"] = Json::array();
  if (Status s = kernel_rows(*session, feeds, j["kernels"]); !s) return report(o.file, s.error());
  if (o.json) print_json(j);
  else
    for (const Json& row : j["outputs"])
      std::printf("%-30s eager %8.2f ulp   compiled %8.2f ulp   %s\n", row["name"].get<std::string>().c_str(), row["eager_ulp"].get<double>(), row["compiled_ulp"].get<double>(), row["compiled_equals_eager"].get<bool>() ? "bit-equal" : "differ");
  if (!o.json && !j["kernels"].empty()) {
    auto rows = j["kernels"].get<std::vector<Json>>();
    std::stable_sort(rows.begin(), rows.end(), [](const Json& a, const Json& b) { return a["compiled_ulp"].get<double>() > b["compiled_ulp"].get<double>(); });
    std::printf("largest drift of %zu kernel outputs:\n", rows.size());
    for (size_t i = 0; i < rows.size() && i < 5; ++i)
      std::printf("  kernel %3d %-28s eager %8.2f ulp   compiled %8.2f ulp   at %s\n", rows[i]["kernel"].get<int>(), rows[i]["name"].get<std::string>().c_str(), rows[i]["eager_ulp"].get<double>(), rows[i]["compiled_ulp"].get<double>(), rows[i]["node"].get<std::string>().c_str());
  }
  return 0;
}

} // namespace

void add_drift(CLI::App& app, int& code) {
  auto o = std::make_shared<ModelOptions>();
  CLI::App* verb = app.add_subcommand("drift", "compares eager, compiled and a float64 oracle");
  o->add_to(*verb);
  verb->callback([o, &code] { code = drift(*o); });
}

} // namespace cutaway::cli
