#include "runtime/executable.h"

#include <algorithm>

namespace cutaway::runtime {

std::vector<Region> regions_of(const std::vector<Cut>& cuts, const std::vector<bool>& begins) {
  std::vector<Region> regions;
  for (uint32_t i = 0; i < cuts.size(); ++i) {
    const bool apart = cuts[i] == Cut::evaluation || begins[i];
    if (i == 0 || apart || regions.back().cut_by != Cut::none) regions.push_back({i, i, Cut::none});
    regions.back().last = i + 1;
    regions.back().cut_by = cuts[i];
  }
  return regions;
}

std::vector<plan::Step> Executable::schedule() const {
  std::vector<plan::Step> out;
  for (const codegen::GroupKernel& k : kernels_) out.push_back({k.reads, k.writes, k.in_place});
  return out;
}

std::vector<plan::Step> Executable::schedule(const std::vector<plan::StreamOrder::Span>& beside, int64_t room) const {
  constexpr double most_growth = 1.25;
  auto alone = schedule(), out = alone;
  for (size_t k = 0; k < out.size(); ++k) out[k].first_beside = beside[k].first, out[k].last_beside = beside[k].last;
  const int64_t needed = plan::most_alive(graph_, out);
  const bool fits = needed <= room && static_cast<double>(needed) <= most_growth * static_cast<double>(plan::most_alive(graph_, alone));
  return fits ? out : alone;
}

Status Executable::plan(const std::vector<plan::Step>& schedule, const ExecutableOptions& options) {
  memory_ = plan::plan_memory(graph_, storage_, schedule, options.memory_strategy, options.journal);
  constexpr int64_t arena_limit = int64_t{64} << 30;
  if (memory_.peak > arena_limit) return over_limit("arena", "the intermediate values need " + std::to_string(memory_.peak) + " bytes, the limit is 64 GiB", "bind smaller dims");
  constants_.resize(graph_.value_bound());
  for (const codegen::GroupKernel& k : kernels_)
    for (ValueId v : k.reads)
      if (graph_.producer(v).op == Op::constant && !constants_[v.v].valid()) constants_[v.v] = graph_.producer(v).attrs.tensor("data").aligned();
  return {};
}

std::vector<Tensor> Executable::make_outputs(std::span<const Tensor> inputs, const std::function<void(ValueId, Tensor&)>& place) const {
  std::vector<Tensor> outputs;
  for (const GraphOutput& o : graph_.outputs()) {
    const Node& n = graph_.producer(o.value);
    if (n.op == Op::param) {
      outputs.push_back(inputs[static_cast<size_t>(n.attrs.i("index"))]);
    } else if (n.op == Op::constant) {
      outputs.push_back(n.attrs.tensor("data").aligned());
    } else {
      const auto twin = std::find_if(graph_.outputs().begin(), graph_.outputs().begin() + static_cast<std::ptrdiff_t>(outputs.size()), [&](const GraphOutput& p) { return p.value == o.value; });
      const auto k = static_cast<size_t>(twin - graph_.outputs().begin());
      if (k < outputs.size()) {
        outputs.push_back(outputs[k]);
        continue;
      }
      outputs.emplace_back(graph_.type(o.value).dtype, static_dims(graph_.type(o.value).shape));
      place(o.value, outputs.back());
    }
  }
  return outputs;
}

Diagnostic Executable::out_of_range(size_t kernel) const { return bad_input(graph_.place(kernels_[kernel].nodes.front()), "an index is out of range"); }

} // namespace cutaway::runtime
