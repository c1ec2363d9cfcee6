#pragma once
#include "backend/cpu/jit/kernel_compiler.h"
#include "codegen/kernel.h"
#include "plan/memory.h"
#include "runtime/profile.h"
#include "runtime/thread_pool.h"

namespace cutaway::runtime {

// What turns kernel texts into code; null: every node runs by the reference evaluation.
using KernelSource = cpu::KernelCompiler;

struct ExecutableOptions {
  bool strict = false, fast = false;
  std::string memory_strategy = "search";
  Journal* journal = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(size_t done, size_t total)> progress;
};

class RunContext;

// One launch as a replay sees it: everything is resolved but the addresses, which a context holds.
struct Launch {
  int kernel = 0;
  cpu::KernelFn fn = nullptr; // null: builtin
  size_t first_pointer = 0;   // into the context's table
};

// A compiled graph for one set of shapes: kernels, their code, the arena plan and packed weights. Immutable and shared;
// each run has its own RunContext.
class Executable {
 public:
  static Result<std::shared_ptr<const Executable>> make(const Graph& graph, std::vector<codegen::Kernel> kernels, const plan::Storage& storage,
                                                        KernelSource* source, const ExecutableOptions& options);
  ~Executable();

  std::unique_ptr<RunContext> make_context(ThreadPool& pool) const;
  // One tensor a param; gives one a graph output. bad-input where an index ran out of range.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, RunContext& context) const;

  const std::vector<codegen::Kernel>& kernels() const { return kernels_; }
  const plan::MemoryPlan& memory() const { return memory_; }
  int64_t arena_bytes() const { return memory_.peak; }
  int64_t lower_bound_bytes() const { return memory_.lower_bound; }
  int64_t kernel_count() const { return static_cast<int64_t>(kernels_.size()); }
  int64_t launch_count() const { return static_cast<int64_t>(launches_.size()); }
  double codegen_ms = 0, kernels_from_cache = 0;

 private:
  friend class RunContext;
  Executable(const Graph& graph, const plan::Storage& storage) : graph_(graph), storage_(storage) {}
  Status run_builtin(const codegen::Kernel& kernel, RunContext& context) const;
  Status launch(size_t index, RunContext& context) const;
  Status launch_measured(size_t index, double run_start, RunContext& context) const;
  Tensor view(ValueId v, RunContext& context) const;

  Graph graph_;
  plan::Storage storage_;
  plan::MemoryPlan memory_;
  std::vector<codegen::Kernel> kernels_;
  std::vector<Launch> launches_;
  std::vector<std::shared_ptr<const void>> code_;
  std::vector<std::vector<std::shared_ptr<std::byte>>> packed_; // a kernel's packed constants
  std::vector<Tensor> constants_; // by value id, aligned; the tensors that kernels read
  int64_t scratch_bytes_ = 0;
};

// What one run needs of its own: arena, scratch, addresses. One run at a time.
class RunContext {
 public:
  bool profile = false;
  RunProfile measured; // of the last run, where profile is set
  // Called after each launch with every value that the kernel wrote to memory; the tensor is only good during the call.
  std::function<void(int kernel, ValueId value, const Tensor& tensor)> observe;

 private:
  friend class Executable;
  ThreadPool* pool_ = nullptr;
  std::shared_ptr<std::byte> arena_, scratch_;
  std::vector<std::byte*> address_;       // by value id: where its storage starts now
  std::vector<void*> pointers_;           // tables of all launches, one after another
  std::vector<ValueId> pointer_roots_;    // whose address each entry is; invalid: fixed
  int flag_ = 0;
};

} // namespace cutaway::runtime
