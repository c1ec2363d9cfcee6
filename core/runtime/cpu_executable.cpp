#include "runtime/cpu_executable.h"

#include "base/check.h"
#include "base/clock.h"
#include "runtime/cpu_queues.h"
#include "runtime/host_values.h"
#include "runtime/tell_streams.h"

namespace cutaway::runtime {
namespace {

struct CpuContext final : RunContext {
  CpuContext(const Graph& graph, const plan::Storage& storage) : values(graph, storage) {}
  std::shared_ptr<std::byte> arena, scratch;
  HostValues values;
  std::optional<Replay> replay;

  void place(ValueId value, std::byte* at) {
    values.address[value.v] = at;
    replay->bind(value, at);
  }
};

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const Graph& graph, const plan::Storage& storage) : Executable(graph, storage) {}
  Status make(std::vector<codegen::Kernel> kernels, cpu::KernelCompiler* source, const ExecutableOptions& options);
  Result<std::unique_ptr<RunContext>> make_context(ThreadPool& pool) const override;
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, RunContext& context) const override;
  const char* language() const override { return "C"; }

 private:
  Status compile(const std::vector<codegen::Kernel>& kernels, cpu::KernelCompiler& source, const ExecutableOptions& options);
  void make_builtin(codegen::Kernel& kernel) const;
  Status list(size_t index, const codegen::Kernel& kernel);
  Status plan_queues(CpuQueues& queues, const ExecutableOptions& options);

  std::vector<ListedLaunch> launches_; // one a kernel
  std::optional<QueuePlan> queues_;
  std::vector<std::shared_ptr<const void>> code_;
  std::vector<std::shared_ptr<std::byte>> packed_; // constants
  int64_t scratch_bytes_ = 0;
};

Status CpuExecutable::compile(const std::vector<codegen::Kernel>& kernels, cpu::KernelCompiler& source, const ExecutableOptions& options) {
  std::vector<cpu::KernelUnit> units;
  std::vector<size_t> unit_of;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].builtin()) continue;
    units.push_back({kernels[i].symbol, kernels[i].text, options.strict, options.fast});
    unit_of.push_back(i);
  }
  auto compiled = source.compile(units, options.cancel, options.progress);
  for (size_t u = 0; u < compiled.size(); ++u) {
    if (!compiled[u]) return within("kernel " + kernels[unit_of[u]].name, compiled[u].error());
    launches_[unit_of[u]].fn = compiled[u]->fn;
    code_.push_back(compiled[u]->keep_alive);
    kernels_from_cache += compiled[u]->from_cache;
  }
  return {};
}

// Without a compiler the reference evaluation runs it: it reads what the text has as literals or packed, and may overwrite
// nothing that it reads.
void CpuExecutable::make_builtin(codegen::Kernel& kernel) const {
  kernel.text.clear(), kernel.in_place.clear(), kernel.packed.clear(), kernel.buffers.clear();
  kernel.reads.clear(), kernel.writes.clear(), kernel.checks_indices = false;
  codegen::find_builtin_operands(graph_, storage_, kernel);
}

Status CpuExecutable::list(size_t index, const codegen::Kernel& kernel) {
  ListedLaunch& l = launches_[index];
  l.units = kernel.units, l.checks_indices = kernel.checks_indices;
  for (const ValueId v : kernel.buffers) l.pointers.push_back({nullptr, v});
  for (const codegen::Kernel::Packed& p : kernel.packed) {
    auto memory = allocate_aligned(p.bytes);
    if (!memory) return over_limit("kernel " + kernel.name, "no memory for " + std::to_string(p.bytes) + " bytes of packed weights");
    const Tensor weights = graph_.producer(storage_.access(p.source).root).attrs.tensor("data").aligned();
    p.pack(weights.data(), memory.get());
    l.pointers[static_cast<size_t>(p.buffer)] = {memory.get(), {}};
    packed_.push_back(std::move(memory));
  }
  return {};
}

Status CpuExecutable::make(std::vector<codegen::Kernel> kernels, cpu::KernelCompiler* source, const ExecutableOptions& options) {
  const double start = now_us();
  launches_.resize(kernels.size());
  if (!source)
    for (codegen::Kernel& k : kernels) make_builtin(k);
  CpuQueues queues(graph_, kernels, options.threads, options.queues ? 1 : options.streams, options.machine ? *options.machine : CpuMachine());
  const bool split = queues.find();
  if (source)
    if (Status s = compile(kernels, *source, options); !s) return s;
  codegen_ms = (now_us() - start) / 1000;
  std::vector<Cut> cuts;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (Status s = list(i, kernels[i]); !s) return s;
    cuts.push_back(launches_[i].cut());
    scratch_bytes_ = std::max(scratch_bytes_, (kernels[i].scratch_bytes + 127) / 64 * 64);
  }
  regions_ = regions_of(cuts, std::vector<bool>(cuts.size(), false));
  if (options.queues) queues_ = *options.queues;
  kernels_.assign(kernels.begin(), kernels.end());
  return split ? plan_queues(queues, options) : plan(schedule(), options);
}

// The arena keeps apart what may run at once, unless that makes it much larger: then launches wait for what they reuse.
Status CpuExecutable::plan_queues(CpuQueues& queues, const ExecutableOptions& options) {
  if (Status s = plan(schedule(queues.beside()), options); !s) return s;
  queues.order_reuse(memory_);
  const std::string race = queues.find_race(memory_);
  CUTAWAY_CHECK(race.empty(), "queues race: " + race);
  queues_ = queues.plan();
  if (!options.journal) return {};
  Part part{0, queues.stretches().size()};
  for (const CpuQueues::Stretch& s : queues.stretches()) {
    ++part.number;
    std::vector<std::optional<uint32_t>> kernel;
    for (uint32_t t = 0; t < s.streams.schedule.order.size(); ++t) kernel.emplace_back(s.first + t);
    tell_streams(s.streams, kernel, kernels_, options.streams, part, *options.journal);
  }
  return {};
}

Result<std::unique_ptr<RunContext>> CpuExecutable::make_context(ThreadPool& pool) const {
  auto c = std::make_unique<CpuContext>(graph_, storage_);
  c->arena = allocate_aligned(memory_.peak);
  c->scratch = allocate_aligned(scratch_bytes_ * pool.size());
  if (!c->arena || !c->scratch) return over_limit("arena", "no memory for " + std::to_string(memory_.peak) + " bytes", "bind smaller dims");
  // The order of the launches is right on one queue as well.
  const bool split = queues_ && queues_->threads() <= pool.size();
  c->replay.emplace(pool, launches_, split ? *queues_ : QueuePlan::one(launches_.size(), pool.size()), Replay::Scratch{c->scratch.get(), scratch_bytes_},
                    [this, c = c.get()](uint32_t launch) { return c->values.run(kernels_[launch], c->arena); });
  for (const plan::Allocation& p : memory_.placements)
    for (ValueId root : p.roots) c->place(root, c->arena.get() + p.offset);
  for (size_t v = 0; v < constants_.size(); ++v)
    if (constants_[v].valid()) c->place(ValueId(static_cast<uint32_t>(v)), const_cast<std::byte*>(constants_[v].data()));
  return std::unique_ptr<RunContext>(std::move(c));
}

Result<std::vector<Tensor>> CpuExecutable::run(std::span<const Tensor> inputs, RunContext& context) const {
  CpuContext& c = static_cast<CpuContext&>(context);
  std::vector<Tensor> held;
  for (size_t i = 0; i < graph_.params().size(); ++i) {
    if (!graph_.params()[i]) continue;
    held.push_back(inputs[i].aligned());
    c.place(graph_.node(graph_.params()[i]).outputs[0], const_cast<std::byte*>(held.back().data()));
  }
  std::vector<Tensor> outputs = make_outputs(inputs, [&](ValueId v, Tensor& t) { c.place(v, t.mutable_data()); });
  std::function<void(uint32_t)> after;
  if (c.observe)
    after = [&](uint32_t launch) {
      for (const ValueId v : kernels_[launch].writes) c.observe(static_cast<int>(launch), v, c.values.view(v, c.arena));
    };
  if (auto failed = c.replay->run(c.profile ? &c.measured : nullptr, after)) return failed->evaluation ? std::move(*failed->evaluation) : out_of_range(failed->launch);
  return outputs;
}

} // namespace

Result<std::shared_ptr<const Executable>> make_cpu_executable(const Graph& graph, std::vector<codegen::Kernel> kernels, const plan::Storage& storage, cpu::KernelCompiler* source, const ExecutableOptions& options) {
  auto made = std::make_shared<CpuExecutable>(graph, storage);
  if (Status s = made->make(std::move(kernels), source, options); !s) return s.error();
  return std::shared_ptr<const Executable>(std::move(made));
}

} // namespace cutaway::runtime
