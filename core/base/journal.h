#pragma once
#include "base/ids.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace cutaway {

// One argument of a reason: a number with its unit, or a name. describe() fills it into the sentence of the code.
using Arg = std::variant<int64_t, double, std::string>;

// What a state of the program costs, as far as the pass that writes the event knows it; negative: not known.
struct Cost {
  int64_t nodes = -1;
  int64_t bytes = -1;    // traffic in bytes (fusion) or peak bytes (memory)
  int64_t launches = -1;
  double time_us = -1;   // predicted
};

// What an event carries beside its reason; the graph's edits derive from it (ir/rewrite.h).
struct Payload {
  virtual ~Payload() = default;
};

// One decision or refusal. `code` is a stable word such as "fold" or "not-fused.cycle"; the sentence is made from
// code and args by describe() in the driver, never here.
struct Event {
  const char* pass = "";
  std::string code;
  bool refused = false;
  std::vector<Entity> entities;
  std::vector<Arg> args;
  Cost before, after;
  std::shared_ptr<const Payload> payload; // null where the event changed nothing
};

// The append-only record of everything that decides. A null journal costs one branch: call `write` through the free
// function `note`, which builds the event only where somebody listens.
class Journal {
 public:
  void append(Event event) {
    if (events_.size() >= limit_) {
      ++dropped_;
      return;
    }
    events_.push_back(std::move(event));
  }
  const std::vector<Event>& events() const { return events_; }
  // Events past the limit are counted, not kept; the document says so.
  size_t dropped() const { return dropped_; }
  void set_limit(size_t limit) { limit_ = limit; }

 private:
  std::vector<Event> events_;
  size_t limit_ = 1'000'000;
  size_t dropped_ = 0;
};

template <class Make> void note(Journal* journal, Make&& make) {
  if (journal) journal->append(make());
}

} // namespace cutaway
