#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace cutaway::runtime {

// Returns once the word is no longer `value`: spins a moment, then yields, then sleeps until it is notified. Spinning only
// would cost tens of milliseconds where two threads share a core.
void wait_while(const std::atomic<uint32_t>& word, uint32_t value);

// Threads of a pool that share the units of one kernel after another. The first of them leads: it alone calls run(), and
// works too.
class Team {
 public:
  using Body = void (*)(void* context, int64_t begin, int64_t end, int thread);

  int size() const { return size_; }
  int leader() const { return first_; } // number of the thread in the pool
  // Runs body over [0, units) in chunks and returns when all is done; `thread` counts in the whole pool. Allocates nothing
  // and takes no lock.
  void run(int64_t units, Body body, void* context);

 private:
  friend class ThreadPool;
  using Part = void (*)(void* context, int thread);
  void form(int first, int size);
  void each(Part part, void* context); // every thread does its part once
  void serve(int thread);              // what the others do until the team is dismissed
  void dismiss();
  static void take_chunks(void* team, int thread);

  int first_ = 0, size_ = 1;
  uint32_t formed_at_ = 0; // the epoch
  Part part_ = nullptr;    // null: the team is dismissed
  void* part_context_ = nullptr;
  Body body_ = nullptr;
  void* body_context_ = nullptr;
  int64_t units_ = 0, chunk_ = 1;
  alignas(64) std::atomic<uint32_t> epoch_{0}; // of parts
  alignas(64) std::atomic<int> busy_{0};
  alignas(64) std::atomic<int64_t> next_{0}; // unit that nobody has taken
};

// One persistent pool. All of its threads are one team; for a while it can be split into several.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return everyone_.size(); }
  Team& everyone() { return everyone_; }
  using TeamBody = void (*)(void* context, int index, Team& team);
  // Splits the threads into teams of these sizes, in order; the leader of each runs the body. Threads that are left over
  // rest. Returns when all bodies have. Allocates nothing.
  void run_teams(std::span<const int> sizes, TeamBody body, void* context);

 private:
  struct Split;
  static void join_team(void* split, int thread);

  Team everyone_;
  std::unique_ptr<Team[]> teams_; // one a thread: no split has more
  std::vector<Team*> team_of_;    // by thread; null: none
  std::vector<std::thread> workers_;
};

} // namespace cutaway::runtime
