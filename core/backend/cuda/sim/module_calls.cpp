#include "backend/cuda/sim/submit.h"

namespace cutaway::cuda::sim {

namespace {

CUresult load(Call& call, CUmodule* out, const void* image) {
  Sim& sim = call.sim();
  if (const CUresult code = forbidden(sim, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED); code != CUDA_SUCCESS) return code;
  if (!image) return CUDA_ERROR_INVALID_VALUE;
  const std::shared_ptr<cpu::Linker> linker = sim.linker;
  call.lock.unlock();
  Result<Kernels> kernels = load_image(*linker, image);
  call.lock.lock();
  if (!kernels) {
    sim.reports.push_back("module: " + kernels.error().str());
    return CUDA_ERROR_INVALID_IMAGE;
  }
  auto module = std::make_shared<Module>();
  module->kernels = std::move(*kernels);
  *out = sim.modules.add(std::move(module));
  return CUDA_SUCCESS;
}

// Launches and graphs keep the code that they run; the handles of its functions are void.
CUresult unload(Call& call, CUmodule handle) {
  Sim& sim = call.sim();
  if (!sim.modules.find(handle)) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult code = forbidden(sim, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED); code != CUDA_SUCCESS) return code;
  const CUresult code = settle(call, nullptr);
  if (const std::shared_ptr<Module> module = sim.modules.take(handle))
    for (const auto& [name, function] : module->functions) sim.functions.take(function);
  return code;
}

CUresult get_function(Call& call, CUfunction* out, CUmodule handle, const char* name) {
  Sim& sim = call.sim();
  const std::shared_ptr<Module> module = sim.modules.find(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  const auto at = module->kernels.find(name);
  if (at == module->kernels.end()) return CUDA_ERROR_NOT_FOUND;
  CUfunction& function = module->functions[name];
  if (!function) {
    auto made = std::make_shared<Function>();
    made->kernel = at->second;
    function = sim.functions.add(std::move(made));
  }
  *out = function;
  return CUDA_SUCCESS;
}

// Registers and stack are the real compiler's to say: 0 here.
CUresult get_attribute(Call& call, int* out, CUfunction_attribute attribute, CUfunction handle) {
  const std::shared_ptr<Function> function = call.sim().functions.find(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *out = int(function->kernel->threads); break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *out = int(function->shared_limit); break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *out = 0; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult set_attribute(Call& call, CUfunction handle, CUfunction_attribute attribute, int value) {
  const std::shared_ptr<Function> function = call.sim().functions.find(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  if (value < 0 || size_t(value) > call.sim().device.shared_per_block) return CUDA_ERROR_INVALID_VALUE;
  function->shared_limit = unsigned(value);
  return CUDA_SUCCESS;
}

CUresult occupancy(Call& call, int* out, CUfunction handle, int threads, size_t shared) {
  const std::shared_ptr<Function> function = call.sim().functions.find(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  if (threads <= 0) return CUDA_ERROR_INVALID_VALUE;
  *out = unsigned(threads) > function->kernel->threads || shared > function->shared_limit ? 0 : resident_blocks(call.sim().device, threads, shared);
  return CUDA_SUCCESS;
}

CUresult launch(Call& call, CUfunction handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                unsigned shared, CUstream stream, void** params, void** extra) {
  std::optional<Note> note = take_note();
  const std::shared_ptr<Function> function = call.sim().functions.find(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  if (extra) return CUDA_ERROR_NOT_SUPPORTED; // packed parameters
  Work w;
  w.unit = Unit::kernel;
  std::shared_ptr<Launch> made = make_launch(function.get(), {gx, gy, gz}, {bx, by, bz}, shared, params);
  if (!made) return CUDA_ERROR_INVALID_VALUE;
  describe(w, std::move(made), std::move(note), function->kernel->name);
  return post(call, stream, std::move(w), {});
}

} // namespace

void put_module_calls(Api& api) {
  put<"cuModuleLoadData", Scope::context, load>(api.cuModuleLoadData);
  put<"cuModuleUnload", Scope::context, unload>(api.cuModuleUnload);
  put<"cuModuleGetFunction", Scope::context, get_function>(api.cuModuleGetFunction);
  put<"cuFuncGetAttribute", Scope::context, get_attribute>(api.cuFuncGetAttribute);
  put<"cuFuncSetAttribute", Scope::context, set_attribute>(api.cuFuncSetAttribute);
  put<"cuOccupancyMaxActiveBlocksPerMultiprocessor", Scope::context, occupancy>(api.cuOccupancyMaxActiveBlocksPerMultiprocessor);
  put<"cuLaunchKernel", Scope::context, launch>(api.cuLaunchKernel);
}

} // namespace cutaway::cuda::sim
