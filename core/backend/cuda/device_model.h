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
  double launch_us = 2.2, graph_launch_us = 3.5, kernel_floor_us = 1.8, graph_node_gap_us = 0.4, copy_floor_us = 1.0;
  int driver_version = 12040, nvrtc_major = 12, nvrtc_minor = 4;
};
std::vector<DeviceModel> device_models();                       // h100, a100, laptop
// What a device may be called: cpu, cuda (cuda:N too), and the models.
std::vector<std::string> device_names();
Result<DeviceModel> device_model(const std::string& name);      // "h100" or "sim:h100"

// Blocks of a launch that fit on one multiprocessor.
int resident_blocks(const DeviceModel& device, int threads, size_t shared_bytes);

// What one launch takes of a device while it runs alone: a fixed floor and the larger of its arithmetic and its traffic.
struct KernelModel {
  double us = 0;
  int sms = 1;          // multiprocessors that it keeps others from using
  double bandwidth = 0; // its share of the device memory's, 0 to 1
};
KernelModel model_kernel(const DeviceModel& device, int64_t blocks, int threads, size_t shared_bytes, double bytes, double flops);
// A memset or a copy within the device is the driver's own kernel, and wide enough.
KernelModel model_driver_kernel(const DeviceModel& device, double bytes);
// Between host and device.
double model_copy_us(const DeviceModel& device, double bytes);

} // namespace cutaway::cuda
