#include "driver/pipeline.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/disk_cache.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "plan/pack/pack.h"
#include "runtime/cpu_executable.h"
#include "runtime/cuda_executable.h"

namespace cutaway::driver {
namespace {

constexpr const char* kernel_symbol = "kernel";

codegen::Simd host_simd() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return {64, 32};
  if (__builtin_cpu_supports("avx2")) return {32, 16};
#endif
  return {16, 16};
}

// Groups in the order in which the last of each stands; nodes alone make kernels of their own, aliases none.
template <class Make> auto make_kernels(const Graph& g, const plan::Storage& storage, const Make& make) {
  std::vector<std::vector<NodeId>> lists;
  std::vector<GroupId> groups;
  std::map<uint32_t, size_t> at;
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    if (n.op == Op::param || n.op == Op::constant || storage.is_alias(id)) continue;
    if (n.group) {
      const auto [it, fresh] = at.try_emplace(n.group.v, lists.size());
      if (!fresh) {
        lists[it->second].push_back(id);
        continue;
      }
    }
    lists.push_back({id});
    groups.push_back(n.group);
  }
  // Kernels in topological order of the groups: depth first over what each reads, without recursion.
  std::vector<size_t> kernel_of(g.value_bound(), SIZE_MAX);
  for (size_t k = 0; k < lists.size(); ++k)
    for (NodeId id : lists[k])
      for (ValueId v : g.node(id).outputs) kernel_of[v.v] = k;
  std::vector<uint8_t> state(lists.size(), 0);
  std::vector<size_t> sorted, stack;
  for (size_t k = 0; k < lists.size(); ++k) {
    stack.push_back(k);
    while (!stack.empty()) {
      const size_t now = stack.back();
      if (state[now] == 2) {
        stack.pop_back();
        continue;
      }
      const bool back = state[now] == 1;
      state[now] = 1;
      bool ready = true;
      for (NodeId id : lists[now])
        for (ValueId v : g.node(id).inputs) {
          const size_t from = kernel_of[storage.access(v).root.v];
          if (from == SIZE_MAX || from == now || state[from] == 2) continue;
          CUTAWAY_CHECK(!(back && state[from] == 1), "fused groups form a cycle");
          stack.push_back(from);
          ready = false;
        }
      if (!ready) continue;
      state[now] = 2;
      sorted.push_back(now);
      stack.pop_back();
    }
  }
  std::vector<decltype(make(GroupId(), lists[0]))> kernels;
  for (size_t k : sorted) kernels.push_back(make(groups[k], lists[k]));
  return kernels;
}

} // namespace

Compiler::Compiler(const Settings& settings, int threads, std::shared_ptr<Watch> watch, std::shared_ptr<const cuda::Device> device) : settings_(settings), watch_(std::move(watch)), device_(std::move(device)), pool_(std::make_unique<runtime::ThreadPool>(threads)) {
  cpu::CompilerConfig config;
  config.jobs = threads;
  if (settings.kernel_cache) config.cache_dir = default_cache_dir();
  if (auto made = cpu::KernelCompiler::create(config)) kernels_ = *made;
}
Compiler::~Compiler() = default;

Status Compiler::tell(const std::string& pass, size_t done, size_t total) const {
  if (!watch_) return {};
  if (watch_->cancel) return over_limit(pass, "the compile was called off", "compile again");
  if (watch_->progress) watch_->progress(pass, done, total);
  return {};
}

Result<cpu::Assembly> Compiler::assembly(const std::string& text, const std::atomic<bool>* cancel) const {
  if (!kernels_) return unsupported("assembly", "this program has no kernel compiler: kernels run by the reference evaluation", "build with CUTAWAY_CPU_JIT=ON");
  return kernels_->assembly({kernel_symbol, text, settings_.math == Math::strict, settings_.math == Math::fast}, cancel);
}

Result<std::shared_ptr<const runtime::Executable>> Compiler::make_executable(const Graph& graph, Journal* log) const {
  const plan::Storage storage(graph);
  const bool strict = settings_.math == Math::strict;
  const runtime::ExecutableOptions options{.strict = strict, .fast = settings_.math == Math::fast, .capture = settings_.capture, .libraries = settings_.libraries, .streams = settings_.streams, .threads = pool_->size(),
                                           .cache = settings_.kernel_cache, .memory_strategy = settings_.memory_strategy, .journal = log, .cancel = watch_ ? &watch_->cancel : nullptr,
                                           .progress = [this](size_t done, size_t total) { (void)tell("codegen", done, total); }, .queues = nullptr, .machine = nullptr};
  if (device_) {
    auto kernels = make_kernels(graph, storage, [&](GroupId group, const std::vector<NodeId>& nodes) { return codegen::make_cuda_kernel(graph, storage, group, nodes, kernel_symbol, {strict, device_->capability()}); });
    return runtime::make_cuda_executable(graph, std::move(kernels), storage, device_, options);
  }
  auto kernels = make_kernels(graph, storage, [&](GroupId group, const std::vector<NodeId>& nodes) { return codegen::make_kernel(graph, storage, group, nodes, kernel_symbol, {strict, host_simd(), pool_->size()}); });
  return runtime::make_cpu_executable(graph, std::move(kernels), storage, kernels_.get(), options);
}

Result<std::shared_ptr<const CompiledSegment>> Compiler::compile(const Graph& imported, bool journal, const std::string& stop_after) {
  const double start = now_ms();
  std::string known;
  bool found = false;
  for (const plan::Strategy& p : plan::strategies()) {
    known += (known.empty() ? "" : ", ") + std::string(p.name);
    found = found || settings_.memory_strategy == p.name;
  }
  if (!found) return bad_input("--set memory.strategy", "there is no strategy '" + settings_.memory_strategy + "'", "one of " + known);
  auto out = std::make_shared<CompiledSegment>();
  out->graph = imported;
  Journal* log = journal ? &out->journal : nullptr;
  for (const passes::PassRow& row : passes::all_passes()) {
    if (Status s = tell(row.name, 0, 0); !s) return s.error();
    PassRun run{row.name, 0, 0, 0, out->journal.events().size(), 0};
    const double begin = now_ms();
    if (std::find(settings_.disabled_passes.begin(), settings_.disabled_passes.end(), row.name) == settings_.disabled_passes.end()) {
      const PassScope scope(row.name);
      Rewriter rewriter(out->graph, log, row.name);
      row.run({out->graph, rewriter, settings_});
      run.changes = rewriter.changes();
#ifdef CUTAWAY_VERIFY
      const Status sound = verify(out->graph);
      CUTAWAY_CHECK(sound.ok(), sound.ok() ? "" : sound.error().str());
#endif
    }
    run.ms = now_ms() - begin;
    run.nodes_after = out->graph.node_count();
    run.last_event = out->journal.events().size();
    out->passes.push_back(run);
    if (row.name == stop_after) return std::shared_ptr<const CompiledSegment>(out);
  }
  const PassScope scope("codegen");
  if (Status s = tell("codegen", 0, 0); !s) return s.error();
  auto made = make_executable(out->graph, log);
  if (!made) return made.error();
  const int64_t peak = (*made)->arena_bytes();
  if (settings_.memory_limit > 0 && peak > settings_.memory_limit)
    return over_limit("arena", "the plan needs " + std::to_string(peak) + " bytes (no plan needs less than " + std::to_string((*made)->lower_bound_bytes()) + "), memory.limit is " + std::to_string(settings_.memory_limit), "raise memory.limit or bind smaller dims");
  out->executable = *made;
  out->compile_ms = now_ms() - start;
  return std::shared_ptr<const CompiledSegment>(out);
}

} // namespace cutaway::driver
