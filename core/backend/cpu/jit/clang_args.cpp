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

} // namespace

const HostCpu& host_cpu() {
  static const HostCpu host = detect();
  return host;
}

std::vector<std::string> clang_args(const KernelUnit& unit) {
  const HostCpu& host = host_cpu();
  std::vector<std::string> args = {"-triple", host.triple, "-target-cpu", host.name};
  for (const std::string& feature : host.features) {
    args.push_back("-target-feature");
    args.push_back(feature);
  }
  for (const char* arg : {"-O3",
                          "-vectorize-loops",
                          "-vectorize-slp",
                          "-std=gnu11",
                          "-x",
                          "c",
                          "-w",
                          "-ferror-limit",
                          "5",
                          "-nostdsysteminc",
                          "-nobuiltininc",
                          "-disable-llvm-verifier",
                          "-discard-value-names",
                          "-mrelocation-model",
                          "pic",
                          "-pic-level",
                          "2",
                          "-fwrapv",
                          "-ffp-exception-behavior=ignore",
                          "-ffloat16-excess-precision=none",
                          "-fbfloat16-excess-precision=none"})
    args.push_back(arg);
  // Intel parts ask for 256 bits by default, for fear of lower clocks; generated kernels are dense enough to gain.
  if (has_feature(host, "+avx512f")) args.push_back("-mprefer-vector-width=512");
  args.push_back(unit.strict ? "-ffp-contract=off" : "-ffp-contract=fast");
  if (unit.fast && !unit.strict)
    for (const char* arg : {"-mreassociate", "-freciprocal-math", "-fno-signed-zeros"}) args.push_back(arg);
  // A vectorize(enable) pragma permits LLVM to reorder floating-point reductions, whatever the other flags say.
  args.push_back("-mllvm");
  args.push_back(unit.strict ? "-hints-allow-reordering=false" : "-hints-allow-reordering=true");
  return args;
}

} // namespace cutaway::cpu
