#pragma once
#include "codegen/group_kernel.h"
#include "base/settings.h"
#include "plan/memory.h"
#include "plan/streams/events.h"
#include "runtime/profile.h"
#include "runtime/thread_pool.h"

#include <atomic>
#include <functional>
#include <memory>
#include <span>

namespace cutaway::runtime {

struct QueuePlan;
struct CpuMachine;

// Why the host has to step in.
enum class Cut : uint8_t {
  none,
  evaluation,  // the launch is evaluated on the host
  index_check, // the host asks whether the launch found an index out of range
};

// Launches [first, last) that replay without the host between them. One that is evaluated stands alone, one that checks
// indices stands last.
struct Region {
  uint32_t first = 0, last = 0;
  Cut cut_by = Cut::none; // none: the next one is evaluated, or the list ends
};

// `cuts`: of each launch. `begins`: launches that begin a region of their own accord.
std::vector<Region> regions_of(const std::vector<Cut>& cuts, const std::vector<bool>& begins);

struct ExecutableOptions {
  bool strict = false, fast = false;
  bool capture = true; // on a GPU: replay the launches as one
  Libraries libraries = Libraries::off; // on a GPU: who computes plain products and convolutions
  int streams = 1;     // at most so many; on a CPU each has a part of the threads
  int threads = 1;     // on a CPU: of the pool
  bool cache = true;   // on a GPU: look for code on disk, and leave it there
  std::string memory_strategy = "search";
  Journal* journal = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(size_t done, size_t total)> progress;
  const QueuePlan* queues = nullptr; // on a CPU, where they are planned already; the arena is planned for one
  const CpuMachine* machine = nullptr; // on a CPU: what they are planned by; null: as it is
};

// What one run needs of its own: arena, scratch, addresses. One run at a time.
class RunContext {
 public:
  virtual ~RunContext() = default;
  // Gives back what memory it can between runs; Executable::hold() takes it again.
  virtual void release() {}
  bool profile = false;
  RunProfile measured; // of the last run, where profile is set
  // Called after each launch with every value that the kernel wrote to memory; the tensor is only good during the call.
  std::function<void(int kernel, ValueId value, const Tensor& tensor)> observe;
};

// A compiled graph for one set of shapes on one device: kernels, their code, the arena plan. Immutable and shared; each run
// has its own RunContext.
class Executable {
 public:
  virtual ~Executable() = default;

  // `limit` where the device has no room for it.
  virtual Result<std::unique_ptr<RunContext>> make_context(ThreadPool& pool) const = 0;
  // Memory for a context whose own was released, maybe elsewhere; nothing to do for others. `limit` as above.
  virtual Status hold(RunContext&) const { return {}; }
  // One tensor a param; gives one a graph output. bad-input where an index ran out of range.
  virtual Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, RunContext& context) const = 0;

  // Flows and `planned` of a run that has not been, all else empty; nothing where none is made.
  virtual std::optional<RunProfile> planned() const { return {}; }
  virtual const char* language() const = 0; // of the kernels' texts: "C"
  // In the order in which they are launched.
  const std::vector<codegen::GroupKernel>& kernels() const { return kernels_; }
  const plan::MemoryPlan& memory() const { return memory_; }
  // How a CPU replays all launches, in their order; empty for other devices.
  const std::vector<Region>& regions() const { return regions_; }
  int64_t arena_bytes() const { return memory_.peak; }
  int64_t lower_bound_bytes() const { return memory_.lower_bound; }
  int64_t kernel_count() const { return static_cast<int64_t>(kernels_.size()); }
  int64_t launch_count() const { return static_cast<int64_t>(kernels_.size()); }
  double codegen_ms = 0, kernels_from_cache = 0;

 protected:
  Executable(const Graph& graph, const plan::Storage& storage) : graph_(graph), storage_(storage) {}
  // kernels_ as the planner sees them.
  std::vector<plan::Step> schedule() const;
  // With what may run beside each; without, where that makes the most bytes alive at once much more, or more than `room`.
  std::vector<plan::Step> schedule(const std::vector<plan::StreamOrder::Span>& beside, int64_t room = INT64_MAX) const;
  // Fills memory_ from a schedule of kernels_, and constants_ with what they read.
  Status plan(const std::vector<plan::Step>& schedule, const ExecutableOptions& options);
  // The outputs of a run before its kernels: params and constants as they are, the others new tensors; `place` gets each
  // new one.
  std::vector<Tensor> make_outputs(std::span<const Tensor> inputs, const std::function<void(ValueId, Tensor&)>& place) const;
  Diagnostic out_of_range(size_t kernel) const;

  Graph graph_;
  plan::Storage storage_;
  plan::MemoryPlan memory_;
  std::vector<codegen::GroupKernel> kernels_;
  std::vector<Region> regions_;
  std::vector<Tensor> constants_; // by value id, aligned; the tensors that kernels read
};

} // namespace cutaway::runtime
