// Built where CUTAWAY_CPU_JIT is off.
#include "backend/cpu/jit/kernel_compiler.h"
#include "backend/cuda/api.h"

#include <gtest/gtest.h>

namespace cutaway::cpu {

TEST(NoJit, TheKernelCompilerIsUnsupported) {
  auto compiler = KernelCompiler::create({});
  ASSERT_FALSE(compiler.ok());
  EXPECT_EQ(compiler.error().fault, Fault::unsupported);
  EXPECT_FALSE(compiler.error().hint.empty());
}

TEST(NoJit, TheSimulatedGpuIsUnsupported) {
  auto api = cuda::simulated(cuda::DeviceModel{});
  ASSERT_FALSE(api.ok());
  EXPECT_EQ(api.error().fault, Fault::unsupported);
  EXPECT_FALSE(api.error().hint.empty());
  EXPECT_FALSE(cuda::has_simulator());
}

} // namespace cutaway::cpu
