#include "backend/cuda/sim/executor.h"

#include <algorithm>

namespace cutaway::cuda::sim {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr unsigned most_workers = 8;
// Waking a thread costs 10 to 50 us: kernels of fewer threads stay on one.
constexpr uint64_t worth_sharing = 2048, worth_sharing_flat = 65536;

} // namespace

Executor::Executor(DeviceMemory& memory) : memory_(memory) {
  const unsigned helpers = std::clamp(std::thread::hardware_concurrency(), 2u, most_workers) - 1;
  threads_.emplace_back([this] { dispatch(); });
  threads_.emplace_back([this] { watch(); });
  for (unsigned i = 0; i < helpers; ++i) threads_.emplace_back([this] { help(); });
}

Executor::~Executor() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    limit_ = std::chrono::milliseconds(0);
    if (job_) job_->deadline = SteadyClock::now();
  }
  changed_.notify_all();
  started_.notify_all();
  shared_.notify_all();
  for (std::thread& t : threads_) t.join();
}

uint64_t Executor::submit(Work work, std::vector<uint64_t> after) {
  std::lock_guard lock(mutex_);
  std::erase_if(after, [&](uint64_t op) { return !pending_.contains(op); });
  pending_[next_] = {std::move(work), std::move(after)};
  changed_.notify_all();
  return next_++;
}

bool Executor::reached(const Point& point) const {
  return std::none_of(point.ops.begin(), point.ops.end(), [&](uint64_t op) { return pending_.contains(op); });
}

bool Executor::done(const Point& point) {
  std::lock_guard lock(mutex_);
  return reached(point);
}

DeviceFault Executor::wait(const Point* point) {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return point ? reached(*point) : pending_.empty(); });
  return fault_;
}

void Executor::hold(bool on) {
  std::lock_guard lock(mutex_);
  held_ = on;
  changed_.notify_all();
}

void Executor::set_pick(Pick pick, uint64_t seed) {
  std::lock_guard lock(mutex_);
  pick_ = pick;
  random_.seed(seed);
}

void Executor::set_watchdog(std::chrono::milliseconds limit) {
  std::lock_guard lock(mutex_);
  limit_ = limit;
}

Counters Executor::counters() {
  std::lock_guard lock(mutex_);
  return {tally_.threads, tally_.switches, tally_.blocks, seconds_};
}

bool Executor::ready(const Pending& pending) const {
  return std::none_of(pending.after.begin(), pending.after.end(), [&](uint64_t op) { return pending_.contains(op); });
}

// The oldest is always ready: edges lead to older ones only.
Executor::Queue::iterator Executor::choose() {
  auto fit = [&](const auto& item) { return ready(item.second); };
  if (pick_ == Pick::oldest) return pending_.begin();
  if (pick_ == Pick::newest) return std::prev(std::find_if(pending_.rbegin(), pending_.rend(), fit).base());
  constexpr size_t most = 64;
  std::vector<Queue::iterator> found;
  for (auto it = pending_.begin(); it != pending_.end() && found.size() < most; ++it)
    if (fit(*it)) found.push_back(it);
  return found[random_() % found.size()];
}

void Executor::dispatch() {
  BlockRunner runner(memory_, tally_);
  std::unique_lock lock(mutex_);
  runners_.push_back(&runner);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || (!held_ && !pending_.empty()); });
    if (stop_) break;
    const auto it = choose();
    DeviceFault fault;
    if (fault_.code == CUDA_SUCCESS) {
      lock.unlock();
      fault = run(runner, it->second.work);
      lock.lock();
    }
    if (fault.code != CUDA_SUCCESS) fault_ = std::move(fault);
    const Work finished = std::move(it->second.work); // its owners may be the last of a module
    pending_.erase(it);
    finished_.notify_all();
  }
  std::erase(runners_, &runner);
}

DeviceFault Executor::run(BlockRunner& runner, const Work& work) {
  if (!work.launch) return work.run ? work.run() : DeviceFault{};
  const Launch& launch = *work.launch;
  const auto begin = SteadyClock::now();
  Job job;
  job.launch = &launch;
  job.blocks = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
  const uint64_t threads = job.blocks * launch.block.x * launch.block.y * launch.block.z;
  job.shared = job.blocks > 1 && threads >= (launch.kernel->block ? worth_sharing_flat : worth_sharing);
  {
    std::lock_guard lock(mutex_);
    job.deadline = begin + limit_;
    job_ = &job;
    started_.notify_all();
    if (job.shared) shared_.notify_all();
  }
  run_blocks(runner, job);
  {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return job.running == 0; });
    job_ = nullptr;
    seconds_ += std::chrono::duration<double>(SteadyClock::now() - begin).count();
  }
  if (job.fault.code == CUDA_SUCCESS && job.expired)
    job.fault = {CUDA_ERROR_LAUNCH_TIMEOUT, launch.label + ": stopped by the watchdog: it runs too long"};
  if (job.fault.code == CUDA_SUCCESS)
    if (std::string zone = memory_.red_zones(); !zone.empty())
      job.fault = {CUDA_ERROR_ILLEGAL_ADDRESS, launch.label + ": " + zone + " (found after the launch)"};
  return job.fault;
}

void Executor::run_blocks(BlockRunner& runner, Job& job) {
  const CwDim3 g = job.launch->grid;
  for (uint64_t i; (i = job.next++) < job.blocks;) {
    const CwDim3 index{unsigned(i % g.x), unsigned(i / g.x % g.y), unsigned(i / g.x / g.y)};
    DeviceFault fault = runner.run(*job.launch, index);
    if (fault.code == CUDA_SUCCESS) continue;
    std::lock_guard lock(mutex_);
    if (job.fault.code == CUDA_SUCCESS) job.fault = std::move(fault);
    job.next = job.blocks;
  }
}

void Executor::help() {
  BlockRunner runner(memory_, tally_);
  std::unique_lock lock(mutex_);
  runners_.push_back(&runner);
  for (;;) {
    shared_.wait(lock, [&] { return stop_ || (job_ && job_->shared && job_->next < job_->blocks); });
    if (stop_) break;
    Job& job = *job_;
    ++job.running;
    lock.unlock();
    run_blocks(runner, job);
    lock.lock();
    --job.running;
    finished_.notify_all();
  }
  std::erase(runners_, &runner);
}

// Past its deadline a kernel is stopped: again and again, as a thread may be at a place where it cannot be.
void Executor::watch() {
  constexpr auto again = std::chrono::milliseconds(5);
  std::unique_lock lock(mutex_);
  while (!stop_ || job_) {
    if (!job_) {
      started_.wait(lock, [&] { return stop_ || job_; });
      continue;
    }
    const auto now = SteadyClock::now();
    if (now < job_->deadline) {
      started_.wait_until(lock, std::min(job_->deadline, now + std::chrono::milliseconds(100)));
      continue;
    }
    job_->expired |= job_->next.exchange(job_->blocks) < job_->blocks;
    for (BlockRunner* runner : runners_) runner->expire();
    started_.wait_for(lock, again);
  }
}

} // namespace cutaway::cuda::sim
