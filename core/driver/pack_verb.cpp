#include "driver/pack_verb.h"

#include "base/check.h"
#include "plan/memory.h"
#include "plan/pack/checker.h"

#include <ctime>

namespace cutaway::driver {

std::vector<std::string> pack_strategies() {
  std::vector<std::string> names;
  for (const plan::Packer& p : plan::packers()) names.push_back(p.name);
  return names;
}

Result<std::vector<PackRow>> pack_by(const plan::Problem& problem, const std::string& strategy) {
  std::vector<PackRow> rows;
  std::string known;
  for (const plan::Packer& p : plan::packers()) {
    known += (known.empty() ? "" : ", ") + std::string(p.name);
    if (strategy != "all" && strategy != p.name) continue;
    const std::clock_t start = std::clock();
    const plan::Offsets offsets = plan::pack_with(p, problem);
    PackRow row{p.name, plan::peak_of(problem, offsets), plan::lower_bound(problem), false, double(std::clock() - start) / CLOCKS_PER_SEC};
    row.optimal = row.peak == row.lower_bound;
    const auto wrong = plan::check_plan(problem, offsets, row.peak);
    CUTAWAY_CHECK(!wrong, "the plan of " + row.strategy + " is wrong: " + (wrong ? wrong->why : ""));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return bad_input("--strategy", "there is no strategy '" + strategy + "'", "one of " + known + ", or all");
  return rows;
}

} // namespace cutaway::driver
