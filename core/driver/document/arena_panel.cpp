#include "driver/document/arena_panel.h"

#include "driver/document/tables.h"
#include "plan/pack/pack.h"
#include "plan/tell_packing.h"

#include <algorithm>
#include <map>

namespace cutaway::driver {
namespace {

constexpr uint64_t compare_effort = 20'000; // of a strategy that searches: some hundredths of a second

std::string value_name(const GraphMirror& mirror, ValueId v) {
  const Graph& g = mirror.graph();
  return g.alive(v) ? mirror.name(g.value(v).producer) : "value " + std::to_string(v.v);
}

trace::ArenaBuffer buffer_of(const GraphMirror& mirror, const plan::Allocation& a, size_t index, const std::vector<trace::Text>& launches) {
  const Graph& g = mirror.graph();
  trace::ArenaBuffer b;
  b.id = BufferId(static_cast<uint32_t>(index));
  b.start = a.start, b.end = a.end, b.bytes = a.bytes, b.offset = a.offset;
  b.values = a.roots;
  b.name = value_name(mirror, a.roots[0]);
  for (size_t i = 1; i < a.roots.size(); ++i) {
    b.chain.push_back(value_name(mirror, a.roots[i]));
    b.chain_at.push_back(a.written[i]);
  }
  b.dtype = dtype_name(g.type(a.roots[0]).dtype);
  b.shape = shape_str(g.type(a.roots[0]).shape);
  if (a.start < static_cast<int64_t>(launches.size())) b.producer = launches[static_cast<size_t>(a.start)];
  if (a.end > 0 && a.end <= static_cast<int64_t>(launches.size())) b.last_reader = launches[static_cast<size_t>(a.end) - 1];
  b.category = mirror.category(g.value(a.roots[0]).producer);
  return b;
}

// Values without storage of their own that kernels read.
void add_views(const GraphMirror& mirror, const std::vector<codegen::GroupKernel>& kernels, trace::ArenaPanel& arena) {
  const Graph& g = mirror.graph();
  const plan::Storage storage(g);
  std::map<ValueId, size_t> buffer_of_root;
  for (size_t i = 0; i < arena.buffers.size(); ++i)
    for (const ValueId root : arena.buffers[i].values) buffer_of_root[root] = i;
  for (size_t at = 0; at < kernels.size(); ++at)
    for (const NodeId n : kernels[at].nodes)
      for (const ValueId v : g.node(n).inputs) {
        const auto found = v && storage.access(v).root != v ? buffer_of_root.find(storage.access(v).root) : buffer_of_root.end();
        if (found == buffer_of_root.end()) continue;
        auto& views = arena.buffers[found->second].views;
        auto seen = std::find_if(views.begin(), views.end(), [&](const trace::ArenaView& view) { return view.value == v; });
        if (seen == views.end()) seen = views.insert(seen, {value_name(mirror, v), v, static_cast<int64_t>(at), 0});
        seen->end = static_cast<int64_t>(at) + 1;
      }
}

} // namespace

std::vector<trace::ArenaStrategy> compared_strategies(const plan::Problem& problem, const std::string& used, int64_t peak, int64_t bound) {
  plan::PackOptions options;
  options.effort = compare_effort;
  options.seconds = 1e9; // the same document on every machine
  std::vector<trace::ArenaStrategy> out;
  for (const plan::Strategy& s : plan::strategies()) {
    trace::ArenaStrategy& row = out.emplace_back();
    row.name = s.name;
    if (used == s.name) {
      row.peak = peak;
    } else if (const auto packed = plan::pack(problem, s.name, options)) {
      row.peak = packed->peak;
      row.cut_short = packed->cut_short;
    }
    row.optimal = row.peak == bound;
  }
  return out;
}

trace::ArenaPanel arena_panel(const GraphMirror& mirror, const runtime::Executable& executable) {
  const plan::MemoryPlan& plan = executable.memory();
  trace::ArenaPanel out;
  out.name = "arena 0";
  out.peak = plan.peak, out.bound = plan.lower_bound, out.optimal = plan.optimal, out.alignment = plan::arena_alignment;
  out.strategy = plan.strategy;
  for (const codegen::GroupKernel& k : executable.kernels()) out.launches.push_back(kernel_name(mirror, k));
  for (size_t i = 0; i < plan.placements.size(); ++i) out.buffers.push_back(buffer_of(mirror, plan.placements[i], i, out.launches));
  add_views(mirror, executable.kernels(), out);
  plan::Problem problem;
  for (const plan::Allocation& a : plan.placements) problem.buffers.push_back({a.start, a.end, a.bytes, plan::arena_alignment});
  out.strategies = compared_strategies(problem, plan.strategy, plan.peak, plan.lower_bound);
  return out;
}

void tell_arena(trace::ArenaPanel& arena, const Event& event, uint32_t step) {
  const auto number = [&](size_t i) { return std::get<int64_t>(event.args[i]); };
  if (event.code == "incumbent") arena.incumbents.push_back({std::get<std::string>(event.args[0]), number(1), number(2), number(3), step});
  if (event.code == "packed") arena.moves = number(3);
  if (event.code != "placed") return;
  trace::ArenaBuffer& buffer = arena.buffers[event.entities.back().id];
  buffer.placed_at = step;
  const auto* how = dynamic_cast<const plan::PlacedHow*>(event.payload.get());
  if (!how) return;
  const plan::Placement& p = how->placement;
  buffer.placed_by = p.by;
  buffer.gaps_tried = p.gaps_dropped ? -1 : static_cast<int64_t>(how->gaps_tried);
  for (const plan::GapTried& gap : p.tried) buffer.gaps.push_back({gap.offset, gap.size, gap.needed, plan::lies_in(p.accepted, gap)});
}

} // namespace cutaway::driver
