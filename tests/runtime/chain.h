#pragma once
#include "ir/builder.h"
#include "runtime/cpu_executable.h"

#include <gtest/gtest.h>

namespace cutaway::runtime::testing {

// "Compiles" every text to one function.
struct OneFunction : cpu::KernelCompiler {
  explicit OneFunction(cpu::KernelFn f) : fn(f) {}
  std::vector<Result<Compiled>> compile(std::span<const cpu::KernelUnit> texts, const std::atomic<bool>*, const std::function<void(size_t, size_t)>&) override {
    return std::vector<Result<Compiled>>(texts.size(), Compiled{fn, nullptr, true, 0, 0});
  }
  Result<cpu::Assembly> assembly(const cpu::KernelUnit&, const std::atomic<bool>*) override { return cpu::Assembly(); }
  Result<std::string> object(const cpu::CppUnit&, const std::atomic<bool>*) override { return std::string(); }
  Status cache_refusal() const override { return {}; }
  std::string target() const override { return "none"; }
  cpu::KernelFn fn;
};

// A chain of negations, a kernel each: `fn`, or where `builtin` says so the reference evaluation. Those of `checked` may
// raise their flag.
struct Chain {
  Graph g;
  std::shared_ptr<const Executable> executable;

  Chain(int count, cpu::KernelFn fn, int64_t units, int64_t elements, const std::function<bool(int)>& builtin, const std::function<bool(int)>& checked = {}, const ExecutableOptions& options = {}) {
    Builder b(g);
    ValueId v = b.param("x", {DType::f32, {elements}});
    std::vector<codegen::Kernel> kernels;
    for (int i = 0; i < count; ++i) {
      const ValueId w = *b.make(Op::neg, {v});
      codegen::Kernel k;
      k.nodes = {g.value(w).producer};
      k.name = "neg";
      if (!builtin(i)) k.symbol = "kernel", k.text = "none";
      k.checks_indices = checked && checked(i);
      k.units = units;
      k.buffers = {v, w}, k.reads = {v}, k.writes = {w};
      kernels.push_back(k);
      v = w;
    }
    b.output(v, "y");
    OneFunction compiler(fn);
    auto made = make_cpu_executable(g, kernels, plan::Storage(g), &compiler, options);
    EXPECT_TRUE(made.ok());
    executable = *made;
  }
};

} // namespace cutaway::runtime::testing
