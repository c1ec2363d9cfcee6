#include "backend/cuda/device_model.h"

#include <algorithm>

namespace cutaway::cuda {
namespace {

// `wide`: the part of the multiprocessors that take part; half of them can ask for all that the memory gives.
KernelModel modelled(const DeviceModel& device, int sms, double wide, double bytes, double flops) {
  const double memory_us = 1e6 * bytes / device.bytes_per_s;
  const double us = device.kernel_floor_us + std::max(1e6 * flops / (device.flops * wide), memory_us / std::min(1., 2 * wide));
  return {us, sms, std::min(1., memory_us / us)};
}

} // namespace

std::vector<DeviceModel> device_models() {
  DeviceModel h100;
  DeviceModel a100;
  a100.name = "sim:a100";
  a100.capability = 80;
  a100.sms = 108;
  a100.memory = size_t{40} << 30;
  a100.shared_per_block = 163 * 1024;
  a100.shared_per_sm = 164 * 1024;
  a100.l2_bytes = 40 << 20;
  a100.flops = 19e12;
  a100.bytes_per_s = 1.4e12;
  a100.pcie_bytes_per_s = 24e9;
  a100.launch_us = 2.5;
  a100.kernel_floor_us = 2.2;
  DeviceModel laptop; // RTX 4060 Laptop
  laptop.name = "sim:laptop";
  laptop.capability = 89;
  laptop.sms = 24;
  laptop.threads_per_sm = 1536;
  laptop.blocks_per_sm = 24;
  laptop.memory = size_t{8} << 30;
  laptop.shared_per_block = 99 * 1024;
  laptop.shared_per_sm = 100 * 1024;
  laptop.l2_bytes = 32 << 20;
  laptop.flops = 12e12;
  laptop.bytes_per_s = 230e9;
  laptop.pcie_bytes_per_s = 12e9;
  laptop.launch_us = 3.5;
  laptop.graph_launch_us = 6;
  laptop.kernel_floor_us = 2.5;
  return {h100, a100, laptop};
}

std::vector<std::string> device_names() {
  std::vector<std::string> out = {"cpu", "cuda"};
  for (const DeviceModel& model : device_models()) out.push_back(model.name);
  return out;
}

Result<DeviceModel> device_model(const std::string& name) {
  std::string known;
  for (DeviceModel& model : device_models()) {
    if (model.name == name || model.name == "sim:" + name) return std::move(model);
    known += (known.empty() ? "" : ", ") + model.name;
  }
  return bad_input("device " + name, "there is no such simulated device", "known are " + known);
}

int resident_blocks(const DeviceModel& device, int threads, size_t shared_bytes) {
  const auto by_shared = static_cast<int>(device.shared_per_sm / (shared_bytes + 1024)); // the system keeps 1 KB a block
  return std::min({device.blocks_per_sm, device.threads_per_sm / std::max(threads, 1), by_shared});
}

KernelModel model_kernel(const DeviceModel& device, int64_t blocks, int threads, size_t shared_bytes, double bytes, double flops) {
  const int fit = std::max(1, resident_blocks(device, threads, shared_bytes));
  const auto sms = static_cast<int>(std::clamp<int64_t>((blocks + fit - 1) / fit, 1, device.sms));
  return modelled(device, sms, static_cast<double>(std::clamp<int64_t>(blocks, 1, device.sms)) / device.sms, bytes, flops);
}

KernelModel model_driver_kernel(const DeviceModel& device, double bytes) { return modelled(device, 1, 1, bytes, 0); }

double model_copy_us(const DeviceModel& device, double bytes) { return device.copy_floor_us + 1e6 * bytes / device.pcie_bytes_per_s; }

} // namespace cutaway::cuda
