#pragma once
#include "backend/cuda/compile.h"
#include "backend/cuda/device_model.h"
#include "base/disk_cache.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace cutaway::cuda {

class Device;

// Device memory, given back when it goes.
class Memory {
 public:
  Memory() = default;
  Memory(std::shared_ptr<const Device> device, CUdeviceptr at) : device_(std::move(device)), at_(at) {}
  Memory(Memory&& other) noexcept : device_(std::move(other.device_)), at_(std::exchange(other.at_, 0)) {}
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();
  CUdeviceptr at() const { return at_; }

 private:
  std::shared_ptr<const Device> device_;
  CUdeviceptr at_ = 0; // 0: none
};

// Host memory that copies may read and write while the host does something else; given back when it goes.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(std::shared_ptr<const Device> device, std::byte* at) : device_(std::move(device)), at_(at) {}
  PinnedMemory(PinnedMemory&& other) noexcept : device_(std::move(other.device_)), at_(std::exchange(other.at_, nullptr)) {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  ~PinnedMemory();
  std::byte* at() const { return at_; }

 private:
  std::shared_ptr<const Device> device_;
  std::byte* at_ = nullptr; // null: none
};

// A kernel's code on a device, unloaded when it goes.
class Code {
 public:
  Code(std::shared_ptr<const Device> device, CUmodule module, CUfunction function) : device_(std::move(device)), module_(module), function_(function) {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code();
  CUfunction function() const { return function_; }

 private:
  std::shared_ptr<const Device> device_;
  CUmodule module_;
  CUfunction function_;
};

struct CodeRequest {
  const std::string& text;
  const std::string& symbol;
  bool strict = false, fast = false;
  int64_t shared_bytes = 0;
  bool cache = true; // the image may come from the disk, and is left there
};

// An open GPU: its primary context, and the code that was loaded on it. All members may be called from any thread.
class Device : public std::enable_shared_from_this<Device> {
 public:
  // "cuda", "cuda:1", "sim:h100". The same device while one of that name is open. One simulated driver a process: a second
  // model is refused while the first is open.
  static Result<std::shared_ptr<Device>> open(const std::string& name);
  // A device of a table, named as for open(); `unsupported` where check_usable() refuses it. `model`: of a simulated one.
  static Result<std::shared_ptr<Device>> start(std::string name, const Api& api, DeviceModel model = {}, int ordinal = 0);
  ~Device();

  const std::string& name() const { return name_; }
  bool modelled() const { return modelled_; }              // simulated: times are a model's
  int capability() const { return model_.capability; }     // times ten
  // What its streams are planned by; of a real device from its attributes, with launch costs as on data-centre devices.
  const DeviceModel& model() const { return model_; }

  const Api& api() const { return api_; }
  // Makes the context that of this thread: before any call of the table.
  Status bind() const;
  // `limit` where there is no room; `what` says for what.
  Result<Memory> allocate(int64_t bytes, const std::string& what) const;
  // Bytes that are free now; 0 where the device does not say.
  int64_t free_bytes() const;
  Result<PinnedMemory> allocate_pinned(int64_t bytes, const std::string& what) const;
  // The code of a text; compiled once, as long as somebody holds it, or found on disk under its image_key().
  Result<std::shared_ptr<const Code>> load(const CodeRequest& request) const;
  // The diagnostic of a call that failed; ok for CUDA_SUCCESS. `where`: a launch, a node.
  Status check(CUresult code, std::string_view where, const char* call) const;

 private:
  Device(std::string name, Api api, DeviceModel model) : name_(std::move(name)), api_(api), modelled_(name_.starts_with("sim:")), model_(std::move(model)) {}
  Status start(int ordinal);
  Status read_attributes();
  Status read_compiler();
  Result<std::string> image(const CodeRequest& request) const;

  std::string name_;
  Api api_;
  bool modelled_;
  DeviceModel model_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::string compiler_; // which NVRTC, and of what version
  std::optional<DiskCache> cache_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::weak_ptr<const Code>> loaded_;
};

} // namespace cutaway::cuda
