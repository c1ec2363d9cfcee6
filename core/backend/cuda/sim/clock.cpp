#include "backend/cuda/sim/clock.h"

#include <algorithm>

namespace cutaway::cuda::sim {

namespace {

constexpr size_t most_spans = 1'000'000;

} // namespace

void Clock::record(Span span) {
  if (spans_.size() == most_spans) spans_.pop_front();
  spans_.push_back(std::move(span));
}

void Clock::spend(double us, const std::string& label, int stream) {
  record({label, Unit::host, stream, host_us_, host_us_ + us, 0});
  host_us_ += us;
}

void Clock::wait_until(double us) {
  host_us_ = std::max(host_us_, us);
}

int Clock::sms_used(double at) const {
  int used = 0;
  for (const Busy& b : busy_)
    if (b.begin <= at && at < b.end) used += b.sms;
  return used;
}

// The first moment from which so many multiprocessors are free for so long.
double Clock::first_fit(double begin, double spent, int sms) const {
  auto fits = [&](double t) {
    return sms_used(t) + sms <= device_.sms && std::none_of(busy_.begin(), busy_.end(), [&](const Busy& b) {
             return b.begin > t && b.begin < t + spent && sms_used(b.begin) + sms > device_.sms;
           });
  };
  if (fits(begin)) return begin;
  double first = 1e300;
  for (const Busy& b : busy_)
    if (b.end > begin && b.end < first && fits(b.end)) first = b.end;
  return first;
}

double Clock::place_kernel(const Work& work, double begin, double bytes, Span& span) {
  const Launch* k = work.launch.get();
  const KernelModel model = k ? model_kernel(device_, int64_t(k->grid.x) * k->grid.y * k->grid.z, int(k->block.x * k->block.y * k->block.z), k->shared_bytes, bytes, work.note.flops)
                              : model_driver_kernel(device_, bytes);
  span.sms = model.sms;
  std::erase_if(busy_, [&](const Busy& b) { return b.end <= host_us_; });
  span.begin_us = first_fit(begin, model.us, span.sms);
  memory_free_us_ = std::max(memory_free_us_, span.begin_us) + 1e6 * bytes / device_.bytes_per_s;
  span.end_us = std::max(span.begin_us + model.us, memory_free_us_);
  busy_.push_back({span.begin_us, span.end_us, span.sms});
  return span.end_us;
}

double Clock::place(const Work& work, double ready_us, int stream) {
  double bytes = work.note.bytes;
  if (bytes == 0)
    for (const Range& r : work.note.touches) bytes += double(r.end - r.begin);
  Span span{work.note.label, work.unit, stream, std::max(ready_us, host_us_), 0, 0};
  span.end_us = span.begin_us;
  if (work.unit == Unit::none) return span.end_us;
  if (work.unit == Unit::kernel || work.unit == Unit::within) {
    place_kernel(work, span.begin_us, bytes, span);
  } else {
    double& engine = copy_free_us_[work.unit == Unit::to_host];
    span.begin_us = std::max(span.begin_us, engine);
    span.end_us = engine = span.begin_us + model_copy_us(device_, bytes);
  }
  const double end = span.end_us;
  record(std::move(span));
  return end;
}

} // namespace cutaway::cuda::sim
