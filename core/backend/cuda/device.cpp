#include "backend/cuda/device.h"

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

} // namespace

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(device_, other.device_), std::swap(at_, other.at_);
  return *this;
}

// What a device that was lost answers to giving back is of no use to anybody.
Memory::~Memory() {
  if (at_ && device_->bind().ok()) device_->api().cuMemFree(at_);
}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(device_, other.device_), std::swap(at_, other.at_);
  return *this;
}

PinnedMemory::~PinnedMemory() {
  if (at_ && device_->bind().ok()) device_->api().cuMemFreeHost(at_);
}

Code::~Code() {
  if (device_->bind().ok()) device_->api().cuModuleUnload(module_);
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
  std::shared_ptr<Device> device(new Device(name, api, std::move(traits)));
  if (Status s = device->start(ordinal); !s) return s.error();
  all.devices[name] = device;
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

Device::~Device() {
  if (context_) api_.cuDevicePrimaryCtxRelease(device_);
}

Status Device::bind() const { return check(api_.cuCtxSetCurrent(context_), "context", "cuCtxSetCurrent"); }

Result<Memory> Device::allocate(int64_t bytes, const std::string& what) const {
  if (bytes == 0) return Memory();
  if (Status s = bind(); !s) return s.error();
  CUdeviceptr at = 0;
  if (const CUresult code = api_.cuMemAlloc(&at, static_cast<size_t>(bytes)); code == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t free = 0, total = 0;
    api_.cuMemGetInfo(&free, &total);
    return over_limit("device " + name_, "no room for " + std::to_string(bytes) + " bytes of " + what + ": " + std::to_string(free) + " of " + std::to_string(total) + " are free", "bind smaller dims, or run on the CPU");
  } else if (Status s = check(code, what, "cuMemAlloc"); !s) {
    return s.error();
  }
  return Memory(shared_from_this(), at);
}

Result<PinnedMemory> Device::allocate_pinned(int64_t bytes, const std::string& what) const {
  if (bytes == 0) return PinnedMemory();
  if (Status s = bind(); !s) return s.error();
  void* at = nullptr;
  if (const CUresult code = api_.cuMemHostAlloc(&at, static_cast<size_t>(bytes), 0); code == CUDA_ERROR_OUT_OF_MEMORY)
    return over_limit("device " + name_, "the host has no " + std::to_string(bytes) + " bytes that can be pinned, for " + what, "bind smaller dims, or run on the CPU");
  else if (Status s = check(code, what, "cuMemHostAlloc"); !s) return s.error();
  return PinnedMemory(shared_from_this(), static_cast<std::byte*>(at));
}

Result<std::shared_ptr<const Code>> Device::load(const std::string& text, const std::string& symbol, bool strict, bool fast, int64_t shared_bytes) const {
  const std::string key = std::string(strict ? "s" : fast ? "f" : "d") + text;
  {
    const std::lock_guard hold(mutex_);
    if (const auto found = loaded_.find(key); found != loaded_.end())
      if (auto code = found->second.lock()) return code;
  }
  if (Status s = bind(); !s) return s.error();
  auto cubin = compile(api_, text, {capability(), strict, fast});
  if (!cubin) return cubin.error();
  CUmodule module = nullptr;
  if (Status s = check(api_.cuModuleLoadData(&module, cubin->image.data()), symbol, "cuModuleLoadData"); !s) return s.error();
  CUfunction function = nullptr;
  const auto prepare = [&] {
    Status s = check(api_.cuModuleGetFunction(&function, module, symbol.c_str()), symbol, "cuModuleGetFunction");
    if (s && shared_bytes > 48 * 1024) s = check(api_.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared_bytes)), symbol, "cuFuncSetAttribute");
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
  const bool lost = code == CUDA_ERROR_ILLEGAL_ADDRESS || code == CUDA_ERROR_LAUNCH_FAILED || code == CUDA_ERROR_LAUNCH_TIMEOUT || code == CUDA_ERROR_MISALIGNED_ADDRESS;
  return unsupported(place, what, lost ? "the device's context is lost for this process: start again, or use --device cpu" : "use --device cpu");
}

} // namespace cutaway::cuda
