#include "backend/cuda/sim/call.h"
#include "backend/cuda/sim/callbacks.h"
#include "backend/cuda/sim/submit.h"

#include "backend/cpu/jit/kernel_compiler.h"
#include "backend/cpu/jit/linker.h"
#include "backend/cuda/api_calls.h"
#include "base/check.h"

namespace cutaway::cuda {

namespace sim {

namespace {

struct Process {
  std::mutex mutex;
  std::shared_ptr<Sim> sim;
};

Process& process() {
  static Process the;
  return the;
}

std::optional<Note>& pending_note() {
  thread_local std::optional<Note> note;
  return note;
}

// For the functions of the side door.
Call inside() {
  Call call;
  call.lock = std::unique_lock(api_mutex());
  call.owner = process().sim;
  CUTAWAY_CHECK(call.owner, "the simulated driver is not running");
  return call;
}

} // namespace

std::mutex& api_mutex() {
  return process().mutex;
}

std::shared_ptr<Sim> current_sim() {
  return process().sim;
}

CUcontext& current_context() {
  thread_local CUcontext context = nullptr;
  return context;
}

std::optional<Note> take_note() {
  return std::exchange(pending_note(), std::nullopt);
}

Call enter(const char* name, Scope scope) {
  Call call;
  call.lock = std::unique_lock(api_mutex());
  call.owner = process().sim;
  if (!call.owner) {
    call.refused = CUDA_ERROR_NOT_INITIALIZED;
    return call;
  }
  Sim& sim = *call.owner;
  ++sim.calls[name];
  if (auto at = sim.failures.find(name); at != sim.failures.end() && --at->second.nth == 0) {
    call.refused = at->second.code;
    if (at->second.lasting) sim.sticky = CUresult(call.refused);
    sim.failures.erase(at);
  } else if (scope != Scope::library && !sim.initialized) {
    call.refused = CUDA_ERROR_NOT_INITIALIZED;
  } else if (scope == Scope::context) {
    call.refused = !sim.context || current_context() != sim.context ? CUDA_ERROR_INVALID_CONTEXT : sim.sticky;
  }
  return call;
}

Sim::Sim(const DeviceModel& model, std::shared_ptr<cpu::KernelCompiler> with, std::shared_ptr<cpu::Linker> link)
    : device(model), compiler(std::move(with)), linker(std::move(link)), clock(model) {
  default_stream.lane = order.new_lane();
}

Stream* Sim::stream(CUstream handle) {
  const auto legacy = reinterpret_cast<CUstream>(uintptr_t{1});
  return !handle || handle == legacy ? &default_stream : streams.find(handle).get();
}

std::vector<Capture*> Sim::active_captures() {
  std::vector<Capture*> active;
  std::erase_if(captures, [](const auto& c) { return c.expired(); });
  for (const auto& c : captures) active.push_back(c.lock().get());
  return active;
}

std::vector<std::string> Sim::live() const {
  std::vector<std::string> out;
  for (const auto& [at, block] : memory.live()) out.push_back(std::to_string(block.bytes) + " bytes of device memory");
  for (const auto& [at, block] : pinned) out.push_back(std::to_string(block.bytes) + " bytes of pinned host memory");
  auto count = [&](size_t n, const char* what) { out.insert(out.end(), n, what); };
  count(streams.size(), "a stream");
  count(events.size(), "an event");
  count(graphs.size(), "a graph");
  count(execs.size(), "an executable graph");
  count(modules.size(), "a module");
  count(programs.size(), "a program");
  count(pools.size() - (default_pool ? 1 : 0), "a memory pool");
  return out;
}

void Sim::release_context() {
  for (const std::string& left : live())
    if (left != "a program") reports.push_back("leak: " + left + " when the context was released");
  for (Capture* c : active_captures()) c->invalid = true;
  for (const auto& [handle, stream] : streams) stream->capture.reset();
  streams.clear();
  events.clear();
  graphs.clear();
  nodes.clear();
  execs.clear();
  modules.clear();
  functions.clear();
  pools.clear();
  pool_of.clear();
  default_pool = nullptr;
  for (const auto& [at, block] : memory.live()) memory.release(at);
  pinned.clear();
  default_stream.tail = host = gone = {};
  context = nullptr;
}

void note_next(Note note) {
  pending_note() = std::move(note);
}

void fail_nth(const std::string& name, int code, int nth, bool lasting) {
  Call call = inside();
  bool known = false;
  Api table;
  auto look = [&](const char* n, const char*, auto&) { known |= n == name; };
  each_driver_call(table, look);
  each_nvrtc_call(table, look);
  const auto look_in_library = [&](const char* n, auto&) { known |= n == name; };
  BlasCalls blas;
  each_blas_call(blas, look_in_library);
  DnnCalls dnn;
  each_dnn_call(dnn, look_in_library);
  CUTAWAY_CHECK(known && code && nth > 0, name);
  call.sim().failures[name] = {code, nth, lasting};
}

void set_pick(Pick pick, uint64_t seed) {
  inside().sim().executor.set_pick(pick, seed);
}
void set_checked(bool on) {
  inside().sim().checked = on;
}
void set_watchdog_ms(int ms) {
  inside().sim().executor.set_watchdog(std::chrono::milliseconds(ms));
}
void hold(bool on) {
  inside().sim().executor.hold(on);
}

void reset() {
  std::shared_ptr<Sim> old;
  Call call = inside();
  old = std::move(call.owner);
  process().sim = std::make_shared<Sim>(old->device, old->compiler, old->linker);
  call.lock.unlock(); // the old one's threads end without it
}

std::vector<std::string> take_reports() {
  return std::exchange(inside().sim().reports, {});
}
std::vector<std::string> live() {
  return inside().sim().live();
}
std::vector<Span> timeline() {
  Call call = inside();
  return {call.sim().clock.spans().begin(), call.sim().clock.spans().end()};
}
Counters counters() {
  return inside().sim().executor.counters();
}
std::map<std::string, uint64_t> calls() {
  return inside().sim().calls;
}
std::string compiler_identity() {
  return image_identity(inside().sim().checked);
}

} // namespace sim

bool has_simulator() {
  return true;
}

Result<Api> simulated(const DeviceModel& model, std::shared_ptr<cpu::KernelCompiler> compiler) {
  if (!compiler) {
    cpu::CompilerConfig config;
    config.cache_dir = default_cache_dir();
    auto made = cpu::KernelCompiler::create(config);
    if (!made) return made.error();
    compiler = std::move(*made);
  }
  auto linker = cpu::Linker::create(sim::kernel_callbacks());
  if (!linker) return linker.error();
  std::shared_ptr<sim::Sim> old;
  {
    std::lock_guard lock(sim::api_mutex());
    old = std::exchange(sim::process().sim, std::make_shared<sim::Sim>(model, std::move(compiler), std::move(*linker)));
  }
  Api api;
  sim::put_device_calls(api);
  sim::put_memory_calls(api);
  sim::put_pool_calls(api);
  sim::put_module_calls(api);
  sim::put_stream_calls(api);
  sim::put_event_calls(api);
  sim::put_graph_calls(api);
  sim::put_nvrtc_calls(api);
  return api;
}

} // namespace cutaway::cuda
