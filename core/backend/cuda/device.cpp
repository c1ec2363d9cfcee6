#include "backend/cuda/device.h"

#include "backend/cuda/sim/sim.h"

#include <charconv>

namespace cutaway::cuda {
namespace {

struct Open {
  std::mutex mutex;
  std::unordered_map<std::string, std::weak_ptr<Device>> devices;
};
Open& open_devices() {
  static Open all;
  return all;
}

// The number after "cuda:"; 0 for "cuda" alone; -1: none.
int ordinal_of(const std::string& name) {
  if (name == "cuda") return 0;
  int out = -1;
  const char* end = name.data() + name.size();
  if (name.size() <= 5 || std::from_chars(name.data() + 5, end, out).ptr != end) return -1;
  return out;
}

// Nothing more works in the context after these.
bool loses_context(CUresult code) {
  switch (code) {
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED: return true;
  default: return false;
  }
}

} // namespace

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(device_, other.device_), std::swap(at_, other.at_);
  return *this;
}

// What a device answers to giving back is of no use to anybody.
Memory::~Memory() {
  if (!at_) return;
  (void)device_->bind();
  device_->api().cuMemFree(at_);
}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(device_, other.device_), std::swap(at_, other.at_);
  return *this;
}

PinnedMemory::~PinnedMemory() {
  if (!at_) return;
  (void)device_->bind();
  device_->api().cuMemFreeHost(at_);
}

Code::~Code() {
  (void)device_->bind();
  device_->api().cuModuleUnload(module_);
}

Result<std::shared_ptr<Device>> Device::open(const std::string& name) {
  Open& all = open_devices();
  const std::lock_guard hold(all.mutex);
  if (auto known = all.devices[name].lock()) return known;
  const bool modelled = name.starts_with("sim:");
  if (!modelled && name != "cuda" && !name.starts_with("cuda:")) return bad_input("--device", "there is no device '" + name + "'", "cpu, cuda, cuda:N, sim:h100, sim:a100 or sim:laptop");
  Api api;
  DeviceModel traits;
  int ordinal = 0;
  if (modelled) {
    for (const auto& [other, device] : all.devices)
      if (other.starts_with("sim:") && !device.expired()) return unsupported("--device", "'" + other + "' is open, and a process has one simulated driver", "close what runs on it");
    auto model = device_model(name);
    if (!model) return model.error();
    auto table = simulated(*model);
    if (!table) return table.error();
    api = *table;
    traits = std::move(*model);
  } else {
    ordinal = ordinal_of(name);
    if (ordinal < 0) return bad_input("--device", "'" + name + "' is no device", "cuda:0 is the first");
    auto table = load_real();
    if (!table) return table.error();
    api = *table;
  }
  auto device = start(name, api, std::move(traits), ordinal);
  if (device) all.devices[name] = *device;
  return device;
}

Result<std::shared_ptr<Device>> Device::start(std::string name, const Api& api, DeviceModel model, int ordinal) {
  if (Status s = check_usable(api); !s) return unsupported("device " + name, s.error().what, s.error().hint);
  std::shared_ptr<Device> device(new Device(std::move(name), api, std::move(model)));
  if (Status s = device->start(ordinal); !s) return s.error();
  return device;
}

Status Device::start(int ordinal) {
  if (Status s = check(api_.cuInit(0), "start", "cuInit"); !s) return s;
  int count = 0;
  if (Status s = check(api_.cuDeviceGetCount(&count), "start", "cuDeviceGetCount"); !s) return s;
  if (ordinal >= count) return unsupported("--device", "there is no GPU " + std::to_string(ordinal) + "; " + std::to_string(count) + " found", count ? "cuda:0 is the first" : "use --device cpu or sim:h100");
  if (Status s = check(api_.cuDeviceGet(&device_, ordinal), "start", "cuDeviceGet"); !s) return s;
  if (!modelled_)
    if (Status s = read_attributes(); !s) return s;
  if (Status s = read_compiler(); !s) return s;
  if (std::string dir = default_cache_dir(); !dir.empty()) cache_.emplace(std::move(dir));
  return check(api_.cuDevicePrimaryCtxRetain(&context_, device_), "start", "cuDevicePrimaryCtxRetain");
}

Status Device::read_attributes() {
  int major = 0, minor = 0, shared = 0, shared_per_sm = 0, l2 = 0, clock_khz = 0, memory_khz = 0, bus_bits = 0;
  for (const auto& [to, attribute] : {std::pair{&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR}, {&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR}, {&model_.sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
                                      {&model_.threads_per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR}, {&model_.blocks_per_sm, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR}, {&shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
                                      {&shared_per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR}, {&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE}, {&clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE}, {&memory_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
                                      {&bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH}})
    if (Status s = check(api_.cuDeviceGetAttribute(to, attribute, device_), "start", "cuDeviceGetAttribute"); !s) return s;
  if (Status s = check(api_.cuDeviceTotalMem(&model_.memory, device_), "start", "cuDeviceTotalMem"); !s) return s;
  model_.name = name_;
  model_.capability = major * 10 + minor;
  model_.shared_per_block = static_cast<size_t>(shared), model_.shared_per_sm = static_cast<size_t>(shared_per_sm), model_.l2_bytes = static_cast<size_t>(l2);
  constexpr double lanes = 128, flops_a_lane = 2; // of a multiprocessor, in one clock
  if (clock_khz > 0) model_.flops = model_.sms * lanes * flops_a_lane * clock_khz * 1e3;
  if (memory_khz > 0 && bus_bits > 0) model_.bytes_per_s = 2. * memory_khz * 1e3 * bus_bits / 8; // two words a clock
  return {};
}

Status Device::read_compiler() {
  int major = 0, minor = 0;
  if (const nvrtcResult code = api_.nvrtcVersion(&major, &minor); code != NVRTC_SUCCESS)
    return unsupported("device " + name_ + ": start", "nvrtcVersion answers " + std::string(api_.nvrtcGetErrorString(code)), "install NVRTC anew, or use --device cpu");
  compiler_ = (modelled_ ? "simulated NVRTC " : "NVRTC ") + std::to_string(major) + "." + std::to_string(minor);
  return {};
}

Device::~Device() {
  if (context_) api_.cuDevicePrimaryCtxRelease(device_);
}

Status Device::bind() const { return check(api_.cuCtxSetCurrent(context_), "context", "cuCtxSetCurrent"); }

Result<Memory> Device::allocate(int64_t bytes, const std::string& what) const {
  if (bytes == 0) return Memory();
  if (Status s = bind(); !s) return s.error();
  CUdeviceptr at = 0;
  if (const CUresult code = api_.cuMemAlloc(&at, static_cast<size_t>(bytes)); code == CUDA_ERROR_OUT_OF_MEMORY) {
    return over_limit("device " + name_ + ": " + what, "no room for " + std::to_string(bytes) + " bytes: " + std::to_string(free_bytes()) + " of " + std::to_string(model_.memory) + " are free", "bind smaller dims, or run on the CPU");
  } else if (Status s = check(code, what, "cuMemAlloc"); !s) {
    return s.error();
  }
  return Memory(shared_from_this(), at);
}

int64_t Device::free_bytes() const {
  size_t free = 0, total = 0;
  return bind().ok() && api_.cuMemGetInfo(&free, &total) == CUDA_SUCCESS ? static_cast<int64_t>(free) : 0;
}

Result<PinnedMemory> Device::allocate_pinned(int64_t bytes, const std::string& what) const {
  if (bytes == 0) return PinnedMemory();
  if (Status s = bind(); !s) return s.error();
  void* at = nullptr;
  if (const CUresult code = api_.cuMemHostAlloc(&at, static_cast<size_t>(bytes), 0); code == CUDA_ERROR_OUT_OF_MEMORY)
    return over_limit("device " + name_ + ": " + what, "no room for " + std::to_string(bytes) + " bytes that the host can pin", "bind smaller dims, or run on the CPU");
  else if (Status s = check(code, what, "cuMemHostAlloc"); !s) return s.error();
  return PinnedMemory(shared_from_this(), static_cast<std::byte*>(at));
}

Result<std::string> Device::image(const CodeRequest& request) const {
  const CompileOptions options{capability(), request.strict, request.fast};
  const bool cached = request.cache && cache_;
  CacheKey key{};
  if (cached) {
    key = image_key(modelled_ ? compiler_ + sim::compiler_identity() : compiler_, request.text, options);
    if (auto found = cache_->load(key)) return std::move(*found);
  }
  auto cubin = compile(api_, request.text, options);
  if (!cubin) return within("device " + name_, cubin.error());
  if (cached) cache_->store(key, cubin->image);
  return std::move(cubin->image);
}

Result<std::shared_ptr<const Code>> Device::load(const CodeRequest& request) const {
  const std::string key = std::string(request.strict ? "s" : request.fast ? "f" : "d") + request.text;
  {
    const std::lock_guard hold(mutex_);
    if (const auto found = loaded_.find(key); found != loaded_.end())
      if (auto code = found->second.lock()) return code;
  }
  if (Status s = bind(); !s) return s.error();
  auto from = image(request);
  if (!from) return from.error();
  const std::string& symbol = request.symbol;
  CUmodule module = nullptr;
  if (Status s = check(api_.cuModuleLoadData(&module, from->data()), symbol, "cuModuleLoadData"); !s) return s.error();
  CUfunction function = nullptr;
  const auto prepare = [&] {
    Status s = check(api_.cuModuleGetFunction(&function, module, symbol.c_str()), symbol, "cuModuleGetFunction");
    if (s && request.shared_bytes > 48 * 1024) s = check(api_.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(request.shared_bytes)), symbol, "cuFuncSetAttribute");
    return s;
  };
  if (Status s = prepare(); !s) {
    api_.cuModuleUnload(module);
    return s.error();
  }
  auto code = std::make_shared<const Code>(shared_from_this(), module, function);
  const std::lock_guard hold(mutex_);
  loaded_[key] = code;
  return std::shared_ptr<const Code>(code);
}

Status Device::check(CUresult code, std::string_view where, const char* call) const {
  if (code == CUDA_SUCCESS) return {};
  const std::string place = "device " + name_ + ": " + std::string(where), what = std::string(call) + " answers " + error_name(api_, code);
  if (code == CUDA_ERROR_OUT_OF_MEMORY) return over_limit(place, what, "bind smaller dims, or run on the CPU");
  return unsupported(place, what, loses_context(code) ? "the device's context is lost for this process: start again, or use --device cpu" : "use --device cpu");
}

} // namespace cutaway::cuda
