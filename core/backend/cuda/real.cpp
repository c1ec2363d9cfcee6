#include "backend/cuda/api.h"
#include "backend/cuda/api_calls.h"
#include "backend/cuda/library_files.h"

#include <dlfcn.h>

namespace cutaway::cuda {

namespace {

constexpr int abi_version = 12000;

using GetProcAddress = CUresult (*)(const char* name, void** entry, int version, uint64_t flags,
                                    CUdriverProcAddressQueryResult* status);

template <class F> void bind(F& field, void* at) {
  field = reinterpret_cast<F>(at);
}

// The driver resolves a name at the version that we were written for; its own symbols say the same, for want of that.
void bind_driver(Api& api, void* library, Libraries& found) {
  GetProcAddress resolve = nullptr;
  bind(resolve, dlsym(library, "cuGetProcAddress_v2"));
  each_driver_call(api, [&](const char* name, const char* symbol, auto& field) {
    void* at = nullptr;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (!resolve || resolve(name, &at, abi_version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status) != CUDA_SUCCESS ||
        status != CU_GET_PROC_ADDRESS_SUCCESS || !at)
      at = dlsym(library, symbol);
    if (at) {
      bind(field, at);
    } else {
      found.missing.emplace_back(symbol);
    }
  });
  if (api.cuDriverGetVersion) api.cuDriverGetVersion(&found.driver_version);
}

void bind_nvrtc(Api& api, void* library, Libraries& found) {
  each_nvrtc_call(api, [&](const char*, const char* symbol, auto& field) {
    if (void* at = dlsym(library, symbol)) {
      bind(field, at);
    } else {
      found.missing.emplace_back(symbol);
    }
  });
  if (api.nvrtcVersion) api.nvrtcVersion(&found.nvrtc_major, &found.nvrtc_minor);
  // NVRTC opens its builtins by name at the first compile; beside an NVRTC that the linker does not know it would not
  // find them, unless they are loaded already.
  const std::string folder = found.nvrtc.substr(0, found.nvrtc.rfind('/') + 1);
  const std::string version = std::to_string(found.nvrtc_major) + "." + std::to_string(found.nvrtc_minor);
  if (!folder.empty()) dlopen((folder + "libnvrtc-builtins.so." + version).c_str(), RTLD_NOW | RTLD_LOCAL);
}

} // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Libraries find_libraries(Api& api, const std::string& cuda_path) {
  Libraries found;
  if (void* driver = open_first({"libcuda.so.1"}, found.driver)) bind_driver(api, driver, found);
  if (void* nvrtc = open_first(library_candidates({"libnvrtc.so.13", "libnvrtc.so.12"}, cuda_path), found.nvrtc)) bind_nvrtc(api, nvrtc, found);
  return found;
}

Result<Api> load_real(const std::string& cuda_path) {
  Api api;
  const Libraries found = find_libraries(api, cuda_path);
  if (found.driver.empty())
    return unsupported("device cuda", "no NVIDIA driver is installed (libcuda.so.1)", "use `--device cpu` or `sim:h100`");
  if (found.nvrtc.empty())
    return unsupported("device cuda", "the runtime compiler is not found (libnvrtc.so.13 or .12)",
                       "install NVRTC, or name the toolkit's folder in CUTAWAY_CUDA_PATH");
  if (Status usable = check_usable(api); !usable) return usable.error();
  return api;
}

Status check_usable(const Api& api) {
  std::string missing;
  int absent = 0;
  auto look = [&](const char*, const char* symbol, const auto& field) {
    if (field) return;
    if (absent++ == 0) missing = symbol;
  };
  int driver = 0, major = 0, minor = 0;
  const CUresult answer = api.cuDriverGetVersion ? api.cuDriverGetVersion(&driver) : CUDA_SUCCESS;
  if (driver > 0 && driver < abi_version)
    return unsupported("device cuda", "the NVIDIA driver is too old: it supports CUDA " + version_text(driver) + ", and 12.0 is needed",
                       "update the driver");
  each_driver_call(api, look);
  each_nvrtc_call(api, look);
  if (absent)
    return unsupported("device cuda", "CUDA is incomplete: " + std::to_string(absent) + " entries are missing, the first is " + missing,
                       "update the driver and NVRTC");
  if (answer != CUDA_SUCCESS)
    return unsupported("device cuda", "cuDriverGetVersion answers " + error_name(api, answer), "install the driver anew, or use --device cpu");
  if (api.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS)
    return unsupported("device cuda", "the runtime compiler does not say its version", "install NVRTC anew, or use --device cpu");
  if (major > driver / 1000)
    return unsupported("device cuda", "NVRTC " + std::to_string(major) + "." + std::to_string(minor) + " is newer than the driver, which supports CUDA " + version_text(driver),
                       "update the driver, or name an older toolkit's folder in CUTAWAY_CUDA_PATH");
  return {};
}

std::string error_name(const Api& api, CUresult code) {
  const char* name = nullptr;
  if (api.cuGetErrorName && api.cuGetErrorName(code, &name) == CUDA_SUCCESS && name) return name;
  return "CUDA error " + std::to_string(int(code));
}

} // namespace cutaway::cuda
