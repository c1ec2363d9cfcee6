#pragma once
#include "backend/cpu/jit/kernel_compiler.h"
#include "runtime/executable.h"

namespace cutaway::runtime {

// One launch, as a list is made from it.
struct ListedLaunch {
  struct Pointer {
    void* fixed = nullptr; // memory of its own
    ValueId value;         // valid: where this value lies, as bind() says
  };
  cpu::KernelFn fn = nullptr; // null: evaluated on the host
  int64_t units = 1;
  bool checks_indices = false;
  std::vector<Pointer> pointers; // what the kernel is handed; its error flag follows

  Cut cut() const { return !fn ? Cut::evaluation : checks_indices ? Cut::index_check : Cut::none; }
};

// Launches on queues, each a team of the pool's threads that takes its launches in their order. A launch that an event
// leads to waits until the other one is done. Events must order all that touches the same bytes from different queues.
// Launches of everyone have all threads of the pool, and nothing else runs beside them.
struct QueuePlan {
  static constexpr uint32_t everyone = ~0u;
  std::vector<int> team_sizes;                       // threads of each queue
  std::vector<uint32_t> queue_of;                    // by launch
  std::vector<std::pair<uint32_t, uint32_t>> events; // from a launch to a later one

  static QueuePlan one(size_t launches, int threads) { return {{threads}, std::vector<uint32_t>(launches, 0), {}}; }
  int threads() const;
};

// The launches of one context as a flat list of commands: function, pointers, scratch and units of each are resolved, and
// a run only walks the list. It allocates nothing and takes no lock; queues wait for one another by counters.
class Replay {
 public:
  struct Scratch {
    std::byte* memory = nullptr;
    int64_t bytes = 0; // of one thread
  };
  using Evaluate = std::function<Status(uint32_t launch)>;
  // The first launch in their order that failed; all before it have run.
  struct Failure {
    uint32_t launch = 0;
    std::optional<Diagnostic> evaluation; // none: an index is out of range
  };

  // `plan`: one of as many threads as the pool has, or of fewer. `evaluate` may be called by several queues at once.
  Replay(ThreadPool& pool, std::span<const ListedLaunch> launches, QueuePlan plan, Scratch scratch, Evaluate evaluate);

  // From now on the value lies here. Touches only the pointers that hang on it, and those only where it moved.
  void bind(ValueId value, void* at);

  // All launches, each queue's by its team; or, where `after` is set, one by one in their order, each by all threads and
  // followed by a call of it. Where `measured` is set, the times go there.
  std::optional<Failure> run(RunProfile* measured = nullptr, const std::function<void(uint32_t launch)>& after = {});

 private:
  struct Command {
    cpu::KernelFn fn;
    void* const* pointers;
    Scratch scratch;
    int64_t units;
    uint32_t launch;
    Cut cut;
  };
  struct Measured;
  // Commands [first, last) of a queue, the events that they wait for and the one that they record.
  struct Section : Region {
    uint32_t first_wait = 0, last_wait = 0; // of waits_
    uint32_t event = no_event;
  };
  // Launches of everyone, or launches that queues share out among them.
  struct Stage {
    bool split = false;
    std::vector<std::vector<Section>> queues;
  };
  static constexpr uint32_t no_event = ~0u, nothing_failed = ~0u;

  void resolve(std::span<const ListedLaunch> launches, Scratch scratch);
  void find_stages();
  void cut_queues(size_t launches);
  static void invoke(void* command, int64_t begin, int64_t end, int thread);
  static void invoke_measured(void* measured, int64_t begin, int64_t end, int thread);
  void begin(RunProfile* measured);
  void play_queue(const Stage& stage, size_t queue, Team& team);
  bool play(const Region& region, size_t queue, Team& team);
  Status evaluate(const Command& command, const Team& team);
  void launch_measured(Command& command, Team& team);
  void fail(Failure failure, size_t queue);

  ThreadPool& pool_;
  QueuePlan plan_;
  Evaluate evaluate_;
  std::vector<void*> pointers_; // tables of all launches, one after another
  std::vector<int> flags_;      // by launch
  std::vector<std::vector<uint32_t>> hanging_; // by value: its entries in pointers_
  std::vector<void*> bound_;                   // by value
  std::vector<Command> commands_;              // queue after queue
  std::vector<uint32_t> command_of_;           // by launch
  std::vector<Stage> stages_;
  std::vector<uint32_t> stage_of_;             // by launch
  std::vector<uint32_t> waits_;                // events
  std::vector<uint32_t> recorded_by_;          // by event: the launch; ascending
  std::unique_ptr<std::atomic<uint32_t>[]> events_; // 1: recorded in this run
  // Of the run:
  std::atomic<uint32_t> failed_{nothing_failed}; // the first launch that did
  std::vector<std::optional<Failure>> failures_; // by queue
  const Stage* stage_ = nullptr;                 // that is being played
  RunProfile* measured_ = nullptr;
  double start_us_ = 0;
};

} // namespace cutaway::runtime
