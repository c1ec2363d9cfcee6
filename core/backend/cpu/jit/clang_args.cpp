#include "backend/cpu/jit/clang_args.h"

#include <llvm-c/Core.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>

namespace cutaway::cpu {

namespace {

HostCpu detect() {
  HostCpu host;
  host.triple = llvm::sys::getProcessTriple();
  host.name = llvm::sys::getHostCPUName().str();
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    host.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(host.features.begin(), host.features.end());
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  host.llvm_version = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  return host;
}

bool has_feature(const HostCpu& host, const std::string& feature) {
  return std::binary_search(host.features.begin(), host.features.end(), feature);
}

constexpr std::initializer_list<const char*> fast_args = {"-mreassociate", "-freciprocal-math", "-fno-signed-zeros"};

void append(std::vector<std::string>& args, std::initializer_list<const char*> more) {
  args.insert(args.end(), more.begin(), more.end());
}

std::vector<std::string> common_args() {
  const HostCpu& host = host_cpu();
  std::vector<std::string> args = {"-triple", host.triple, "-target-cpu", host.name};
  for (const std::string& feature : host.features) {
    args.push_back("-target-feature");
    args.push_back(feature);
  }
  append(args, {"-w", "-ferror-limit", "5", "-nostdsysteminc", "-nobuiltininc", "-disable-llvm-verifier",
                "-discard-value-names", "-mrelocation-model", "pic", "-pic-level", "2", "-ffp-exception-behavior=ignore",
                "-ffloat16-excess-precision=none", "-fbfloat16-excess-precision=none"});
  return args;
}

} // namespace

const HostCpu& host_cpu() {
  static const HostCpu host = detect();
  return host;
}

std::vector<std::string> clang_args(const KernelUnit& unit) {
  const HostCpu& host = host_cpu();
  std::vector<std::string> args = common_args();
  append(args, {"-O3", "-vectorize-loops", "-vectorize-slp", "-std=gnu11", "-x", "c", "-fwrapv"});
  // Intel parts ask for 256 bits by default, for fear of lower clocks; generated kernels are dense enough to gain.
  if (has_feature(host, "+avx512f")) args.push_back("-mprefer-vector-width=512");
  args.push_back(unit.strict ? "-ffp-contract=off" : "-ffp-contract=fast");
  if (unit.fast && !unit.strict) append(args, fast_args);
  // A vectorize(enable) pragma permits LLVM to reorder floating-point reductions, whatever the other flags say.
  append(args, {"-mllvm", unit.strict ? "-hints-allow-reordering=false" : "-hints-allow-reordering=true"});
  return args;
}

// Sections by function let a reader of the object tell what each calls.
std::vector<std::string> clang_args(const CppUnit& unit) {
  std::vector<std::string> args = common_args();
  append(args, {"-O2", "-std=c++20", "-x", "c++", "-fno-rtti", "-fwrapv", "-relaxed-aliasing", "-mframe-pointer=none",
                "-ffunction-sections", "-mprefer-vector-width=256"});
  args.push_back(unit.contract ? "-ffp-contract=fast" : "-ffp-contract=off");
  if (unit.fast) append(args, fast_args);
  if (unit.checked)
    args.push_back("-fsanitize=thread");
  else
    append(args, {"-vectorize-loops", "-vectorize-slp"});
  append(args, {"-mllvm", "-hints-allow-reordering=false"});
  return args;
}

} // namespace cutaway::cpu
