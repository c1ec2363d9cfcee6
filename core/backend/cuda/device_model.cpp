#include "backend/cuda/device_model.h"

namespace cutaway::cuda {

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

} // namespace cutaway::cuda
