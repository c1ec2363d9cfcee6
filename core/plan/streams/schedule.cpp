#include "plan/streams/schedule.h"

#include "plan/streams/events.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace cutaway::plan {
namespace {

// Of two that take as long, the one with fewer events is better.
struct Scored {
  StreamSchedule schedule;
  double us = std::numeric_limits<double>::infinity();
  size_t events = 0;

  bool better_than(const Scored& other) const { return us < other.us * (1 - 1e-9) || (us <= other.us * (1 + 1e-9) && events < other.events); }
};

Scored scored(const StreamProblem& p, StreamSchedule s) {
  const auto events = fewest_events(p, s);
  const double us = predict(p, s, events).makespan_us;
  return {std::move(s), us, events.size()};
}

void consider(Scored& best, const StreamProblem& p, StreamSchedule s) {
  if (Scored made = scored(p, std::move(s)); made.better_than(best)) best = std::move(made);
}

double total(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.); }

// How an order of preference looks: by the longest chain behind a task, its own length, or as given; and how much more must
// get done for a task to start beside others.
struct Preference {
  enum class By : uint8_t { chain, length, given, wide } by = By::chain;
  double least_more = .02;
};

// Tasks start as time goes on: of those that are ready the preferred first, each in the queue of a task that it waits for
// where that is free.
class ListScheduler {
 public:
  ListScheduler(const StreamProblem& p, Preference preference) : p_(p), preference_(preference), waits_(p.tasks.size()), readers_(p.tasks.size()), worth_(p.tasks.size(), 0), left_(p.tasks.size()) {
    std::vector<double> chain(p.tasks.size(), 0);
    for (size_t t = p.tasks.size(); t-- > 0;) {
      const StreamTask& task = p.tasks[t];
      chain[t] += task.us;
      for (const uint32_t f : task.after) chain[f] = std::max(chain[f], chain[t]), readers_[f].push_back(static_cast<uint32_t>(t));
      waits_[t] = task.after.size();
      left_[t] = task.us;
      const double widest = *std::max_element(task.share.begin(), task.share.end());
      worth_[t] = preference.by == Preference::By::chain ? chain[t] : preference.by == Preference::By::length ? task.us : preference.by == Preference::By::wide ? widest : -static_cast<double>(t);
      if (task.after.empty()) ready_.push_back(static_cast<uint32_t>(t));
    }
    last_.assign(static_cast<size_t>(p.queues), none);
    busy_.assign(static_cast<size_t>(p.queues), none);
    out_.queue.resize(p.tasks.size());
  }

  StreamSchedule run() {
    while (out_.order.size() < p_.tasks.size() || !running().empty()) {
      start();
      advance();
    }
    return std::move(out_);
  }

 private:
  static constexpr uint32_t none = ~0u;
  std::vector<uint32_t> running() const {
    std::vector<uint32_t> out;
    for (const uint32_t t : busy_)
      if (t != none) out.push_back(t);
    return out;
  }
  void start() {
    std::sort(ready_.begin(), ready_.end(), [&](uint32_t a, uint32_t b) { return worth_[a] != worth_[b] ? worth_[a] > worth_[b] : a < b; });
    for (size_t i = 0; i < ready_.size();) {
      std::vector<uint32_t> with = running();
      if (with.size() == busy_.size()) return;
      const double now = total(speeds(p_, with));
      with.push_back(ready_[i]);
      if (with.size() > 1 && total(speeds(p_, with)) < now + preference_.least_more) {
        ++i;
        continue;
      }
      const uint32_t t = ready_[i], q = queue_for(t);
      ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
      busy_[q] = last_[q] = t, out_.queue[t] = q;
      out_.order.push_back(t);
    }
  }
  uint32_t queue_for(uint32_t task) const {
    const auto& after = p_.tasks[task].after;
    uint32_t best = none;
    for (uint32_t q = 0; q < busy_.size(); ++q) {
      if (busy_[q] != none) continue;
      if (last_[q] != none && std::find(after.begin(), after.end(), last_[q]) != after.end()) return q;
      if (best == none || (last_[best] != none && last_[q] == none)) best = q;
    }
    return best;
  }
  void advance() {
    const std::vector<uint32_t> now = running();
    const std::vector<double> speed = speeds(p_, now);
    double step = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < now.size(); ++i) step = std::min(step, left_[now[i]] / speed[i]);
    for (size_t i = 0; i < now.size(); ++i) {
      const bool done = left_[now[i]] / speed[i] <= step;
      left_[now[i]] -= step * speed[i];
      if (done) finish(now[i]);
    }
  }
  void finish(uint32_t task) {
    *std::find(busy_.begin(), busy_.end(), task) = none;
    for (const uint32_t r : readers_[task])
      if (--waits_[r] == 0) ready_.push_back(r);
  }

  const StreamProblem& p_;
  Preference preference_;
  std::vector<size_t> waits_;
  std::vector<std::vector<uint32_t>> readers_;
  std::vector<double> worth_, left_;
  std::vector<uint32_t> ready_, last_, busy_; // by queue: its last task, the one that runs
  StreamSchedule out_;
};

// Moves of one task: to another queue, or earlier or later in the order as far as what it waits for lets it.
class Mender {
 public:
  Mender(const StreamProblem& p, Scored& best) : p_(p), best_(best) {}

  void run() {
    const size_t n = p_.tasks.size();
    if (n < 2 || n > 4000) return;
    size_t budget = n <= small ? 6000 : std::max<size_t>(32, 20'000 / n), stale = 0;
    Scored now = best_;
    while (budget--) {
      StreamSchedule moved = now.schedule;
      move(moved);
      Scored next = scored(p_, std::move(moved));
      // Plateaus are walked, and a step up is taken now and then where nothing has been found for long.
      const bool up = stale > 40 && pick(8) == 0 && next.us < now.us * 1.05;
      if (!now.better_than(next) || up) now = std::move(next);
      if (now.better_than(best_)) best_ = now, stale = 0;
      else if (++stale > 120) now = n <= small ? scored(p_, anywhere()) : best_, stale = 0;
    }
  }

 private:
  static constexpr size_t small = 12; // tasks up to which the search starts anew from anywhere
  // A schedule like any other.
  StreamSchedule anywhere() {
    StreamSchedule out{{}, std::vector<uint32_t>(p_.tasks.size())};
    for (uint32_t t = 0; t < p_.tasks.size(); ++t) {
      size_t first = 0; // after the last of those that it waits for
      for (size_t i = 0; i < out.order.size(); ++i)
        if (std::find(p_.tasks[t].after.begin(), p_.tasks[t].after.end(), out.order[i]) != p_.tasks[t].after.end()) first = i + 1;
      out.order.insert(out.order.begin() + static_cast<std::ptrdiff_t>(first + pick(out.order.size() - first + 1)), t);
      out.queue[t] = static_cast<uint32_t>(pick(static_cast<size_t>(p_.queues)));
    }
    return out;
  }
  size_t pick(size_t below) { return static_cast<size_t>(random_() % below); }
  void move(StreamSchedule& s) {
    const size_t n = s.order.size(), from = pick(n);
    const uint32_t t = s.order[from];
    const auto& after = p_.tasks[t].after;
    // To the queue of a task that it waits for, which saves the event, or to any.
    if (const size_t how = pick(4); how == 0 && !after.empty()) s.queue[t] = s.queue[after[pick(after.size())]];
    else if (how == 1) s.queue[t] = static_cast<uint32_t>(pick(static_cast<size_t>(p_.queues)));
    size_t first = from, last = from;
    const auto waits_for = [&](uint32_t later, uint32_t earlier) { return std::find(p_.tasks[later].after.begin(), p_.tasks[later].after.end(), earlier) != p_.tasks[later].after.end(); };
    while (first > 0 && from - first < 16 && !waits_for(t, s.order[first - 1])) --first;
    while (last + 1 < n && last - from < 16 && !waits_for(s.order[last + 1], t)) ++last;
    const size_t to = first + pick(last - first + 1);
    const auto at = s.order.begin();
    if (to < from) std::rotate(at + static_cast<std::ptrdiff_t>(to), at + static_cast<std::ptrdiff_t>(from), at + static_cast<std::ptrdiff_t>(from) + 1);
    else std::rotate(at + static_cast<std::ptrdiff_t>(from), at + static_cast<std::ptrdiff_t>(from) + 1, at + static_cast<std::ptrdiff_t>(to) + 1);
  }

  const StreamProblem& p_;
  Scored& best_;
  std::mt19937_64 random_{1};
};

StreamSchedule one_queue(const StreamProblem& p) {
  StreamSchedule out{std::vector<uint32_t>(p.tasks.size()), std::vector<uint32_t>(p.tasks.size(), 0)};
  std::iota(out.order.begin(), out.order.end(), 0u);
  return out;
}

// Queues count from 0 in the order of their first tasks.
void number_queues(StreamSchedule& s) {
  std::vector<uint32_t> number;
  for (const uint32_t t : s.order) {
    auto at = std::find(number.begin(), number.end(), s.queue[t]);
    if (at == number.end()) number.push_back(s.queue[t]), at = std::prev(number.end());
    s.queue[t] = static_cast<uint32_t>(at - number.begin());
  }
}

// Tasks that waited only for a task of their queue on which they do not hang; the first thousand.
std::vector<StreamKept> find_kept(const StreamProblem& p, const StreamPlan& plan) {
  constexpr size_t most_kept = 1000;
  std::vector<StreamKept> out;
  std::vector<uint32_t> last(static_cast<size_t>(p.queues), ~0u);
  for (const uint32_t t : plan.schedule.order) {
    const uint32_t before = std::exchange(last[plan.schedule.queue[t]], t);
    if (before == ~0u || out.size() == most_kept) continue;
    double ready = 0;
    for (const uint32_t f : p.tasks[t].after) ready = std::max(ready, plan.predicted.spans[f].end_us);
    if (ready >= plan.predicted.spans[before].end_us * (1 - 1e-9)) continue;
    std::vector<uint32_t> together{t};
    for (uint32_t o = 0; o < p.tasks.size(); ++o)
      if (o != t && plan.predicted.spans[o].start_us <= ready && ready < plan.predicted.spans[o].end_us) together.push_back(o);
    if (std::find(together.begin(), together.end(), before) == together.end()) together.push_back(before);
    out.push_back({t, before, scarcest(p, together)});
  }
  return out;
}

StreamPlan finished(const StreamProblem& p, StreamSchedule schedule) {
  StreamPlan out;
  out.schedule = std::move(schedule);
  number_queues(out.schedule);
  out.events = fewest_events(p, out.schedule);
  out.predicted = predict(p, out.schedule, out.events);
  for (const uint32_t q : out.schedule.queue) out.queues = std::max(out.queues, q + 1);
  for (const StreamTask& t : p.tasks) out.serial_us += t.us;
  out.shortest_us = shortest_makespan(p);
  out.best_us = out.predicted.makespan_us;
  return out;
}

StreamPlan chosen(const StreamProblem& p, StreamPlan plan) {
  const double best = plan.predicted.makespan_us;
  if (plan.queues > 1 && best > plan.serial_us * (1 - p.least_gain)) plan = finished(p, one_queue(p));
  plan.best_us = best;
  if (p.queues > 1) plan.kept = find_kept(p, plan);
  return plan;
}

} // namespace

StreamPlan plan_streams(const StreamProblem& p) {
  Scored best;
  consider(best, p, one_queue(p));
  if (p.queues > 1 && shortest_makespan(p) <= best.us * (1 - p.least_gain)) {
    using By = Preference::By;
    for (const By by : {By::chain, By::length, By::wide, By::given})
      for (const double more : {.02, .3, .6}) consider(best, p, ListScheduler(p, {by, more}).run());
    Mender(p, best).run();
  }
  return chosen(p, finished(p, std::move(best.schedule)));
}

void number_as_submitted(StreamPlan& p) {
  const std::vector<uint32_t> order = std::exchange(p.schedule.order, {});
  std::vector<uint32_t> at(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) at[order[i]] = i;
  const auto sorted = [&](const auto& by_task) {
    std::remove_cvref_t<decltype(by_task)> out;
    for (const uint32_t t : order) out.push_back(by_task[t]);
    return out;
  };
  p.schedule.queue = sorted(p.schedule.queue);
  p.predicted.spans = sorted(p.predicted.spans);
  for (StreamEvent& e : p.events) e = {at[e.from], at[e.to]};
  for (StreamKept& k : p.kept) k.task = at[k.task], k.with = at[k.with];
  p.schedule.order.resize(order.size());
  std::iota(p.schedule.order.begin(), p.schedule.order.end(), 0u);
}

StreamPlan replan_events(const StreamProblem& p, StreamPlan plan) { return chosen(p, finished(p, std::move(plan.schedule))); }

} // namespace cutaway::plan
