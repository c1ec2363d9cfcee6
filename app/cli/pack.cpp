#include "cli/verbs.h"

#include "import/mapped_file.h"
#include "plan/pack/csv.h"
#include "plan/pack/pack.h"

#include <cstdio>

namespace cutaway::cli {
namespace {

struct PackOptions {
  std::string file, strategy = "all";
  int64_t capacity = 0;
  double seconds = 5;
  bool json = false;
};

int pack(const PackOptions& o) {
  auto file = MappedFile::open(o.file);
  if (!file) return report(o.file, file.error());
  auto problem = plan::read_csv({reinterpret_cast<const char*>((*file)->data()), (*file)->size()});
  if (!problem) return report(o.file, problem.error());
  plan::PackOptions options;
  options.seconds = o.seconds;
  options.effort = 0; // the clock decides
  options.capacity = o.capacity;
  std::vector<plan::PackResult> rows;
  if (o.strategy == "all") {
    rows = plan::pack_all(*problem, options);
  } else {
    auto one = plan::pack(*problem, o.strategy, options);
    if (!one) return report(o.file, one.error());
    rows.push_back(std::move(*one));
  }
  Json list = Json::array();
  bool fits = false;
  for (const plan::PackResult& r : rows) {
    fits = fits || o.capacity == 0 || r.peak <= o.capacity;
    const bool optimal = r.proof == plan::Proof::optimal;
    list.push_back({{"strategy", r.strategy}, {"peak", r.peak}, {"lower_bound", r.lower_bound}, {"optimal", optimal}, {"seconds", r.seconds}});
    if (!o.json) std::printf("%-12s peak %12lld  bound %12lld  %-8s  %.3f s\n", r.strategy.c_str(), static_cast<long long>(r.peak), static_cast<long long>(r.lower_bound), plan::proof_name(r.proof), r.seconds);
  }
  if (o.json) print_json(list);
  if (!fits) return report(o.file, over_limit("--capacity", "no plan fits into " + std::to_string(o.capacity) + " bytes", "give more, or another strategy"));
  return 0;
}

} // namespace

void add_pack(CLI::App& app, int& code) {
  auto o = std::make_shared<PackOptions>();
  CLI::App* verb = app.add_subcommand("pack", "packs the buffers of a MiniMalloc CSV");
  verb->add_option("CSV", o->file)->required();
  verb->add_option("--capacity", o->capacity, "bytes; exit code 4 where no plan fits");
  verb->add_option("--strategy", o->strategy, "a strategy, or all")->capture_default_str();
  verb->add_option("--time", o->seconds, "seconds for each searching strategy")->capture_default_str();
  verb->add_flag("--json", o->json);
  verb->callback([o, &code] { code = pack(*o); });
}

} // namespace cutaway::cli
