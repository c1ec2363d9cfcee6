#pragma once
#include "base/journal.h"
#include "base/settings.h"
#include "ir/graph.h"
#include "runtime/executable.h"

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

// Runs the passes over imported graphs and makes executables; owns the kernel compiler and the thread pool.
class Compiler {
 public:
  Compiler(const Settings& settings, int threads);
  ~Compiler();

  // `stop_after`: the name of the last pass to run, empty for all.
  Result<std::shared_ptr<const CompiledSegment>> compile(const Graph& imported, bool journal, const std::string& stop_after = {});
  runtime::ThreadPool& pool() { return *pool_; }

 private:
  Settings settings_;
  std::unique_ptr<runtime::ThreadPool> pool_;
  std::shared_ptr<runtime::KernelSource> kernels_;
};

} // namespace cutaway::driver
