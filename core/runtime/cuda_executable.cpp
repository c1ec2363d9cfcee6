#include "runtime/cuda_executable.h"

#include "backend/cuda/sim/sim.h"
#include "base/clock.h"
#include "runtime/host_values.h"

#include <algorithm>
#include <thread>
#include <unordered_map>

namespace cutaway::runtime {
namespace {

using namespace cuda; // the driver's names

constexpr int64_t alignment = 256; // of every value outside the arena

int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// A graph of launches that can be submitted as one.
struct Replay {
  explicit Replay(std::shared_ptr<const cuda::Device> on) : device(std::move(on)) {}
  ~Replay() {
    if (exec && device->bind().ok()) device->api().cuGraphExecDestroy(exec);
  }
  std::shared_ptr<const cuda::Device> device;
  CUgraphExec exec = nullptr;
};

// Events that take times, two a launch.
class Stopwatch {
 public:
  Stopwatch(const cuda::Device& device, size_t launches) : device_(device), events_(2 * launches, nullptr) {
    for (CUevent& e : events_) ok_ = ok_ && device.api().cuEventCreate(&e, 0) == CUDA_SUCCESS;
  }
  ~Stopwatch() {
    for (const CUevent e : events_)
      if (e) device_.api().cuEventDestroy(e);
  }
  void start(size_t launch, CUstream stream) { record(2 * launch, stream); }
  void stop(size_t launch, CUstream stream) { record(2 * launch + 1, stream); }
  // Once the stream is done: what each launch took, from the start of the first.
  Status read(RunProfile& out) const {
    RunProfile::Lane lane{"stream", {}};
    for (size_t i = 0; 2 * i < events_.size(); ++i) {
      float begin = 0, end = 0;
      for (const auto& [ms, event] : {std::pair{&begin, 2 * i}, {&end, 2 * i + 1}})
        if (Status s = device_.check(ok_ ? device_.api().cuEventElapsedTime(ms, events_[0], events_[event]) : CUDA_ERROR_UNKNOWN, "profile", "cuEventElapsedTime"); !s) return s;
      lane.busy.push_back({{begin * 1e3, (end - begin) * 1e3}, static_cast<uint32_t>(i)});
    }
    out.lanes = {std::move(lane)};
    out.modelled = device_.modelled();
    out.duration_us = out.lanes[0].busy.empty() ? 0 : out.lanes[0].busy.back().end_us();
    return {};
  }

 private:
  void record(size_t event, CUstream stream) { ok_ = ok_ && device_.api().cuEventRecord(events_[event], stream) == CUDA_SUCCESS; }
  const cuda::Device& device_;
  std::vector<CUevent> events_;
  bool ok_ = true;
};

struct CudaContext final : RunContext {
  CudaContext(const Graph& graph, const plan::Storage& storage, std::shared_ptr<const cuda::Device> on) : device(std::move(on)), host(graph, storage), replay(device) {}
  ~CudaContext() override {
    stopwatch.reset();
    if (stream && device->bind().ok()) device->api().cuStreamDestroy(stream);
  }
  std::shared_ptr<const cuda::Device> device;
  cuda::Memory arena, values, flags, scratch; // values: params and outputs
  CUstream stream = nullptr;
  std::vector<CUdeviceptr> address;  // by value id: where its storage starts; 0: inside kernels only, or on the host only
  std::vector<CUdeviceptr> pointers; // what launches take, one after another
  std::vector<void*> params;         // where each of them stands
  HostValues host;                   // of kernels that run on the host, and of what is observed
  std::vector<std::shared_ptr<std::byte>> mirrors; // by value id
  int64_t runs = 0;
  Replay replay;
  std::optional<Stopwatch> stopwatch; // of a run with a profile
};

class CudaExecutable final : public Executable {
 public:
  CudaExecutable(const Graph& graph, const plan::Storage& storage, std::shared_ptr<const cuda::Device> device) : Executable(graph, storage), device_(std::move(device)) {}
  Status make(std::vector<codegen::CudaKernel> kernels, const ExecutableOptions& options);
  Result<std::unique_ptr<RunContext>> make_context(ThreadPool& pool) const override;
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, RunContext& context) const override;
  const char* language() const override { return "CUDA C++"; }

 private:
  struct Launch {
    std::shared_ptr<const cuda::Code> code; // null: on the host
    std::array<unsigned, 3> grid{1, 1, 1};
    unsigned threads = 1, shared = 0;
    bool checks_indices = false;
    double bytes = 0;
    size_t first_pointer = 0;
  };
  Status compile(const std::vector<codegen::CudaKernel>& kernels, const ExecutableOptions& options);
  Status upload();
  Status place_values(CudaContext& c) const;
  std::byte* mirror(ValueId root, CudaContext& c) const;
  void declare(size_t index, const CudaContext& c) const;
  Status launch(size_t index, CudaContext& c) const;
  Status run_on_host(size_t index, CudaContext& c) const;
  Status launch_all(CudaContext& c) const;
  Status capture(CudaContext& c) const;
  Status observe(size_t index, CudaContext& c) const;
  Status copy_in(ValueId root, CudaContext& c, const void* from) const;
  Status copy_out(ValueId root, CudaContext& c, void* to) const;
  Status finish(CudaContext& c) const;
  Status wait(CudaContext& c, const std::string& where) const { return device_->check(device_->api().cuStreamSynchronize(c.stream), where, "cuStreamSynchronize"); }
  int64_t bytes_of(ValueId v) const { return graph_.type(v).bytes(); }
  std::string place(size_t index) const { return "launch " + std::to_string(index) + " (" + kernels_[index].name + "), " + graph_.place(kernels_[index].nodes.front()); }

  std::shared_ptr<const cuda::Device> device_;
  std::vector<Launch> launches_; // one a kernel
  cuda::Memory weights_;
  std::vector<CUdeviceptr> weight_; // by value id: constants that kernels on the device read
  int64_t scratch_bytes_ = 0;
  bool checks_ = false;  // some kernel may find an index out of range
  bool captures_ = true; // nothing runs on the host, and it is asked for
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
      else if (auto code = device_->load(k.text, k.symbol, options.strict, options.fast, k.shared_bytes))
        for (const size_t i : alike[t]) launches_[i].code = *code;
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
  launches_.resize(kernels.size());
  captures_ = options.capture;
  if (Status s = compile(kernels, options); !s) return s;
  codegen_ms = (now_us() - start) / 1000;
  size_t pointers = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    codegen::CudaKernel& k = kernels[i];
    Launch& l = launches_[i];
    for (size_t d = 0; d < 3; ++d) l.grid[d] = static_cast<unsigned>(k.grid[d]);
    l.threads = static_cast<unsigned>(k.threads), l.shared = static_cast<unsigned>(k.shared_bytes);
    l.checks_indices = k.checks_indices, l.bytes = k.bytes, l.first_pointer = pointers;
    pointers += k.buffers.size() + 1;
    scratch_bytes_ = std::max(scratch_bytes_, k.scratch_bytes);
    captures_ = captures_ && l.code, checks_ = checks_ || l.checks_indices;
    k.units = k.grid[0] * k.grid[1] * k.grid[2];
  }
  kernels_.assign(std::make_move_iterator(kernels.begin()), std::make_move_iterator(kernels.end()));
  if (Status s = plan(options); !s) return s;
  return upload();
}

// The constants that kernels on the device read, in one piece of its memory.
Status CudaExecutable::upload() {
  std::vector<ValueId> roots;
  std::vector<bool> taken(graph_.value_bound(), false);
  for (size_t i = 0; i < kernels_.size(); ++i)
    for (const ValueId v : kernels_[i].reads)
      if (launches_[i].code && constants_[v.v].valid() && !taken[v.v]) taken[v.v] = true, roots.push_back(v);
  int64_t bytes = 0;
  for (const ValueId v : roots) bytes += aligned(constants_[v.v].bytes());
  auto memory = device_->allocate(bytes, "weights");
  if (!memory) return memory.error();
  weights_ = std::move(*memory);
  weight_.assign(graph_.value_bound(), 0);
  int64_t at = 0;
  for (const ValueId v : roots) {
    const Tensor& t = constants_[v.v];
    weight_[v.v] = weights_.at() + static_cast<CUdeviceptr>(at);
    if (t.bytes())
      if (Status s = device_->check(device_->api().cuMemcpyHtoD(weight_[v.v], t.data(), static_cast<size_t>(t.bytes())), "weights", "cuMemcpyHtoD"); !s) return s;
    at += aligned(t.bytes());
  }
  return {};
}

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
  auto memory = device_->allocate(bytes, "inputs and outputs");
  if (!memory) return memory.error();
  c.values = std::move(*memory);
  int64_t at = 0;
  for (const ValueId v : roots) c.address[v.v] = c.values.at() + static_cast<CUdeviceptr>(at), at += aligned(bytes_of(v));
  return {};
}

Result<std::unique_ptr<RunContext>> CudaExecutable::make_context(ThreadPool&) const {
  auto c = std::make_unique<CudaContext>(graph_, storage_, device_);
  if (Status s = device_->bind(); !s) return s.error();
  c->address = weight_;
  c->mirrors.resize(graph_.value_bound());
  for (const auto& [memory, bytes, what] : {std::tuple<cuda::Memory*, int64_t, const char*>{&c->arena, memory_.peak, "intermediate values"}, {&c->scratch, scratch_bytes_, "scratch"}, {&c->flags, checks_ ? static_cast<int64_t>(kernels_.size() * sizeof(int)) : 0, "flags"}}) {
    auto made = device_->allocate(bytes, what);
    if (!made) return made.error();
    *memory = std::move(*made);
  }
  if (Status s = place_values(*c); !s) return s.error();
  if (Status s = device_->check(device_->api().cuStreamCreate(&c->stream, CU_STREAM_NON_BLOCKING), "run", "cuStreamCreate"); !s) return s.error();
  for (const plan::Allocation& p : memory_.placements)
    for (const ValueId root : p.roots) c->address[root.v] = c->arena.at() + static_cast<CUdeviceptr>(p.offset);
  for (size_t v = 0; v < constants_.size(); ++v)
    if (constants_[v].valid()) c->host.address[v] = const_cast<std::byte*>(constants_[v].data());
  for (size_t i = 0; i < kernels_.size(); ++i) {
    for (const ValueId root : kernels_[i].buffers) c->pointers.push_back(c->address[root.v]);
    c->pointers.push_back(c->flags.at() + i * sizeof(int));
  }
  for (CUdeviceptr& p : c->pointers) c->params.push_back(&p);
  return std::unique_ptr<RunContext>(std::move(c));
}

// Host memory of a root, where it has some: its constant, or a copy made at need.
std::byte* CudaExecutable::mirror(ValueId root, CudaContext& c) const {
  if (!c.host.address[root.v]) {
    c.mirrors[root.v] = allocate_aligned(bytes_of(root));
    c.host.address[root.v] = c.mirrors[root.v].get();
  }
  return c.host.address[root.v];
}

Status CudaExecutable::copy_in(ValueId root, CudaContext& c, const void* from) const {
  const auto bytes = static_cast<size_t>(bytes_of(root));
  if (!bytes || !c.address[root.v]) return {};
  return device_->check(device_->api().cuMemcpyHtoDAsync(c.address[root.v], from, bytes, c.stream), "copy to the device", "cuMemcpyHtoDAsync");
}
Status CudaExecutable::copy_out(ValueId root, CudaContext& c, void* to) const {
  const auto bytes = static_cast<size_t>(bytes_of(root));
  if (!bytes || !c.address[root.v]) return {};
  return device_->check(device_->api().cuMemcpyDtoHAsync(to, c.address[root.v], bytes, c.stream), "copy from the device", "cuMemcpyDtoHAsync");
}

// What the simulator checks a launch against, and models its time from.
void CudaExecutable::declare(size_t index, const CudaContext& c) const {
  const codegen::GroupKernel& k = kernels_[index];
  cuda::sim::Note note{k.name, {}, launches_[index].bytes, k.flops};
  const auto add = [&](ValueId root, bool write) {
    if (c.address[root.v]) note.touches.push_back({c.address[root.v], c.address[root.v] + static_cast<CUdeviceptr>(bytes_of(root)), write});
  };
  for (const ValueId v : k.reads) add(v, false);
  for (const ValueId v : k.writes) add(v, true);
  if (launches_[index].checks_indices) note.touches.push_back({c.flags.at() + index * sizeof(int), c.flags.at() + (index + 1) * sizeof(int), true});
  cuda::sim::note_next(std::move(note));
}

Status CudaExecutable::launch(size_t index, CudaContext& c) const {
  const Launch& l = launches_[index];
  if (device_->modelled()) declare(index, c);
  const CUresult code = device_->api().cuLaunchKernel(l.code->function(), l.grid[0], l.grid[1], l.grid[2], l.threads, 1, 1, l.shared, c.stream, c.params.data() + l.first_pointer, nullptr);
  return code == CUDA_SUCCESS ? Status() : device_->check(code, place(index), "cuLaunchKernel");
}

Status CudaExecutable::run_on_host(size_t index, CudaContext& c) const {
  const codegen::GroupKernel& k = kernels_[index];
  for (const ValueId v : k.reads)
    if (std::byte* to = mirror(v, c); c.mirrors[v.v]) // params and constants are on the host anyway
      if (Status s = copy_out(v, c, to); !s) return s;
  if (Status s = wait(c, place(index)); !s) return s;
  for (const ValueId v : k.writes) mirror(v, c);
  if (Status s = c.host.run(k, nullptr); !s) return s;
  for (const ValueId v : k.writes)
    if (Status s = copy_in(v, c, c.host.address[v.v]); !s) return s;
  return wait(c, place(index));
}

Status CudaExecutable::observe(size_t index, CudaContext& c) const {
  for (const ValueId v : kernels_[index].writes) {
    if (Status s = copy_out(v, c, mirror(v, c)); !s) return s;
    if (Status s = wait(c, place(index)); !s) return s;
    c.observe(static_cast<int>(index), v, c.host.view(v, c.mirrors[v.v]));
  }
  return {};
}

Status CudaExecutable::launch_all(CudaContext& c) const {
  const double start = now_us();
  for (size_t i = 0; i < launches_.size(); ++i) {
    const double begin = now_us() - start;
    if (c.stopwatch) c.stopwatch->start(i, c.stream);
    if (Status s = launches_[i].code ? launch(i, c) : run_on_host(i, c); !s) return s;
    if (c.stopwatch) c.stopwatch->stop(i, c.stream), c.measured.calls.push_back({begin, now_us() - start - begin});
    if (c.observe)
      if (Status s = observe(i, c); !s) return s;
  }
  return {};
}

// A capture that fails costs only itself: the launches run one by one as before, in a stream that captures nothing.
Status CudaExecutable::capture(CudaContext& c) const {
  const cuda::Api& api = device_->api();
  if (Status s = device_->check(api.cuStreamBeginCapture(c.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "capture", "cuStreamBeginCapture"); !s) return s;
  const Status launched = launch_all(c);
  CUgraph graph = nullptr;
  const Status ended = device_->check(api.cuStreamEndCapture(c.stream, &graph), "capture", "cuStreamEndCapture");
  if (!ended) {
    api.cuStreamDestroy(std::exchange(c.stream, nullptr));
    if (Status s = device_->check(api.cuStreamCreate(&c.stream, CU_STREAM_NON_BLOCKING), "capture", "cuStreamCreate"); !s) return s;
  }
  Status made = !launched ? launched : ended;
  if (made) made = device_->check(api.cuGraphInstantiateWithFlags(&c.replay.exec, graph, 0), "capture", "cuGraphInstantiateWithFlags");
  if (graph) api.cuGraphDestroy(graph);
  return made;
}

// The first launch whose index ran out of range names the node.
Status CudaExecutable::finish(CudaContext& c) const {
  std::vector<int> flags(checks_ ? kernels_.size() : 0, 0);
  if (checks_)
    if (Status s = device_->check(device_->api().cuMemcpyDtoHAsync(flags.data(), c.flags.at(), flags.size() * sizeof(int), c.stream), "flags", "cuMemcpyDtoHAsync"); !s) return s;
  if (Status s = wait(c, "run"); !s) return s;
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) return out_of_range(i);
  return {};
}

Result<std::vector<Tensor>> CudaExecutable::run(std::span<const Tensor> inputs, RunContext& context) const {
  CudaContext& c = static_cast<CudaContext&>(context);
  if (Status s = device_->bind(); !s) return s.error();
  const bool alone = captures_ && !c.observe && !c.profile && !launches_.empty();
  if (alone && ++c.runs == 2) // nothing is in the stream yet
    if (Status s = capture(c); !s && !c.stream) return s.error();
  std::vector<Tensor> held;
  for (size_t i = 0; i < graph_.params().size(); ++i) {
    if (!graph_.params()[i]) continue;
    const ValueId v = graph_.node(graph_.params()[i]).outputs[0];
    held.push_back(inputs[i].aligned());
    c.host.address[v.v] = const_cast<std::byte*>(held.back().data());
    if (Status s = copy_in(v, c, held.back().data()); !s) return s.error();
  }
  if (checks_)
    if (Status s = device_->check(device_->api().cuMemsetD8Async(c.flags.at(), 0, kernels_.size() * sizeof(int), c.stream), "flags", "cuMemsetD8Async"); !s) return s.error();
  c.measured = {};
  c.stopwatch.reset();
  if (c.profile) c.stopwatch.emplace(*device_, launches_.size());
  Status done;
  if (alone && c.replay.exec) done = device_->check(device_->api().cuGraphLaunch(c.replay.exec, c.stream), "replay", "cuGraphLaunch");
  else done = launch_all(c);
  if (!done) return done.error();
  std::vector<std::pair<ValueId, std::byte*>> made;
  std::vector<Tensor> outputs = make_outputs(inputs, [&](ValueId v, Tensor& t) { made.emplace_back(v, t.mutable_data()); });
  for (const auto& [v, to] : made)
    if (Status s = copy_out(v, c, to); !s) return s.error();
  if (Status s = finish(c); !s) return s.error();
  if (c.stopwatch)
    if (Status s = c.stopwatch->read(c.measured); !s) return s.error();
  return outputs;
}

} // namespace

Result<std::shared_ptr<const Executable>> make_cuda_executable(const Graph& graph, std::vector<codegen::CudaKernel> kernels, const plan::Storage& storage, std::shared_ptr<const cuda::Device> device, const ExecutableOptions& options) {
  auto made = std::make_shared<CudaExecutable>(graph, storage, std::move(device));
  if (Status s = made->make(std::move(kernels), options); !s) return s.error();
  return std::shared_ptr<const Executable>(std::move(made));
}

} // namespace cutaway::runtime
