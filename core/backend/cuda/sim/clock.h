#pragma once
#include "backend/cuda/sim/work.h"

#include <deque>
#include <vector>

namespace cutaway::cuda::sim {

// Modelled time. Everything is booked when it is submitted, so that times do not depend on the real schedule. A kernel
// takes a fixed floor and the larger of its arithmetic and its traffic; multiprocessors are shared by kernels that fit
// beside each other; device memory serves one request after the other, so that two kernels bound by it gain nothing from
// running together. Each direction of copies has one engine.
class Clock {
 public:
  explicit Clock(const DeviceModel& device) : device_(device) {}

  double host_us() const { return host_us_; }
  // The host spends this on a call.
  void spend(double us, const std::string& label, int stream);
  void wait_until(double us);
  // When work that may start at `ready_us` ends; adds a span.
  double place(const Work& work, double ready_us, int stream);
  const std::deque<Span>& spans() const { return spans_; }

 private:
  struct Busy {
    double begin, end;
    int sms;
  };
  void record(Span span);
  int sms_used(double at) const;
  double first_fit(double begin, double spent, int sms) const;
  double place_kernel(const Work& work, double begin, double bytes, Span& span);

  DeviceModel device_;
  double host_us_ = 0, memory_free_us_ = 0, copy_free_us_[2] = {0, 0};
  std::deque<Busy> busy_;
  std::deque<Span> spans_;
};

} // namespace cutaway::cuda::sim
