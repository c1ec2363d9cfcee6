#pragma once
#include "runtime/cuda/context.h"

namespace cutaway::runtime {

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
  // Around a replay, with a clock of its own.
  void start_replay(cuda::CUstream stream);
  void stop_replay(cuda::CUstream stream);
  void host_start(uint32_t kernel);
  void host_stop(uint32_t kernel);
  // Once the device is done.
  Status read(RunProfile& out) const;
  // What a replay of the one region took; on a real device as a whole. Once the device is done.
  Status read_replay(Timing& out) const;

 private:
  struct Mark {
    size_t region;
    uint32_t work;
    double begin_us, end_us; // of the call
  };
  void record(size_t event, cuda::CUstream stream);
  void keep(cuda::CUresult code, const char* call);
  Timing::Lane& lane_of(Timing& out, size_t region, uint32_t work) const;
  Timing empty() const;
  Status read_events(RunProfile& out) const;
  void read_model(RunProfile& out) const;

  const CudaProgram& program_;
  CudaContext& context_;
  double start_us_;
  size_t modelled_before_ = 0; // spans in the model's record
  std::vector<Mark> marks_;
  std::vector<Timing::Span> host_; // by kernel, of those that run there
  Timing::Span replay_;            // the call
  std::vector<cuda::CUevent> events_;
  Status fault_; // the first
};

} // namespace cutaway::runtime
