// Built where CUTAWAY_CPU_JIT is off.
#include "backend/cpu/jit/kernel_compiler.h"

#include <gtest/gtest.h>

namespace cutaway::cpu {

TEST(NoJit, TheKernelCompilerIsUnsupported) {
  auto compiler = KernelCompiler::create({});
  ASSERT_FALSE(compiler.ok());
  EXPECT_EQ(compiler.error().fault, Fault::unsupported);
  EXPECT_FALSE(compiler.error().hint.empty());
}

} // namespace cutaway::cpu
