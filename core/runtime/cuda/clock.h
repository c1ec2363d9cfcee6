#pragma once
#include "runtime/cuda/context.h"

namespace cutaway::runtime {

// What the plan of the streams promises before anything ran: its flows and `planned`, the regions one after the other; what the host
// evaluates between them takes no time.
RunProfile planned_run(const CudaProgram& program);

// When the works of a run took place: by two events a work on a real device, from the model's own record on a simulated one,
// where calls are modelled too.
class CudaClock {
 public:
  CudaClock(const CudaProgram& program, CudaContext& context);
  ~CudaClock();
  CudaClock(const CudaClock&) = delete;
  CudaClock& operator=(const CudaClock&) = delete;

  // Around each work of a region as it is submitted, and around each kernel on the host.
  void start(size_t region, uint32_t work, cuda::CUstream stream);
  void stop(cuda::CUstream stream);
  // Around a replay of all regions and around each of its calls, with a clock of its own.
  void start_replay(cuda::CUstream stream);
  void stop_replay(cuda::CUstream stream);
  void start_call();
  void stop_call();
  void host_start(uint32_t kernel);
  void host_stop(uint32_t kernel);
  // Once the device is done.
  Status read(RunProfile& out) const;
  // What a replay took; on a real device as a whole. Once the device is done.
  Status read_replay(Timing& out) const;

 private:
  struct Mark {
    size_t region;
    uint32_t work;
    double begin_us, end_us; // of the call
  };
  void record(size_t event, cuda::CUstream stream);
  void keep(cuda::CUresult code, const char* call);
  Status read_events(RunProfile& out) const;
  void read_model(RunProfile& out) const;

  const CudaProgram& program_;
  CudaContext& context_;
  double start_us_;
  size_t modelled_before_ = 0; // spans in the model's record
  std::vector<Mark> marks_;
  std::vector<Timing::Span> host_; // by kernel, of those that run there
  double replay_us_ = 0;           // when the replay began
  std::vector<Timing::Span> replay_calls_;
  std::vector<cuda::CUevent> events_;
  Status fault_; // the first
};

} // namespace cutaway::runtime
