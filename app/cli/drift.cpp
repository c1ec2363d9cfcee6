#include "cli/verbs.h"

#include "driver/drift.h"

#include <algorithm>
#include <cstdio>

namespace cutaway::cli {
namespace {

Json output_rows(const driver::Drift& drift) {
  Json rows = Json::array();
  for (const driver::Drift::Output& o : drift.outputs)
    if (o.numeric) rows.push_back({{"name", o.name}, {"eager_ulp", o.eager_ulp}, {"compiled_ulp", o.compiled_ulp}, {"compiled_equals_eager", o.equal}});
  return rows;
}

// Where breaks cut the model the numbers of kernels repeat, and later segments start from values that were computed.
Json kernel_rows(const driver::Drift& drift) {
  Json rows = Json::array();
  if (drift.segments != 1) return rows;
  for (const driver::Drift::Place& p : drift.places)
    rows.push_back({{"kernel", p.kernel}, {"name", p.name}, {"value", entity_key(entity(p.value))}, {"node", p.node},
                    {"eager_ulp", p.eager_ulp}, {"compiled_ulp", p.compiled_ulp}, {"equal", p.equal}});
  return rows;
}

int drift(const ModelOptions& o) {
  std::unique_ptr<driver::Session> session;
  driver::Feeds feeds;
  if (Status s = o.open(session, feeds); !s) return report(o.file, s.error());
  auto measured = driver::measure_drift(*session, feeds);
  if (!measured) return report(o.file, measured.error());
  const bool equal = std::all_of(measured->outputs.begin(), measured->outputs.end(), [](const auto& out) { return out.equal; });
  Json j{{"model", o.file}, {"math", math_name(session->options().settings.math)}, {"unit", "ulp of the largest element"}};
  j["outputs"] = output_rows(*measured);
  j["compiled_equals_eager"] = equal;
  j["kernels"] = kernel_rows(*measured);
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
