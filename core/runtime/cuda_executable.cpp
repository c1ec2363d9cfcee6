#include "runtime/cuda_executable.h"

#include "base/check.h"
#include "base/clock.h"
#include "runtime/cuda/libraries.h"
#include "runtime/cuda/run.h"
#include "runtime/cuda/tell.h"
#include "runtime/tell_streams.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <unordered_map>

namespace cutaway::runtime {
namespace {

constexpr int64_t alignment = 256; // of every value outside the arena

int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

class CudaExecutable final : public Executable {
 public:
  CudaExecutable(const Graph& graph, const plan::Storage& storage, std::shared_ptr<const cuda::Device> device) : Executable(graph, storage) { program_.device = std::move(device); }
  Status make(std::vector<codegen::CudaKernel> kernels, const ExecutableOptions& options);
  Result<std::unique_ptr<RunContext>> make_context(ThreadPool& pool) const override;
  Status hold(RunContext& context) const override;
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, RunContext& context) const override;
  std::optional<RunProfile> planned() const override { return planned_run(program_); }
  const char* language() const override { return "CUDA C++"; }

 private:
  Status compile(const std::vector<codegen::CudaKernel>& kernels, const ExecutableOptions& options);
  Status plan_streams(std::vector<codegen::CudaKernel>& kernels, const ExecutableOptions& options);
  Status upload();
  Status place(CudaContext& c) const;
  Status place_values(CudaContext& c) const;
  Status place_mirrors(CudaContext& c) const;
  void take_inputs(std::span<const Tensor> inputs, std::vector<Tensor>& held, CudaContext& c) const;
  Status measure(CudaRun& run, const CudaClock& clock, CudaContext& c) const;
  const cuda::Device& device() const { return *program_.device; }
  int64_t bytes_of(ValueId v) const { return graph_.type(v).bytes(); }

  CudaProgram program_;
};

// Each text once, two at a time: one takes tens of milliseconds, and layers of a model have equal ones.
Status CudaExecutable::compile(const std::vector<codegen::CudaKernel>& kernels, const ExecutableOptions& options) {
  std::unordered_map<std::string_view, size_t> index;
  std::vector<std::vector<size_t>> alike; // kernels of each text
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].builtin()) continue;
    const auto [at, fresh] = index.try_emplace(kernels[i].text, alike.size());
    if (fresh) alike.emplace_back();
    alike[at->second].push_back(i);
  }
  std::vector<Status> done(alike.size());
  std::atomic<size_t> next = 0, ready = 0;
  const auto work = [&](bool tells) {
    for (size_t t; (t = next++) < alike.size();) {
      const codegen::CudaKernel& k = kernels[alike[t].front()];
      if (options.cancel && *options.cancel) done[t] = over_limit("codegen", "the compile was called off", "compile again");
      else if (auto code = program_.device->load({k.text, k.symbol, options.strict, options.fast, k.shared_bytes, options.cache}))
        for (const size_t i : alike[t]) program_.launches[i].code = *code;
      else done[t] = code.error();
      ++ready;
      if (tells && options.progress) options.progress(ready, alike.size());
    }
  };
  {
    std::jthread other([&] { work(false); });
    work(true);
  }
  for (size_t t = 0; t < alike.size(); ++t)
    if (!done[t]) return within("kernel " + kernels[alike[t].front()].name, done[t].error());
  return {};
}

Status CudaExecutable::make(std::vector<codegen::CudaKernel> kernels, const ExecutableOptions& options) {
  const double start = now_us();
  program_.launches.resize(kernels.size());
  if (Status s = compile(kernels, options); !s) return s;
  codegen_ms = (now_us() - start) / 1000;
  for (size_t i = 0; i < kernels.size(); ++i) {
    codegen::CudaKernel& k = kernels[i];
    DeviceLaunch& l = program_.launches[i];
    for (size_t d = 0; d < 3; ++d) l.grid[d] = static_cast<unsigned>(k.grid[d]);
    l.threads = static_cast<unsigned>(k.threads), l.shared = static_cast<unsigned>(k.shared_bytes);
    l.checks_indices = k.checks_indices, l.bytes = k.bytes, l.flops = k.flops, l.why_on_host = k.why_not;
    program_.checks = program_.checks || l.checks_indices;
    k.units = l.blocks();
  }
  program_.captures = options.capture;
  if (Status s = plan_streams(kernels, options); !s) return s;
  if (Status s = upload(); !s) return s;
  return take_libraries(kernels, graph_, program_.device, options.strict ? Libraries::off : options.libraries, program_.launches, options.journal);
}

// Streams first, as if all values lay apart; then an arena in which what may run at once shares nothing. Where that makes
// the arena much larger than one stream needs, or than there is room for, it is packed for one stream, and the streams wait
// for what they reuse.
Status CudaExecutable::plan_streams(std::vector<codegen::CudaKernel>& kernels, const ExecutableOptions& options) {
  DevicePlanner planner(graph_, kernels, program_.launches, device().model(), options.streams);
  program_.regions = planner.regions();
  size_t pointers = 0;
  for (size_t i = 0; i < kernels.size(); ++i) program_.launches[i].first_pointer = pointers, pointers += kernels[i].buffers.size() + 1;
  kernels_.assign(kernels.begin(), kernels.end());
  const int64_t free = device().free_bytes();
  if (Status s = plan(schedule(DevicePlanner::beside(program_.regions, kernels.size()), free > 0 ? free : INT64_MAX), options); !s) return s;
  planner.order_reuse(program_.regions, memory_);
  const std::string race = planner.find_race(program_.regions, memory_);
  CUTAWAY_CHECK(race.empty(), "streams race: " + race);
  DevicePlanner::wire(program_.regions);
  if (options.journal) {
    Part part{0, program_.regions.size()};
    for (const DeviceRegion& r : program_.regions) {
      ++part.number;
      std::vector<std::optional<uint32_t>> kernel;
      for (const DeviceWork& w : r.works) kernel.push_back(w.kind == DeviceWork::Kind::launch ? std::optional(w.kernel) : std::nullopt);
      if (!kernel.empty()) tell_streams(r.streams, kernel, kernels_, options.streams, part, *options.journal);
    }
    tell_capture(program_.regions, kernels_, program_.launches, program_.captures, *options.journal);
  }
  for (const DeviceRegion& r : program_.regions) {
    program_.queues = std::max(program_.queues, r.streams.queues);
    if (r.streams.queues > 1) program_.events = std::max(program_.events, r.wiring.events + 1);
    for (const DeviceWork& w : r.works)
      if (w.is_copy() && std::find(program_.copied.begin(), program_.copied.end(), w.value) == program_.copied.end()) program_.copied.push_back(w.value);
  }
  return {};
}

// The constants that kernels on the device read, in one piece of its memory.
Status CudaExecutable::upload() {
  std::vector<ValueId> roots;
  std::vector<bool> taken(graph_.value_bound(), false);
  for (size_t i = 0; i < kernels_.size(); ++i)
    for (const ValueId v : kernels_[i].reads)
      if (program_.launches[i].code && constants_[v.v].valid() && !taken[v.v]) taken[v.v] = true, roots.push_back(v);
  int64_t bytes = 0;
  for (const ValueId v : roots) bytes += aligned(constants_[v.v].bytes());
  auto memory = device().allocate(bytes, "weights");
  if (!memory) return memory.error();
  program_.weights = std::move(*memory);
  program_.weight.assign(graph_.value_bound(), 0);
  int64_t at = 0;
  for (const ValueId v : roots) {
    const Tensor& t = constants_[v.v];
    program_.weight[v.v] = program_.weights.at() + static_cast<cuda::CUdeviceptr>(at);
    if (t.bytes())
      if (Status s = device().check(device().api().cuMemcpyHtoD(program_.weight[v.v], t.data(), static_cast<size_t>(t.bytes())), "weights", "cuMemcpyHtoD"); !s) return s;
    at += aligned(t.bytes());
  }
  return {};
}

// Params and outputs; what else the host makes lies in the arena.
Status CudaExecutable::place_values(CudaContext& c) const {
  std::vector<ValueId> roots;
  for (const NodeId p : graph_.params())
    if (p) roots.push_back(graph_.node(p).outputs[0]);
  for (const GraphOutput& o : graph_.outputs()) {
    const Op op = graph_.producer(o.value).op;
    if (op != Op::param && op != Op::constant && std::find(roots.begin(), roots.end(), o.value) == roots.end()) roots.push_back(o.value);
  }
  int64_t bytes = 0;
  for (const ValueId v : roots) bytes += aligned(bytes_of(v));
  auto memory = device().allocate(bytes, "inputs and outputs");
  if (!memory) return memory.error();
  c.values = std::move(*memory);
  int64_t at = 0;
  for (const ValueId v : roots) c.address[v.v] = c.values.at() + static_cast<cuda::CUdeviceptr>(at), at += aligned(bytes_of(v));
  return {};
}

// Pinned memory for what works copy, ordinary memory for what only the host makes and reads.
Status CudaExecutable::place_mirrors(CudaContext& c) const {
  const int64_t flags = aligned(static_cast<int64_t>(kernels_.size() * sizeof(int)));
  int64_t bytes = flags;
  for (const ValueId v : program_.copied) bytes += aligned(bytes_of(v));
  auto memory = device().allocate_pinned(bytes, "what is copied to and from the device");
  if (!memory) return memory.error();
  c.pinned = std::move(*memory);
  c.found = reinterpret_cast<int*>(c.pinned.at());
  int64_t at = flags;
  for (const ValueId v : program_.copied) c.host.address[v.v] = c.pinned.at() + at, at += aligned(bytes_of(v));
  for (size_t i = 0; i < kernels_.size(); ++i) {
    if (program_.launches[i].code) continue;
    for (const ValueId v : kernels_[i].writes) {
      if (c.host.address[v.v]) continue;
      c.unpinned[v.v] = allocate_aligned(bytes_of(v));
      if (!c.unpinned[v.v]) return over_limit("arena", "no memory for " + std::to_string(bytes_of(v)) + " bytes", "bind smaller dims");
      c.host.address[v.v] = c.unpinned[v.v].get();
    }
  }
  return {};
}

Result<std::unique_ptr<RunContext>> CudaExecutable::make_context(ThreadPool&) const {
  auto c = std::make_unique<CudaContext>(graph_, storage_, program_.device);
  if (Status s = hold(*c); !s) return s.error();
  return std::unique_ptr<RunContext>(std::move(c));
}

Status CudaExecutable::hold(RunContext& context) const {
  CudaContext& c = static_cast<CudaContext&>(context);
  if (c.held) return {};
  if (Status s = device().bind(); !s) return s;
  c.held = true;
  Status placed = place(c);
  if (!placed) c.release();
  return placed;
}

Status CudaExecutable::place(CudaContext& c) const {
  c.address = program_.weight;
  c.unpinned.resize(graph_.value_bound());
  for (const auto& [memory, bytes, what] : {std::tuple<cuda::Memory*, int64_t, const char*>{&c.arena, memory_.peak, "intermediate values"}, {&c.flags, program_.checks ? static_cast<int64_t>(kernels_.size() * sizeof(int)) : 0, "flags"}}) {
    auto made = device().allocate(bytes, what);
    if (!made) return made.error();
    *memory = std::move(*made);
  }
  for (size_t v = 0; v < constants_.size(); ++v)
    if (constants_[v].valid()) c.host.address[v] = const_cast<std::byte*>(constants_[v].data());
  if (Status s = place_values(c); !s) return s;
  if (Status s = place_mirrors(c); !s) return s;
  for (const plan::Allocation& p : memory_.placements)
    for (const ValueId root : p.roots) c.address[root.v] = c.arena.at() + static_cast<cuda::CUdeviceptr>(p.offset);
  c.pointers.clear(), c.params.clear();
  for (size_t i = 0; i < kernels_.size(); ++i) {
    for (const ValueId root : kernels_[i].buffers) c.pointers.push_back(c.address[root.v]);
    c.pointers.push_back(c.flags.at() + i * sizeof(int));
  }
  for (cuda::CUdeviceptr& p : c.pointers) c.params.push_back(&p);
  return {};
}

// To where copies to the device start, or as they lie where only the host reads them.
void CudaExecutable::take_inputs(std::span<const Tensor> inputs, std::vector<Tensor>& held, CudaContext& c) const {
  for (size_t i = 0; i < graph_.params().size(); ++i) {
    if (!graph_.params()[i]) continue;
    const ValueId v = graph_.node(graph_.params()[i]).outputs[0];
    const Tensor& t = held.emplace_back(inputs[i].aligned());
    if (std::find(program_.copied.begin(), program_.copied.end(), v) == program_.copied.end()) c.host.address[v.v] = const_cast<std::byte*>(t.data());
    else std::memcpy(c.host.address[v.v], t.data(), static_cast<size_t>(t.bytes()));
  }
}

// What the clock saw of the run that it timed, and of a replay of the same launches.
Status CudaExecutable::measure(CudaRun& run, const CudaClock& clock, CudaContext& c) const {
  if (Status s = clock.read(c.measured); !s) return s;
  if (!program_.captures) return {};
  if (c.replays.empty() || c.stale)
    if (Status s = run.capture(); !s) return {}; // the picture goes without it
  CudaClock again(program_, c);
  if (Status s = run.replay_once(again); !s) return s;
  return again.read_replay(c.measured.replayed.emplace());
}

Result<std::vector<Tensor>> CudaExecutable::run(std::span<const Tensor> inputs, RunContext& context) const {
  CudaContext& c = static_cast<CudaContext&>(context);
  if (Status s = hold(c); !s) return s.error();
  if (Status s = device().bind(); !s) return s.error();
  if (c.streams.size() != program_.queues || c.events.size() != static_cast<size_t>(program_.events))
    if (Status s = c.make_streams(program_.queues, program_.events); !s) return s.error();
  CudaRun run(graph_, program_, kernels_, c);
  if (program_.captures && !c.observe && !c.profile && (++c.runs == 2 || c.stale))
    if (Status s = run.capture(); !s && c.streams.size() != program_.queues) return s.error();
  std::vector<Tensor> held;
  take_inputs(inputs, held, c);
  std::fill(c.found, c.found + kernels_.size(), 0);
  c.measured = {};
  std::optional<CudaClock> clock;
  if (c.profile) clock.emplace(program_, c);
  if (Status s = run.run(clock ? &*clock : nullptr); !s) return s.error();
  for (size_t i = 0; i < kernels_.size(); ++i)
    if (c.found[i]) return out_of_range(i);
  std::vector<Tensor> outputs = make_outputs(inputs, [&](ValueId v, Tensor& t) {
    if (t.bytes()) std::memcpy(t.mutable_data(), c.host.address[v.v], static_cast<size_t>(t.bytes()));
  });
  if (clock)
    if (Status s = measure(run, *clock, c); !s) return s.error();
  return outputs;
}

} // namespace

Result<std::shared_ptr<const Executable>> make_cuda_executable(const Graph& graph, std::vector<codegen::CudaKernel> kernels, const plan::Storage& storage, std::shared_ptr<const cuda::Device> device, const ExecutableOptions& options) {
  auto made = std::make_shared<CudaExecutable>(graph, storage, std::move(device));
  if (Status s = made->make(std::move(kernels), options); !s) return s.error();
  return std::shared_ptr<const Executable>(std::move(made));
}

} // namespace cutaway::runtime
