#include "cli/verbs.h"

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
  if (o.json) std::printf("%s\n", j.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  else
    for (const Json& row : j["outputs"])
      std::printf("%-30s eager %8.2f ulp   compiled %8.2f ulp   %s\n", row["name"].get<std::string>().c_str(), row["eager_ulp"].get<double>(), row["compiled_ulp"].get<double>(), row["compiled_equals_eager"].get<bool>() ? "bit-equal" : "differ");
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
