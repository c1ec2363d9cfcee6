#include "backend/cuda/compile.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace cutaway::cuda {

namespace {

constexpr const char* header_name = "cutaway.cuh";

struct Program {
  const Api& api;
  nvrtcProgram handle = nullptr;
  ~Program() {
    if (handle) api.nvrtcDestroyProgram(&handle);
  }
};

Diagnostic refusal(const Api& api, const char* call, nvrtcResult code, const std::string& log = {}) {
  std::string what = std::string(call) + " answers " + api.nvrtcGetErrorString(code);
  if (!log.empty()) what += ":\n" + log;
  if (code == NVRTC_ERROR_OUT_OF_MEMORY) return over_limit("kernel compiler", what, "free memory, or use --device cpu");
  return unsupported("kernel compiler", what, "use --device cpu");
}

std::string log_of(const Api& api, nvrtcProgram program) {
  size_t size = 0;
  if (api.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size < 2) return {};
  std::string log(size, '\0');
  if (api.nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS) return {};
  log.resize(size - 1);
  return log;
}

// The number right before the words; 0 where they do not occur.
int number_before(std::string_view line, std::string_view words) {
  const size_t at = line.find(words);
  if (at == line.npos) return 0;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return std::atoi(std::string(line.substr(begin, at - begin)).c_str());
}

// ptxas says: Compiling entry function 'name' for 'sm_90', then lines of numbers.
std::vector<KernelUsage> read_usage(std::string_view log) {
  constexpr std::string_view head = "Compiling entry function '";
  std::vector<KernelUsage> usage;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (const size_t at = line.find(head); at != line.npos) {
      const std::string_view rest = line.substr(at + head.size());
      usage.push_back({std::string(rest.substr(0, rest.find('\'')))});
    }
    if (usage.empty()) continue;
    KernelUsage& kernel = usage.back();
    kernel.registers += number_before(line, " registers");
    kernel.stack_bytes += number_before(line, " bytes stack frame");
    kernel.spill_store_bytes += number_before(line, " bytes spill stores");
    kernel.spill_load_bytes += number_before(line, " bytes spill loads");
    kernel.shared_bytes += number_before(line, " bytes smem");
  }
  return usage;
}

} // namespace

std::vector<int> supported_capabilities(const Api& api) {
  int count = 0;
  if (!api.nvrtcGetNumSupportedArchs || api.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS) return {};
  std::vector<int> capabilities(size_t(std::max(count, 0)));
  if (api.nvrtcGetSupportedArchs(capabilities.data()) != NVRTC_SUCCESS) return {};
  return capabilities;
}

namespace {

std::vector<std::string> compiler_arguments(const CompileOptions& options) {
  std::vector<std::string> arguments = {"--gpu-architecture=sm_" + std::to_string(options.capability),
                                        "--std=c++20",
                                        "--device-as-default-execution-space",
                                        std::string("--pre-include=") + header_name,
                                        "--ptxas-options=-v",
                                        options.strict ? "--fmad=false" : "--fmad=true"};
  if (options.fast && !options.strict) arguments.push_back("--use_fast_math");
  return arguments;
}

} // namespace

CacheKey image_key(std::string_view compiler, std::string_view text, const CompileOptions& options, std::string_view prelude) {
  const std::vector<std::string> arguments = compiler_arguments(options);
  std::vector<std::string_view> parts = {"cuda image 1", compiler, prelude, text};
  parts.insert(parts.end(), arguments.begin(), arguments.end());
  return cache_key(parts);
}

Result<Cubin> compile(const Api& api, const std::string& text, const CompileOptions& options) {
  if (!api.nvrtcCompileProgram) return unsupported("kernel compiler", "NVRTC is not found", "use --device cpu");
  Program program{api};
  const char *header = cuda_device_prelude(), *name = header_name;
  if (nvrtcResult r = api.nvrtcCreateProgram(&program.handle, text.c_str(), "kernel.cu", 1, &header, &name); r != NVRTC_SUCCESS)
    return refusal(api, "nvrtcCreateProgram", r);
  const std::vector<std::string> arguments = compiler_arguments(options);
  std::vector<const char*> pointers;
  for (const std::string& a : arguments) pointers.push_back(a.c_str());
  const nvrtcResult made = api.nvrtcCompileProgram(program.handle, int(pointers.size()), pointers.data());
  Cubin cubin;
  cubin.log = log_of(api, program.handle);
  if (made != NVRTC_SUCCESS) return refusal(api, "nvrtcCompileProgram", made, cubin.log);
  size_t size = 0;
  if (nvrtcResult r = api.nvrtcGetCUBINSize(program.handle, &size); r != NVRTC_SUCCESS) return refusal(api, "nvrtcGetCUBINSize", r);
  cubin.image.resize(size);
  if (nvrtcResult r = api.nvrtcGetCUBIN(program.handle, cubin.image.data()); r != NVRTC_SUCCESS) return refusal(api, "nvrtcGetCUBIN", r);
  cubin.usage = read_usage(cubin.log);
  return cubin;
}

} // namespace cutaway::cuda
