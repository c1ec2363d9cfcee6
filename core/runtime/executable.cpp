#include "runtime/executable.h"

#include "base/check.h"
#include "base/clock.h"
#include "ir/eval.h"

#include <algorithm>

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
  std::vector<RunProfile::Busy>* threads;
  uint32_t launch;
  double run_start;
};
void invoke_measured(void* context, int64_t begin, int64_t end, int thread) {
  const MeasuredCall& c = *static_cast<const MeasuredCall*>(context);
  const double start = now_us() - c.run_start;
  c.fn(c.buffers, begin, end, c.scratch + thread * c.scratch_bytes);
  const double stop = now_us() - c.run_start;
  auto& list = c.threads[thread];
  if (list.empty() || list.back().launch != c.launch) list.push_back({{start, 0}, c.launch});
  list.back().duration_us = stop - list.back().start_us;
}

// Calls f(i, position) for the elements in row-major order, with the position of each under the access.
template <class F> void for_each_element(const std::vector<int64_t>& dims, const plan::Access& a, F&& f) {
  const int64_t count = count_of(dims).value_or(0);
  std::vector<int64_t> index(dims.size(), 0);
  int64_t at = a.offset;
  for (int64_t i = 0; i < count; ++i) {
    f(i, at);
    for (size_t d = dims.size(); d-- > 0; index[d] = 0) {
      at += a.strides[d];
      if (++index[d] < dims[d]) break;
      at -= a.strides[d] * dims[d];
    }
  }
}

// Copies a tensor to where its storage lies, under the storage's strides.
void scatter_to(const Tensor& t, std::byte* base, const plan::Access& a) {
  const auto size = dtype_size(t.dtype());
  const Tensor full = t.aligned();
  if (a.strides == plan::dense_strides(t.dims(), {})) {
    if (t.bytes()) std::memcpy(base + a.offset * size, full.data(), static_cast<size_t>(t.bytes()));
    return;
  }
  for_each_element(t.dims(), a, [&](int64_t i, int64_t at) { std::memcpy(base + at * size, full.data() + i * size, static_cast<size_t>(size)); });
}

} // namespace

Executable::~Executable() = default;

Result<std::shared_ptr<const Executable>> Executable::make(const Graph& graph, std::vector<codegen::Kernel> kernels, const plan::Storage& storage, KernelSource* source, const ExecutableOptions& options) {
  std::shared_ptr<Executable> e(new Executable(graph, storage));
  const double start = now_us();
  std::vector<cpu::KernelUnit> units;
  std::vector<size_t> unit_of;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].builtin() || !source) continue;
    units.push_back({kernels[i].symbol, kernels[i].text, options.strict, options.fast});
    unit_of.push_back(i);
  }
  std::vector<cpu::KernelFn> code(kernels.size(), nullptr);
  if (source) {
    auto compiled = source->compile(units, options.cancel, options.progress);
    for (size_t u = 0; u < compiled.size(); ++u) {
      if (!compiled[u]) {
        Diagnostic d = compiled[u].error();
        d.where = "kernel " + kernels[unit_of[u]].name + (d.where.empty() ? "" : ": " + d.where);
        return d;
      }
      code[unit_of[u]] = compiled[u]->fn;
      e->code_.push_back(compiled[u]->keep_alive);
      e->kernels_from_cache += compiled[u]->from_cache;
    }
  }
  e->codegen_ms = (now_us() - start) / 1000;
  std::vector<plan::Step> schedule;
  for (const codegen::Kernel& k : kernels) schedule.push_back({k.reads, k.writes, k.in_place});
  e->memory_ = plan::plan_memory(graph, storage, schedule, options.memory_strategy, options.journal);
  constexpr int64_t arena_limit = int64_t{64} << 30;
  if (e->memory_.peak > arena_limit) return over_limit("arena", "the intermediate values need " + std::to_string(e->memory_.peak) + " bytes, the limit is 64 GiB", "bind smaller dims");
  e->constants_.resize(graph.value_bound());
  size_t pointers = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    codegen::Kernel& k = kernels[i];
    e->launches_.push_back({static_cast<int>(i), code[i], pointers});
    pointers += k.buffers.size() + 1;
    e->scratch_bytes_ = std::max(e->scratch_bytes_, (k.scratch_bytes + 127) / 64 * 64);
    std::vector<std::shared_ptr<std::byte>> packed(k.buffers.size());
    for (const codegen::Kernel::Packed& p : k.packed) {
      const ValueId root = storage.access(p.source).root;
      auto memory = allocate_aligned(p.bytes);
      if (!memory) return over_limit("kernel " + k.name, "no memory for " + std::to_string(p.bytes) + " bytes of packed weights");
      const Tensor weights = graph.producer(root).attrs.tensor("data").aligned();
      p.pack(weights.data(), memory.get());
      packed[static_cast<size_t>(p.buffer)] = std::move(memory);
    }
    e->packed_.push_back(std::move(packed));
    for (ValueId v : k.reads)
      if (graph.producer(v).op == Op::constant && !e->constants_[v.v].valid()) e->constants_[v.v] = graph.producer(v).attrs.tensor("data").aligned();
  }
  e->kernels_ = std::move(kernels);
  return std::shared_ptr<const Executable>(std::move(e));
}

std::unique_ptr<RunContext> Executable::make_context(ThreadPool& pool) const {
  auto c = std::make_unique<RunContext>();
  c->pool_ = &pool;
  c->arena_ = allocate_aligned(memory_.peak);
  c->scratch_ = allocate_aligned(scratch_bytes_ * pool.size());
  CUTAWAY_CHECK(c->arena_ && c->scratch_, "out of memory for an arena of " + std::to_string(memory_.peak) + " bytes");
  c->address_.assign(graph_.value_bound(), nullptr);
  for (const plan::Allocation& p : memory_.placements)
    for (ValueId root : p.roots) c->address_[root.v] = c->arena_.get() + p.offset;
  for (size_t v = 0; v < constants_.size(); ++v)
    if (constants_[v].valid()) c->address_[v] = const_cast<std::byte*>(constants_[v].data());
  for (size_t i = 0; i < kernels_.size(); ++i) {
    for (size_t b = 0; b < kernels_[i].buffers.size(); ++b) {
      const bool fixed = packed_[i][b] != nullptr;
      c->pointers_.push_back(fixed ? packed_[i][b].get() : nullptr);
      c->pointer_roots_.push_back(fixed ? ValueId() : kernels_[i].buffers[b]);
    }
    c->pointers_.push_back(&c->flag_);
    c->pointer_roots_.push_back({});
  }
  return c;
}

Tensor Executable::view(ValueId v, RunContext& c) const {
  const plan::Access& a = storage_.access(v);
  const Type& t = graph_.type(v);
  const auto dims = static_dims(t.shape);
  const std::byte* base = c.address_[a.root.v];
  const auto size = dtype_size(t.dtype);
  if (a.strides == plan::dense_strides(dims, {})) return Tensor(t.dtype, dims, base + a.offset * size, c.arena_);
  Tensor out(t.dtype, dims);
  for_each_element(dims, a, [&](int64_t i, int64_t at) { std::memcpy(out.mutable_data() + i * size, base + at * size, static_cast<size_t>(size)); });
  return out;
}

Status Executable::run_builtin(const codegen::Kernel& kernel, RunContext& c) const {
  // A group that could not be compiled runs node by node; its inner values live here only.
  std::vector<std::pair<ValueId, Tensor>> inner;
  for (NodeId id : kernel.nodes) {
    const Node& n = graph_.node(id);
    std::vector<Tensor> in;
    for (ValueId v : n.inputs) {
      const auto it = std::find_if(inner.begin(), inner.end(), [&](const auto& e) { return e.first == v; });
      in.push_back(it != inner.end() ? it->second : view(v, c));
    }
    std::vector<Type> types;
    for (ValueId v : n.outputs) types.push_back(graph_.type(v));
    auto out = eval(n.op, n.attrs, in, types);
    if (!out) {
      Diagnostic d = out.error();
      d.where = graph_.place(id) + (d.where.empty() ? "" : ": " + d.where);
      return d;
    }
    for (size_t i = 0; i < n.outputs.size(); ++i) {
      const ValueId v = n.outputs[i];
      if (c.address_[v.v]) scatter_to((*out)[i], c.address_[v.v], storage_.access(v));
      inner.emplace_back(v, (*out)[i]);
    }
  }
  return {};
}

Status Executable::launch(size_t index, RunContext& c) const {
  const Launch& l = launches_[index];
  const codegen::Kernel& k = kernels_[static_cast<size_t>(l.kernel)];
  if (!l.fn) return run_builtin(k, c);
  Call call{l.fn, c.pointers_.data() + l.first_pointer, c.scratch_.get(), scratch_bytes_};
  c.pool_->run(k.units, invoke, &call);
  return c.flag_ ? Status(bad_input(graph_.place(k.nodes.front()), "an index is out of range")) : Status();
}

Status Executable::launch_measured(size_t index, double run_start, RunContext& c) const {
  const Launch& l = launches_[index];
  const double start = now_us() - run_start;
  Status done;
  if (l.fn) {
    const codegen::Kernel& k = kernels_[static_cast<size_t>(l.kernel)];
    MeasuredCall call{{l.fn, c.pointers_.data() + l.first_pointer, c.scratch_.get(), scratch_bytes_}, c.measured.threads.data(), static_cast<uint32_t>(index), run_start};
    c.pool_->run(k.units, invoke_measured, &call);
    if (c.flag_) done = bad_input(graph_.place(k.nodes.front()), "an index is out of range");
  } else {
    done = launch(index, c);
    c.measured.threads[0].push_back({{start, now_us() - run_start - start}, static_cast<uint32_t>(index)});
  }
  c.measured.launches.push_back({start, now_us() - run_start - start});
  return done;
}

Result<std::vector<Tensor>> Executable::run(std::span<const Tensor> inputs, RunContext& c) const {
  std::vector<Tensor> held;
  for (size_t i = 0; i < graph_.params().size(); ++i) {
    if (!graph_.params()[i]) continue;
    held.push_back(inputs[i].aligned());
    c.address_[graph_.node(graph_.params()[i]).outputs[0].v] = const_cast<std::byte*>(held.back().data());
  }
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
      if (k < outputs.size()) outputs.push_back(outputs[k]);
      else outputs.emplace_back(graph_.type(o.value).dtype, static_dims(graph_.type(o.value).shape));
      c.address_[o.value.v] = outputs.back().mutable_data();
    }
  }
  for (size_t i = 0; i < c.pointers_.size(); ++i)
    if (c.pointer_roots_[i]) c.pointers_[i] = c.address_[c.pointer_roots_[i].v];
  c.flag_ = 0;
  if (c.profile) {
    c.measured.launches.clear();
    c.measured.launches.reserve(launches_.size());
    c.measured.threads.resize(static_cast<size_t>(c.pool_->size()));
    for (auto& list : c.measured.threads) list.clear(), list.reserve(launches_.size());
  }
  const double run_start = c.profile ? now_us() : 0;
  for (size_t i = 0; i < launches_.size(); ++i) {
    if (Status s = c.profile ? launch_measured(i, run_start, c) : launch(i, c); !s) return s.error();
    if (c.observe)
      for (ValueId v : kernels_[static_cast<size_t>(launches_[i].kernel)].writes) c.observe(launches_[i].kernel, v, view(v, c));
  }
  if (c.profile) c.measured.duration_us = c.measured.launches.empty() ? 0 : c.measured.launches.back().end_us();
  return outputs;
}

} // namespace cutaway::runtime
