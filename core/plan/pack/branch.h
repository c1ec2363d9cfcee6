#pragma once
#include "plan/pack/budget.h"
#include "plan/pack/instance.h"
#include "plan/pack/memo.h"
#include "plan/pack/trace.h"

#include <utility>
#include <vector>

namespace cutaway::plan {

// Complete search: is there a plan of at most `capacity` units? Buffers are placed bottom-up, each at the lowest offset
// open to it, as in MiniMalloc (Moffitt, ASPLOS 2023); to that it adds
//  - support: a buffer that does not lie where it could must rest on one still to come, which raises its bottom;
//  - "not first" per section: one that cannot be the lowest there lies above one that can;
//  - twins (same sections, size and alignment) stacked in one order only;
//  - a memo of failed components, kept across restarts; undo by a trail.
// For instances of up to some thousand items: it keeps all conflicting pairs. The memo's keys are 64-bit hashes, so a
// wrong `no` has a chance of about 1e-7 per million entries; a `yes` comes with its plan.
class Branch {
 public:
  enum class Answer { yes, no, unknown };

  explicit Branch(const Instance& instance);
  // Spends about `effort` of the budget at most; fills `plan` on yes. `first_order` rotates the tie-breaking orders.
  // Asked again for the same capacity it goes on where it stopped.
  Answer decide(int64_t capacity, uint64_t effort, int first_order, Budget& budget, PackTrace* trace, Offsets& plan);

 private:
  using Items = std::vector<int>;

  void reset(int64_t capacity);
  Answer run_parts(const std::vector<Items>& parts, size_t& done);
  // Undo.
  void assign(int64_t& cell, int64_t value);
  void undo(size_t mark);
  // Bounds.
  void enqueue(int s);
  void touch(int b);
  bool raise(int b, int64_t to);
  void chain_twins();
  bool check_section(int s);
  bool propagate();
  void drop_queue();
  bool skip(int b);
  // Moves.
  bool place(int b);
  void lift(int b);
  bool hatless(int b) const;
  void rank(const Items& items);
  std::vector<Items> split(const Items& items, int first, int last) const;
  uint64_t key_of(const Items& items) const;
  int choose(const Items& items);
  bool stop();
  Answer below(int b, const Items& items);
  Answer search(const Items& items);
  void tell(SearchMove::Kind kind, int b);

  const Instance& in_;
  const int n_;
  // Per section: bytes not yet placed; its buffers, the unplaced ones first, count_ of them; unplaced buffers that also
  // live in the next section.
  std::vector<int64_t> load_;
  std::vector<Items> live_;
  std::vector<int> count_, cuts_;
  std::vector<char> queued_;
  std::vector<int> queue_; // sections whose bounds changed
  // Per buffer. bottom_: no plan worth having puts it lower. rest_: top of what is placed under it so far. In a plan
  // that lowering one buffer cannot improve, everything rests on something: b is placed only where bottom_ == rest_.
  std::vector<int> first_, last_;
  std::vector<int64_t> size_, alignment_, bottom_, rest_, found_;
  std::vector<Items> conflicts_, slot_; // slot_[b][k]: its place in live_ of its k-th section
  std::vector<int> twin_, rank_;
  std::vector<char> placed_;
  bool aligned_ = true; // alignment plays no part
  Memo memo_;
  std::vector<std::pair<int64_t*, int64_t>> trail_;
  Budget* budget_ = nullptr;
  PackTrace* trace_ = nullptr;
  int64_t capacity_ = -1;
  uint64_t nodes_ = 0, limit_ = 0, restart_ = 0; // nodes: so far, of this restart at most, of a restart
  uint64_t until_ = 0, looked_at_ = 0; // the budget's effort to stop at; buffers looked at and not yet accounted
  int order_ = 0, turn_ = 0;
};

} // namespace cutaway::plan
