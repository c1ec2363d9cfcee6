#include "runtime/replay.h"

#include "base/check.h"
#include "base/clock.h"

#include <algorithm>
#include <numeric>

namespace cutaway::runtime {

int QueuePlan::threads() const { return std::accumulate(team_sizes.begin(), team_sizes.end(), 0); }

// A command whose time is taken: each thread writes to its own list, which has room for a span a launch.
struct Replay::Measured {
  Command& command;
  RunProfile::Lane* threads;
  double run_start;
};

void Replay::invoke(void* command, int64_t begin, int64_t end, int thread) {
  const Command& c = *static_cast<const Command*>(command);
  c.fn(c.pointers, begin, end, c.scratch.memory + thread * c.scratch.bytes);
}

void Replay::invoke_measured(void* measured, int64_t begin, int64_t end, int thread) {
  const Measured& m = *static_cast<const Measured*>(measured);
  const double start = now_us() - m.run_start;
  invoke(&m.command, begin, end, thread);
  const double stop = now_us() - m.run_start;
  auto& list = m.threads[thread].busy;
  if (list.empty() || list.back().launch != m.command.launch) list.push_back({{start, 0}, m.command.launch, {}});
  list.back().duration_us = stop - list.back().start_us;
}

Replay::Replay(ThreadPool& pool, std::span<const ListedLaunch> launches, QueuePlan plan, Scratch scratch, Evaluate evaluate)
    : pool_(pool), plan_(std::move(plan)), evaluate_(std::move(evaluate)), flags_(launches.size(), 0) {
  CUTAWAY_CHECK(plan_.queue_of.size() == launches.size() && plan_.threads() <= pool.size(), "the plan of the queues is of other launches, or of more threads");
  find_stages();
  resolve(launches, scratch);
  cut_queues(launches.size());
}

// A single queue of all threads is everyone.
void Replay::find_stages() {
  const bool alone = plan_.team_sizes.size() == 1 && plan_.team_sizes[0] == pool_.size();
  for (uint32_t& q : plan_.queue_of) {
    CUTAWAY_CHECK(q == QueuePlan::everyone || q < plan_.team_sizes.size(), "a launch has no queue");
    if (alone) q = QueuePlan::everyone;
    const bool split = q != QueuePlan::everyone;
    if (stages_.empty() || stages_.back().split != split) stages_.push_back({split, std::vector<std::vector<Section>>(split ? plan_.team_sizes.size() : 1)});
    stage_of_.push_back(static_cast<uint32_t>(stages_.size() - 1));
  }
}

void Replay::resolve(std::span<const ListedLaunch> launches, Scratch scratch) {
  size_t count = 0, values = 0;
  for (const ListedLaunch& l : launches) {
    count += l.pointers.size() + 1;
    for (const ListedLaunch::Pointer& p : l.pointers)
      if (p.value) values = std::max<size_t>(values, p.value.v + 1);
  }
  pointers_.reserve(count); // commands point into it
  hanging_.resize(values), bound_.resize(values);
  std::vector<uint32_t> order(launches.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return std::pair(stage_of_[a], plan_.queue_of[a]) < std::pair(stage_of_[b], plan_.queue_of[b]); });
  command_of_.resize(launches.size());
  for (const uint32_t i : order) {
    const ListedLaunch& l = launches[i];
    command_of_[i] = static_cast<uint32_t>(commands_.size());
    commands_.push_back({l.fn, pointers_.data() + pointers_.size(), scratch, l.units, i, l.cut()});
    for (const ListedLaunch::Pointer& p : l.pointers) {
      if (p.value) hanging_[p.value.v].push_back(static_cast<uint32_t>(pointers_.size()));
      pointers_.push_back(p.fixed);
    }
    pointers_.push_back(&flags_[i]);
  }
}

void Replay::cut_queues(size_t launches) {
  std::vector<std::vector<uint32_t>> waits(launches);
  std::vector<uint32_t> event_of(launches, no_event);
  for (const auto& [from, to] : plan_.events) {
    CUTAWAY_CHECK(from < to && to < launches, "an event leads to no later launch");
    event_of[from] = 0;
  }
  for (uint32_t i = 0; i < launches; ++i)
    if (event_of[i] != no_event) event_of[i] = static_cast<uint32_t>(recorded_by_.size()), recorded_by_.push_back(i);
  for (const auto& [from, to] : plan_.events) waits[to].push_back(event_of[from]);
  events_ = std::make_unique<std::atomic<uint32_t>[]>(recorded_by_.size());

  std::vector<Cut> cuts;
  std::vector<bool> begins;
  for (size_t c = 0; c < commands_.size(); ++c) {
    const uint32_t launch = commands_[c].launch, before = commands_[c ? c - 1 : 0].launch;
    cuts.push_back(commands_[c].cut);
    begins.push_back(!waits[launch].empty() || event_of[before] != no_event || stage_of_[before] != stage_of_[launch] || plan_.queue_of[before] != plan_.queue_of[launch]);
  }
  failures_.resize(plan_.team_sizes.size());
  for (const Region& r : regions_of(cuts, begins)) {
    const uint32_t launch = commands_[r.first].launch;
    const auto first_wait = static_cast<uint32_t>(waits_.size());
    waits_.insert(waits_.end(), waits[launch].begin(), waits[launch].end());
    Stage& stage = stages_[stage_of_[launch]];
    stage.queues[stage.split ? plan_.queue_of[launch] : 0].push_back({r, first_wait, static_cast<uint32_t>(waits_.size()), event_of[commands_[r.last - 1].launch]});
  }
}

void Replay::bind(ValueId value, void* at) {
  if (value.v >= bound_.size() || bound_[value.v] == at) return;
  bound_[value.v] = at;
  for (const uint32_t entry : hanging_[value.v]) pointers_[entry] = at;
}

void Replay::begin(RunProfile* measured) {
  for (size_t e = 0; e < recorded_by_.size(); ++e) events_[e].store(0, std::memory_order_relaxed);
  failed_.store(nothing_failed, std::memory_order_relaxed);
  for (auto& f : failures_) f.reset();
  measured_ = measured;
  if (!measured) return;
  measured->calls.assign(commands_.size(), {});
  measured->lanes.resize(static_cast<size_t>(pool_.size()));
  for (size_t t = 0; t < measured->lanes.size(); ++t) {
    measured->lanes[t].name = "thread " + std::to_string(t);
    measured->lanes[t].busy.clear(), measured->lanes[t].busy.reserve(commands_.size());
  }
  measured->flows.clear();
  for (const auto& [from, to] : plan_.events) measured->flows.push_back({from, to});
  start_us_ = now_us();
}

// Once a launch failed, those before it still run, and each queue stops at the first one after it. What the others would
// have recorded is recorded here, so that nobody waits for it.
void Replay::fail(Failure failure, size_t queue) {
  const uint32_t launch = failure.launch;
  failures_[queue] = std::move(failure);
  for (uint32_t first = failed_.load(); launch < first && !failed_.compare_exchange_weak(first, launch);) {}
  const auto from = std::lower_bound(recorded_by_.begin(), recorded_by_.end(), launch) - recorded_by_.begin();
  for (auto e = static_cast<size_t>(from); e < recorded_by_.size(); ++e) {
    events_[e].store(1, std::memory_order_release);
    events_[e].notify_all();
  }
}

Status Replay::evaluate(const Command& command, const Team& team) {
  if (!measured_) return evaluate_(command.launch);
  const double start = now_us() - start_us_;
  Status done = evaluate_(command.launch);
  const Timing::Span span{start, now_us() - start_us_ - start};
  measured_->calls[command.launch] = span;
  measured_->lanes[static_cast<size_t>(team.leader())].busy.push_back({span, command.launch, {}});
  return done;
}

void Replay::launch_measured(Command& command, Team& team) {
  const double start = now_us() - start_us_;
  Measured m{command, measured_->lanes.data(), start_us_};
  team.run(command.units, invoke_measured, &m);
  measured_->calls[command.launch] = {start, now_us() - start_us_ - start};
}

// False where the last of them failed.
bool Replay::play(const Region& region, size_t queue, Team& team) {
  Command *const first = commands_.data() + region.first, *const last = commands_.data() + region.last;
  if (region.cut_by == Cut::evaluation) {
    Status done = evaluate(*first, team);
    if (!done) fail({first->launch, std::move(done.error())}, queue);
    return done.ok();
  }
  if (measured_) {
    for (Command* c = first; c != last; ++c) launch_measured(*c, team);
  } else {
    for (Command* c = first; c != last; ++c) team.run(c->units, invoke, c);
  }
  if (region.cut_by == Cut::none) return true;
  const uint32_t checked = last[-1].launch;
  if (!flags_[checked]) return true;
  flags_[checked] = 0;
  fail({checked, std::nullopt}, queue);
  return false;
}

void Replay::play_queue(const Stage& stage, size_t queue, Team& team) {
  for (const Section& s : stage.queues[queue]) {
    for (uint32_t w = s.first_wait; w < s.last_wait; ++w) wait_while(events_[waits_[w]], 0);
    if (failed_.load(std::memory_order_relaxed) < commands_[s.first].launch || !play(s, queue, team)) return;
    if (s.event == no_event) continue;
    events_[s.event].store(1, std::memory_order_release);
    events_[s.event].notify_all();
  }
}

std::optional<Replay::Failure> Replay::run(RunProfile* measured, const std::function<void(uint32_t)>& after) {
  begin(measured);
  if (after) {
    for (uint32_t i = 0; i < commands_.size(); ++i) {
      const uint32_t c = command_of_[i];
      if (!play({c, c + 1, commands_[c].cut}, 0, pool_.everyone())) break;
      after(i);
    }
  } else {
    for (const Stage& stage : stages_) {
      stage_ = &stage;
      if (stage.split) pool_.run_teams(plan_.team_sizes, [](void* replay, int queue, Team& team) { auto* r = static_cast<Replay*>(replay); r->play_queue(*r->stage_, static_cast<size_t>(queue), team); }, this);
      else play_queue(stage, 0, pool_.everyone());
      if (failed_.load(std::memory_order_relaxed) != nothing_failed) break;
    }
  }
  if (measured) measured->duration_us = now_us() - start_us_;
  const uint32_t launch = failed_.load(std::memory_order_relaxed);
  if (launch == nothing_failed) return std::nullopt;
  return *std::find_if(failures_.begin(), failures_.end(), [&](const auto& f) { return f && f->launch == launch; });
}

} // namespace cutaway::runtime
