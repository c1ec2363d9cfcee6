#pragma once
#include "base/result.h"

#include <string>
#include <vector>

namespace cutaway::cuda {

// A GPU as the simulator models it. Times are derived from data sheets and rough launch costs; none of them is measured.
struct DeviceModel {
  std::string name = "sim:h100";
  int capability = 90; // compute capability times ten
  int sms = 132, threads_per_sm = 2048, blocks_per_sm = 32;
  size_t memory = size_t{80} << 30, shared_per_block = 227 * 1024, shared_per_sm = 228 * 1024, l2_bytes = 50 << 20;
  double flops = 60e12, bytes_per_s = 3.0e12, pcie_bytes_per_s = 50e9;
  double launch_us = 2.2, graph_launch_us = 3.5, kernel_floor_us = 1.8, graph_node_gap_us = 0.4;
  int driver_version = 12040, nvrtc_major = 12, nvrtc_minor = 4;
};
std::vector<DeviceModel> device_models();                       // h100, a100, laptop
// What a device may be called: cpu, cuda (cuda:N too), and the models.
std::vector<std::string> device_names();
Result<DeviceModel> device_model(const std::string& name);      // "h100" or "sim:h100"

} // namespace cutaway::cuda
