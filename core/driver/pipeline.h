#pragma once
#include "base/journal.h"
#include "base/settings.h"
#include "ir/graph.h"
#include "backend/cpu/jit/kernel_compiler.h"
#include "backend/cuda/device.h"
#include "runtime/executable.h"

#include <atomic>
#include <functional>
#include <memory>

namespace cutaway::driver {

// One pass as it ran.
struct PassRun {
  std::string name;
  size_t changes = 0;
  double ms = 0;
  size_t nodes_after = 0;
  size_t first_event = 0, last_event = 0; // range in the journal
};

// A segment compiled for one set of shapes.
struct CompiledSegment {
  Graph graph; // after the last pass
  std::vector<PassRun> passes;
  Journal journal; // empty unless it was asked for
  std::shared_ptr<const runtime::Executable> executable; // null where compiling stopped early
  double compile_ms = 0;
};

// Who waits for a compile: told of each pass and of each kernel, from the compiling thread, and able to call it off from
// any other. A compile that was called off ends with a `limit` diagnostic.
struct Watch {
  std::atomic<bool> cancel{false};
  std::function<void(const std::string& pass, size_t done, size_t total)> progress;
};

// Runs the passes over imported graphs and makes executables; owns the kernel compiler and the thread pool.
class Compiler {
 public:
  // `device`: null: the CPU.
  Compiler(const Settings& settings, int threads, std::shared_ptr<Watch> watch = nullptr, std::shared_ptr<const cuda::Device> device = nullptr);
  ~Compiler();

  // `stop_after`: the name of the last pass to run, empty for all.
  Result<std::shared_ptr<const CompiledSegment>> compile(const Graph& imported, bool journal, const std::string& stop_after = {});
  // The machine code of a kernel text as compile() makes it; `unsupported` where this build has no kernel compiler.
  Result<cpu::Assembly> assembly(const std::string& text, const std::atomic<bool>* cancel) const;
  runtime::ThreadPool& pool() { return *pool_; }

 private:
  Result<std::shared_ptr<const runtime::Executable>> make_executable(const Graph& graph, Journal* log) const;
  Status tell(const std::string& pass, size_t done, size_t total) const;

  Settings settings_;
  std::shared_ptr<Watch> watch_;
  std::shared_ptr<const cuda::Device> device_;
  std::unique_ptr<runtime::ThreadPool> pool_;
  std::shared_ptr<cpu::KernelCompiler> kernels_;
};

} // namespace cutaway::driver
