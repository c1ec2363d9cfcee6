#pragma once
#include "backend/cpu/jit/kernel_compiler.h"

#include <string>
#include <vector>

namespace cutaway::cpu {

// The machine that this process runs on, as LLVM names it.
struct HostCpu {
  std::string triple;
  std::string name;                  // "znver5"
  std::vector<std::string> features; // "+avx2", "-rtm", sorted
  std::string llvm_version;          // of the library loaded now, "19.1.7"
};
const HostCpu& host_cpu();

// The arguments of `clang -cc1` for a unit, without input, output and kind of output. They hold everything beside the
// text that changes the code.
std::vector<std::string> clang_args(const KernelUnit& unit);
std::vector<std::string> clang_args(const CppUnit& unit);

} // namespace cutaway::cpu
