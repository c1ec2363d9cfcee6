#include "runtime/cpu_executable.h"

#include "base/check.h"
#include "base/clock.h"
#include "runtime/host_values.h"

namespace cutaway::runtime {
namespace {

// What one launch hands to the pool.
struct Call {
  cpu::KernelFn fn;
  void* const* buffers;
  std::byte* scratch;
  int64_t scratch_bytes;
};
void invoke(void* context, int64_t begin, int64_t end, int thread) {
  const Call& c = *static_cast<const Call*>(context);
  c.fn(c.buffers, begin, end, c.scratch + thread * c.scratch_bytes);
}

// A call whose time is taken: each thread writes to its own list, which has room for a span a launch.
struct MeasuredCall : Call {
  RunProfile::Lane* threads;
  uint32_t launch;
  double run_start;
};
void invoke_measured(void* context, int64_t begin, int64_t end, int thread) {
  const MeasuredCall& c = *static_cast<const MeasuredCall*>(context);
  const double start = now_us() - c.run_start;
  c.fn(c.buffers, begin, end, c.scratch + thread * c.scratch_bytes);
  const double stop = now_us() - c.run_start;
  auto& list = c.threads[thread].busy;
  if (list.empty() || list.back().launch != c.launch) list.push_back({{start, 0}, c.launch});
  list.back().duration_us = stop - list.back().start_us;
}

struct CpuContext final : RunContext {
  CpuContext(const Graph& graph, const plan::Storage& storage, ThreadPool& threads) : pool(threads), values(graph, storage) {}
  ThreadPool& pool;
  std::shared_ptr<std::byte> arena, scratch;
  HostValues values;
  std::vector<void*> pointers;        // tables of all launches, one after another
  std::vector<ValueId> pointer_roots; // whose address each entry is; invalid: fixed
  int flag = 0;
};

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const Graph& graph, const plan::Storage& storage) : Executable(graph, storage) {}
  Status make(std::vector<codegen::Kernel> kernels, cpu::KernelCompiler* source, const ExecutableOptions& options);
  Result<std::unique_ptr<RunContext>> make_context(ThreadPool& pool) const override;
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, RunContext& context) const override;
  const char* language() const override { return "C"; }

 private:
  // Everything is resolved but the addresses, which a context holds.
  struct Launch {
    cpu::KernelFn fn = nullptr; // null: builtin
    size_t first_pointer = 0;   // into the context's table
  };
  Status compile(const std::vector<codegen::Kernel>& kernels, cpu::KernelCompiler& source, const ExecutableOptions& options);
  void make_builtin(codegen::Kernel& kernel) const;
  Status pack(const codegen::Kernel& kernel);
  Status launch(size_t index, CpuContext& c) const;
  Status launch_measured(size_t index, double run_start, CpuContext& c) const;

  std::vector<Launch> launches_; // one a kernel
  std::vector<std::shared_ptr<const void>> code_;
  std::vector<std::vector<std::shared_ptr<std::byte>>> packed_; // a kernel's packed constants
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
  kernel.reads.clear(), kernel.writes.clear();
  codegen::find_builtin_operands(graph_, storage_, kernel);
}

Status CpuExecutable::pack(const codegen::Kernel& kernel) {
  std::vector<std::shared_ptr<std::byte>> packed(kernel.buffers.size());
  for (const codegen::Kernel::Packed& p : kernel.packed) {
    auto memory = allocate_aligned(p.bytes);
    if (!memory) return over_limit("kernel " + kernel.name, "no memory for " + std::to_string(p.bytes) + " bytes of packed weights");
    const Tensor weights = graph_.producer(storage_.access(p.source).root).attrs.tensor("data").aligned();
    p.pack(weights.data(), memory.get());
    packed[static_cast<size_t>(p.buffer)] = std::move(memory);
  }
  packed_.push_back(std::move(packed));
  return {};
}

Status CpuExecutable::make(std::vector<codegen::Kernel> kernels, cpu::KernelCompiler* source, const ExecutableOptions& options) {
  const double start = now_us();
  launches_.resize(kernels.size());
  if (source) {
    if (Status s = compile(kernels, *source, options); !s) return s;
  } else {
    for (codegen::Kernel& k : kernels) make_builtin(k);
  }
  codegen_ms = (now_us() - start) / 1000;
  size_t pointers = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    launches_[i].first_pointer = pointers;
    pointers += kernels[i].buffers.size() + 1;
    scratch_bytes_ = std::max(scratch_bytes_, (kernels[i].scratch_bytes + 127) / 64 * 64);
    if (Status s = pack(kernels[i]); !s) return s;
  }
  kernels_.assign(std::make_move_iterator(kernels.begin()), std::make_move_iterator(kernels.end()));
  return plan(schedule(), options);
}

Result<std::unique_ptr<RunContext>> CpuExecutable::make_context(ThreadPool& pool) const {
  auto c = std::make_unique<CpuContext>(graph_, storage_, pool);
  c->arena = allocate_aligned(memory_.peak);
  c->scratch = allocate_aligned(scratch_bytes_ * pool.size());
  if (!c->arena || !c->scratch) return over_limit("arena", "no memory for " + std::to_string(memory_.peak) + " bytes", "bind smaller dims");
  auto& address = c->values.address;
  for (const plan::Allocation& p : memory_.placements)
    for (ValueId root : p.roots) address[root.v] = c->arena.get() + p.offset;
  for (size_t v = 0; v < constants_.size(); ++v)
    if (constants_[v].valid()) address[v] = const_cast<std::byte*>(constants_[v].data());
  for (size_t i = 0; i < kernels_.size(); ++i) {
    for (size_t b = 0; b < kernels_[i].buffers.size(); ++b) {
      const bool fixed = packed_[i][b] != nullptr;
      c->pointers.push_back(fixed ? packed_[i][b].get() : nullptr);
      c->pointer_roots.push_back(fixed ? ValueId() : kernels_[i].buffers[b]);
    }
    c->pointers.push_back(&c->flag);
    c->pointer_roots.push_back({});
  }
  return std::unique_ptr<RunContext>(std::move(c));
}

Status CpuExecutable::launch(size_t index, CpuContext& c) const {
  const Launch& l = launches_[index];
  const codegen::GroupKernel& k = kernels_[index];
  if (!l.fn) return c.values.run(k, c.arena);
  Call call{l.fn, c.pointers.data() + l.first_pointer, c.scratch.get(), scratch_bytes_};
  c.pool.run(k.units, invoke, &call);
  return c.flag ? Status(out_of_range(index)) : Status();
}

Status CpuExecutable::launch_measured(size_t index, double run_start, CpuContext& c) const {
  const Launch& l = launches_[index];
  const double start = now_us() - run_start;
  Status done;
  if (l.fn) {
    const codegen::GroupKernel& k = kernels_[index];
    MeasuredCall call{{l.fn, c.pointers.data() + l.first_pointer, c.scratch.get(), scratch_bytes_}, c.measured.lanes.data(), static_cast<uint32_t>(index), run_start};
    c.pool.run(k.units, invoke_measured, &call);
    if (c.flag) done = out_of_range(index);
  } else {
    done = launch(index, c);
    c.measured.lanes[0].busy.push_back({{start, now_us() - run_start - start}, static_cast<uint32_t>(index)});
  }
  c.measured.calls.push_back({start, now_us() - run_start - start});
  return done;
}

Result<std::vector<Tensor>> CpuExecutable::run(std::span<const Tensor> inputs, RunContext& context) const {
  CpuContext& c = static_cast<CpuContext&>(context);
  auto& address = c.values.address;
  std::vector<Tensor> held;
  for (size_t i = 0; i < graph_.params().size(); ++i) {
    if (!graph_.params()[i]) continue;
    held.push_back(inputs[i].aligned());
    address[graph_.node(graph_.params()[i]).outputs[0].v] = const_cast<std::byte*>(held.back().data());
  }
  std::vector<Tensor> outputs = make_outputs(inputs, [&](ValueId v, Tensor& t) { address[v.v] = t.mutable_data(); });
  for (size_t i = 0; i < c.pointers.size(); ++i)
    if (c.pointer_roots[i]) c.pointers[i] = address[c.pointer_roots[i].v];
  c.flag = 0;
  if (c.profile) {
    c.measured.calls.clear();
    c.measured.calls.reserve(launches_.size());
    c.measured.lanes.resize(static_cast<size_t>(c.pool.size()));
    for (size_t t = 0; t < c.measured.lanes.size(); ++t) {
      c.measured.lanes[t].name = "thread " + std::to_string(t);
      c.measured.lanes[t].busy.clear(), c.measured.lanes[t].busy.reserve(launches_.size());
    }
  }
  const double run_start = c.profile ? now_us() : 0;
  for (size_t i = 0; i < launches_.size(); ++i) {
    if (Status s = c.profile ? launch_measured(i, run_start, c) : launch(i, c); !s) return s.error();
    if (c.observe)
      for (ValueId v : kernels_[i].writes) c.observe(static_cast<int>(i), v, c.values.view(v, c.arena));
  }
  if (c.profile) c.measured.duration_us = c.measured.calls.empty() ? 0 : c.measured.calls.back().end_us();
  return outputs;
}

} // namespace

Result<std::shared_ptr<const Executable>> make_cpu_executable(const Graph& graph, std::vector<codegen::Kernel> kernels, const plan::Storage& storage, cpu::KernelCompiler* source, const ExecutableOptions& options) {
  auto made = std::make_shared<CpuExecutable>(graph, storage);
  if (Status s = made->make(std::move(kernels), source, options); !s) return s.error();
  return std::shared_ptr<const Executable>(std::move(made));
}

} // namespace cutaway::runtime
