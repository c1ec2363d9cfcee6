#pragma once
#include "backend/cuda/device.h"
#include "backend/cuda/library.h"
#include "codegen/cuda/cuda_kernel.h"
#include "plan/streams/events.h"
#include "plan/streams/schedule.h"
#include "runtime/addresses.h"

namespace cutaway::runtime {

// One thing that a run asks of a device.
struct DeviceWork {
  enum class Kind : uint8_t { copy_in, copy_out, clear_flags, read_flags, launch };
  Kind kind = Kind::launch;
  uint32_t kernel = 0; // of a launch
  ValueId value;       // a root, of a copy between its place on the device and its mirror in host memory

  bool is_copy() const { return kind == Kind::copy_in || kind == Kind::copy_out; }
};

// The events of a region as its works meet them. Each event is recorded once; stream 0 begins and ends the region.
struct Wiring {
  std::vector<int> records;                 // by work: the event recorded after it; -1: none
  std::vector<std::vector<uint32_t>> waits; // by work: the works whose events its stream waits for before it
  std::vector<bool> forks;                  // by queue: its first work waits for nothing but the start of the region
  std::vector<int> joins;                   // by queue: its last work, where stream 0 must wait for it in the end; -1: none
  int events = 0;
};

// What is submitted at a stretch, and replayed as one: everything between two kernels that run on the host.
struct DeviceRegion {
  std::vector<uint32_t> host; // kernels that the host runs before it
  std::vector<DeviceWork> works;
  plan::StreamPlan streams;   // its tasks are the works, in the order of their submission
  Wiring wiring;
  uint32_t first_kernel = 0, last_kernel = 0; // of its launches; [first, last)
};

// What a library's routine reads or writes.
struct LibraryOperand {
  size_t buffer = 0;  // of the kernel
  uint64_t bytes = 0; // from its start
};

// How a kernel is launched.
struct DeviceLaunch {
  std::shared_ptr<const cuda::Code> code;           // null: on the host
  std::shared_ptr<const cuda::LibraryCall> library; // in its place
  std::array<LibraryOperand, 3> operands;           // of the library's
  std::array<unsigned, 3> grid{1, 1, 1};
  unsigned threads = 1, shared = 0;
  std::string why_on_host;  // "no kernel for topk"
  bool checks_indices = false;
  double bytes = 0, flops = 0;
  size_t first_pointer = 0; // of what it takes, in a context's table

  int64_t blocks() const { return int64_t{grid[0]} * grid[1] * grid[2]; }
};

// The launches of a graph and what they need, cut into regions. The order of the kernels is theirs; finding the streams of a
// region may change it.
class DevicePlanner {
 public:
  DevicePlanner(const Graph& graph, std::vector<codegen::CudaKernel>& kernels, std::vector<DeviceLaunch>& launches, const cuda::DeviceModel& device, int queues);

  // Regions with their streams, of kernels that are put into the order in which they are submitted.
  std::vector<DeviceRegion> regions();
  // For each kernel, the first and last that may run beside it.
  static std::vector<plan::StreamOrder::Span> beside(const std::vector<DeviceRegion>& regions, size_t kernels);
  // Events for what the plan of the arena makes wait, too.
  void order_reuse(std::vector<DeviceRegion>& regions, const plan::MemoryPlan& memory) const;
  static void wire(std::vector<DeviceRegion>& regions);
  // Two works of one region that race under that plan, in words; empty: none do.
  std::string find_race(const std::vector<DeviceRegion>& regions, const plan::MemoryPlan& memory) const;

 private:
  void cut();
  void add_copies(DeviceRegion& region, std::vector<bool>& on_device) const;
  plan::StreamProblem problem_of(const DeviceRegion& region, const Addresses& where) const;
  std::vector<std::vector<plan::Touch>> touches(const DeviceRegion& region, const Addresses& where) const;
  plan::StreamTask cost(const DeviceWork& work) const;
  void reorder();

  const Graph& graph_;
  std::vector<codegen::CudaKernel>& kernels_;
  std::vector<DeviceLaunch>& launches_;
  const cuda::DeviceModel& device_;
  int queues_;
  std::vector<bool> read_by_host_, written_by_host_, is_param_; // by value id
  std::vector<DeviceRegion> regions_;
};

} // namespace cutaway::runtime
