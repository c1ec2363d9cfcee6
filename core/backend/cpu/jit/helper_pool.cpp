#include "backend/cpu/jit/helper_pool.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <poll.h>

namespace cutaway::cpu {

using Clock = std::chrono::steady_clock;

// One call of run(): which request lies with which helper.
class HelperRun {
 public:
  HelperRun(HelperPool& pool, std::span<const CompileRequest> requests, const std::atomic<bool>* cancel,
            const HelperPool::Done& done)
      : pool_(pool), requests_(requests), cancel_(cancel), done_(done), tries_(requests.size(), 0) {
    waiting_.resize(requests.size());
    std::iota(waiting_.begin(), waiting_.end(), size_t(0));
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [&](size_t a, size_t b) { return requests[a].text.size() > requests[b].text.size(); });
  }

  void loop() {
    while (!waiting_.empty() || !busy_.empty()) {
      if (cancel_ && cancel_->load(std::memory_order_relaxed))
        return fail_all(over_limit("cpu kernels", "compiling was cancelled"));
      hand_out();
      if (busy_.empty()) {
        if (!waiting_.empty()) pool_.wait_for_release(patience());
        continue;
      }
      wait_for_news();
      collect();
    }
  }

 private:
  struct Work {
    std::unique_ptr<Helper> helper;
    size_t request;
    Clock::time_point deadline;
  };

  std::chrono::milliseconds patience() const { return std::chrono::milliseconds(cancel_ ? 10 : 200); }
  std::string where(size_t request) const { return "kernel " + requests_[request].symbol; }

  void hand_out() {
    while (!waiting_.empty()) {
      Result<std::unique_ptr<Helper>> helper = pool_.acquire();
      if (!helper) return fail_all(helper.error());
      if (!*helper) return;
      give(std::move(*helper));
    }
  }

  void give(std::unique_ptr<Helper> helper) {
    size_t request = waiting_.front();
    waiting_.pop_front();
    helper->queue(requests_[request]);
    busy_.push_back({std::move(helper), request, Clock::now() + pool_.timeout_});
  }

  void wait_for_news() {
    std::vector<pollfd> fds;
    Clock::time_point first = Clock::now() + patience();
    for (const Work& work : busy_) {
      // The first pass only writes: poll returns at once, as the socket has room.
      fds.push_back({work.helper->fd(), short(POLLIN | (work.helper->wants_write() ? POLLOUT : 0)), 0});
      first = std::min(first, work.deadline);
    }
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(first - Clock::now()).count();
    poll(fds.data(), fds.size(), int(std::max<long>(left + 1, 0)));
  }

  void collect() {
    std::vector<Work> work = std::move(busy_);
    busy_.clear();
    for (Work& w : work) {
      std::optional<CompileReply> reply = w.helper->pump();
      if (reply) {
        settle(std::move(w), std::move(*reply));
      } else if (w.helper->dead()) {
        mourn(std::move(w));
      } else if (Clock::now() > w.deadline) {
        pool_.release(nullptr);
        w.helper.reset();
        done_(w.request, over_limit(where(w.request),
                                    "compiling it took more than " + std::to_string(pool_.timeout_.count()) + " ms"));
      } else {
        busy_.push_back(std::move(w));
      }
    }
  }

  // Keeps the helper at work before it looks at the reply: linking runs beside the next compile.
  void settle(Work work, CompileReply reply) {
    size_t request = work.request;
    if (reply.outcome == CompileReply::Outcome::fatal) {
      work.helper.reset();
      pool_.release(nullptr);
    } else if (!waiting_.empty()) {
      give(std::move(work.helper));
      busy_.back().helper->send();
    } else {
      pool_.release(std::move(work.helper));
    }
    if (reply.outcome == CompileReply::Outcome::done) {
      done_(request, std::move(reply));
      return;
    }
    bool fatal = reply.outcome == CompileReply::Outcome::fatal;
    done_(request, unsupported(where(request), (fatal ? "Clang gave up: " : "Clang refused its text: ") + reply.bytes));
  }

  void mourn(Work work) {
    bool came_up = work.helper->greeted();
    std::string death = work.helper->death();
    work.helper.reset();
    pool_.release(nullptr);
    if (!came_up && ++failed_starts_ > pool_.jobs_) {
      waiting_.push_front(work.request);
      return fail_all(
          unsupported("cpu kernels", pool_.path_ + " ended before it was ready: " + death,
                      "are the run-time libraries of LLVM and Clang 19 there (libllvm19, libclang-cpp19)?"));
    }
    if (!came_up || ++tries_[work.request] < 2) {
      waiting_.push_front(work.request);
      return;
    }
    done_(work.request, unsupported(where(work.request), "Clang crashed on it: " + death));
  }

  void fail_all(const Diagnostic& why) {
    std::vector<size_t> open(waiting_.begin(), waiting_.end());
    for (Work& work : busy_) {
      open.push_back(work.request);
      work.helper.reset();
      pool_.release(nullptr);
    }
    waiting_.clear();
    busy_.clear();
    for (size_t request : open) done_(request, why);
  }

  HelperPool& pool_;
  std::span<const CompileRequest> requests_;
  const std::atomic<bool>* cancel_;
  const HelperPool::Done& done_;
  std::deque<size_t> waiting_;
  std::vector<Work> busy_;
  std::vector<int> tries_;
  int failed_starts_ = 0;
};

void HelperPool::run(std::span<const CompileRequest> requests, const std::atomic<bool>* cancel, const Done& done) {
  HelperRun(*this, requests, cancel, done).loop();
}

Result<std::unique_ptr<Helper>> HelperPool::acquire() {
  std::unique_lock lock(mutex_);
  while (!idle_.empty()) {
    std::unique_ptr<Helper> helper = std::move(idle_.back());
    idle_.pop_back();
    helper->pump();
    if (helper->dead()) continue; // killed while it was idle
    ++leased_;
    return helper;
  }
  if (leased_ >= jobs_) return std::unique_ptr<Helper>();
  auto helper = Helper::start(path_);
  if (helper) ++leased_;
  return helper;
}

void HelperPool::release(std::unique_ptr<Helper> helper) {
  {
    std::lock_guard lock(mutex_);
    --leased_;
    if (helper) idle_.push_back(std::move(helper));
  }
  released_.notify_one();
}

void HelperPool::wait_for_release(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  released_.wait_for(lock, most, [&] { return leased_ < jobs_; });
}

} // namespace cutaway::cpu
