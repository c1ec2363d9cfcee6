#include "backend/cuda/sim/submit.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace cutaway::cuda::sim {

namespace {

nvrtcResult version(Call& call, int* major, int* minor) {
  *major = call.sim().device.nvrtc_major;
  *minor = call.sim().device.nvrtc_minor;
  return NVRTC_SUCCESS;
}

nvrtcResult count_archs(Call&, int* out) {
  *out = 1;
  return NVRTC_SUCCESS;
}

nvrtcResult archs(Call& call, int* out) {
  *out = call.sim().device.capability;
  return NVRTC_SUCCESS;
}

const char* error_string(nvrtcResult code) {
  switch (code) {
  case NVRTC_SUCCESS: return "NVRTC_SUCCESS";
  case NVRTC_ERROR_OUT_OF_MEMORY: return "NVRTC_ERROR_OUT_OF_MEMORY";
  case NVRTC_ERROR_PROGRAM_CREATION_FAILURE: return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
  case NVRTC_ERROR_INVALID_INPUT: return "NVRTC_ERROR_INVALID_INPUT";
  case NVRTC_ERROR_INVALID_PROGRAM: return "NVRTC_ERROR_INVALID_PROGRAM";
  case NVRTC_ERROR_INVALID_OPTION: return "NVRTC_ERROR_INVALID_OPTION";
  case NVRTC_ERROR_COMPILATION: return "NVRTC_ERROR_COMPILATION";
  case NVRTC_ERROR_INTERNAL_ERROR: return "NVRTC_ERROR_INTERNAL_ERROR";
  }
  return "NVRTC_ERROR unknown";
}

// Headers are the other side of the dialect, for which the simulator has its own.
nvrtcResult create(Call& call, nvrtcProgram* out, const char* text, const char*, int, const char* const*, const char* const*) {
  if (!out || !text) return NVRTC_ERROR_INVALID_INPUT;
  auto program = std::make_shared<Program>();
  program->text = text;
  *out = call.sim().programs.add(std::move(program));
  return NVRTC_SUCCESS;
}

nvrtcResult destroy(Call& call, nvrtcProgram* program) {
  if (!program || !call.sim().programs.take(*program)) return NVRTC_ERROR_INVALID_PROGRAM;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

// What has a meaning on a CPU; what has none is known and left.
bool read_option(std::string_view option, ProgramOptions& options) {
  constexpr std::string_view idle[] = {"--gpu-architecture=", "-arch=", "--std=", "-std=", "--pre-include=", "--ptxas-options=", "-Xptxas=",
                                       "--device-as-default-execution-space", "-default-device", "--ftz=false", "--prec-div=true",
                                       "--prec-sqrt=true", "--extra-device-vectorization", "--maxrregcount=", "-w", "--disable-warnings",
                                       "-lineinfo", "--generate-line-info"};
  if (option == "--fmad=true" || option == "--fmad=false") {
    options.contract = option == "--fmad=true";
  } else if (option == "--use_fast_math" || option == "-use_fast_math") {
    options.fast = options.contract = true;
  } else {
    return std::any_of(std::begin(idle), std::end(idle), [&](std::string_view known) { return option.starts_with(known); });
  }
  return true;
}

nvrtcResult compile(Call& call, nvrtcProgram handle, int count, const char* const* given) {
  Sim& sim = call.sim();
  const std::shared_ptr<Program> program = sim.programs.find(handle);
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  ProgramOptions options;
  options.checked = sim.checked;
  for (int i = 0; i < count; ++i) {
    if (read_option(given[i], options)) continue;
    program->log = std::string("unknown option ") + given[i];
    return NVRTC_ERROR_INVALID_OPTION;
  }
  const std::shared_ptr<cpu::KernelCompiler> compiler = sim.compiler;
  call.lock.unlock();
  Result<std::string> image = compile_image(*compiler, program->text, options);
  call.lock.lock();
  program->log = image ? "" : image.error().what;
  program->image = image ? std::move(*image) : "";
  return image ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult image_size(Call& call, nvrtcProgram handle, size_t* out) {
  const std::shared_ptr<Program> program = call.sim().programs.find(handle);
  if (!program || program->image.empty()) return NVRTC_ERROR_INVALID_PROGRAM;
  *out = program->image.size();
  return NVRTC_SUCCESS;
}

nvrtcResult image(Call& call, nvrtcProgram handle, char* out) {
  const std::shared_ptr<Program> program = call.sim().programs.find(handle);
  if (!program || program->image.empty()) return NVRTC_ERROR_INVALID_PROGRAM;
  std::copy(program->image.begin(), program->image.end(), out);
  return NVRTC_SUCCESS;
}

nvrtcResult log_size(Call& call, nvrtcProgram handle, size_t* out) {
  const std::shared_ptr<Program> program = call.sim().programs.find(handle);
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  *out = program->log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult log(Call& call, nvrtcProgram handle, char* out) {
  const std::shared_ptr<Program> program = call.sim().programs.find(handle);
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  std::memcpy(out, program->log.c_str(), program->log.size() + 1);
  return NVRTC_SUCCESS;
}

} // namespace

void put_nvrtc_calls(Api& api) {
  put<"nvrtcVersion", Scope::library, version>(api.nvrtcVersion);
  put<"nvrtcGetNumSupportedArchs", Scope::library, count_archs>(api.nvrtcGetNumSupportedArchs);
  put<"nvrtcGetSupportedArchs", Scope::library, archs>(api.nvrtcGetSupportedArchs);
  api.nvrtcGetErrorString = error_string;
  put<"nvrtcCreateProgram", Scope::library, create>(api.nvrtcCreateProgram);
  put<"nvrtcDestroyProgram", Scope::library, destroy>(api.nvrtcDestroyProgram);
  put<"nvrtcCompileProgram", Scope::library, compile>(api.nvrtcCompileProgram);
  put<"nvrtcGetCUBINSize", Scope::library, image_size>(api.nvrtcGetCUBINSize);
  put<"nvrtcGetCUBIN", Scope::library, image>(api.nvrtcGetCUBIN);
  put<"nvrtcGetProgramLogSize", Scope::library, log_size>(api.nvrtcGetProgramLogSize);
  put<"nvrtcGetProgramLog", Scope::library, log>(api.nvrtcGetProgramLog);
}

} // namespace cutaway::cuda::sim
