#pragma once
#include "base/ids.h"
#include "trace/text.h"

#include <cstdint>
#include <variant>
#include <vector>

// What a step can show beside the graph. Panels are plain data, made once by the driver and never changed.
namespace cutaway::trace {

// A place that the packer looked at for a buffer: free for its whole life, from `offset` for `size` bytes (negative: open
// above). needed: the buffer's bytes and those lost to alignment there.
struct ArenaGap {
  int64_t offset = 0, size = -1, needed = 0;
  bool taken = false;
  friend bool operator==(const ArenaGap&, const ArenaGap&) = default;
};

// A view of a buffer's bytes under another shape or order, read at the launches [start, end).
struct ArenaView {
  Text name;
  ValueId value;
  int64_t start = 0, end = 0;
  friend bool operator==(const ArenaView&, const ArenaView&) = default;
};

// One buffer of the arena, alive at the launches [start, end).
struct ArenaBuffer {
  BufferId id;
  Text name;                // of the value that opens it
  std::vector<Text> chain;  // names of the values that took it over in place, in order
  std::vector<ValueId> values; // all of them, the first included
  Text dtype, shape;        // of the first
  int64_t start = 0, end = 0, bytes = 0, offset = 0;
  Text producer, last_reader; // names of ops; empty: none
  uint8_t category = 0;
  int64_t placed_at = 0;    // the step that put it there
  std::vector<int64_t> chain_at; // the launch that writes each value of `chain`; empty: not known
  std::vector<ArenaView> views;
  std::vector<ArenaGap> gaps; // by offset: the one taken and the largest refused; empty where none was looked at
  int64_t gaps_tried = 0;     // how many there were; negative: over the limit of what is kept
  Text placed_by;             // the greedy order, or "search"; empty: as the strategy does
  friend bool operator==(const ArenaBuffer&, const ArenaBuffer&) = default;
};

// A packer's result on the same buffers, for comparison. seconds < 0: not measured. cut_short: it had effort for no more.
struct ArenaStrategy {
  Text name;
  int64_t peak = 0;
  bool optimal = false;
  double seconds = -1;
  bool cut_short = false;
  friend bool operator==(const ArenaStrategy&, const ArenaStrategy&) = default;
};

// The best plan that a search knew became this one, at a step of the trace. effort: spent until then, a microsecond or two each.
struct ArenaIncumbent {
  Text by; // the greedy order, or "search"
  int64_t peak = 0, bound = 0, effort = 0, step = 0;
  friend bool operator==(const ArenaIncumbent&, const ArenaIncumbent&) = default;
};

struct ArenaPanel {
  Text name;
  int64_t peak = 0, bound = 0, alignment = 1; // bytes; no plan is below the bound
  bool optimal = false;                       // proven
  Text strategy;
  std::vector<Text> launches; // the names along the x axis, one a schedule position
  std::vector<ArenaBuffer> buffers;
  std::vector<ArenaStrategy> strategies; // the one that was used among them
  std::vector<ArenaIncumbent> incumbents;
  int64_t moves = 0; // of the complete search
  friend bool operator==(const ArenaPanel&, const ArenaPanel&) = default;
};

// Source, a loop nest or assembly. A line of `links` says which entity the line with that number (from 0) belongs to.
struct TextPanel {
  struct Link {
    int64_t line = 0;
    Entity entity;
    friend bool operator==(const Link&, const Link&) = default;
  };
  Text name;     // of the kernel: "K4 conv3"
  Text language; // "loop nest", "C", "CUDA C++", "assembly"
  Entity entity; // the kernel, or the op where it is alone
  Text text;
  std::vector<Link> links;
  friend bool operator==(const TextPanel&, const TextPanel&) = default;
};

// Who is at work on a lane: the host that makes calls, a thread or stream that runs kernels, a copy engine.
enum class LaneKind : uint8_t { host, work, copy };

// How a run was submitted: by itself (on the threads of a CPU, or as a foreign file has it), launched one by one, replayed as
// one submission; or not at all, but as the plan of the streams predicts it.
enum class RunForm : uint8_t { plain, one_by_one, replayed, planned };

// One run on a clock: spans on lanes, in microseconds from its start.
struct TimelineRun {
  struct Lane {
    Text name;
    LaneKind kind = LaneKind::work;
    friend bool operator==(const Lane&, const Lane&) = default;
  };
  struct Span {
    int64_t lane = 0;
    double start_us = 0, duration_us = 0;
    Text name;
    Entity entity;
    uint8_t category = 0;
    friend bool operator==(const Span&, const Span&) = default;
  };
  // From the end of one span to the start of another, by index: a call and what it starts, or an event that a queue waits for.
  struct Flow {
    int64_t from = 0, to = 0;
    friend bool operator==(const Flow&, const Flow&) = default;
  };
  RunForm form = RunForm::plain;
  bool modelled = false;  // times come from a device model, not from a clock
  double duration_us = 0; // until the last launch is done; 0: until its last span ends
  std::vector<Lane> lanes;
  std::vector<Span> spans;
  std::vector<Flow> flows;
  friend bool operator==(const TimelineRun&, const TimelineRun&) = default;
};

// The same work submitted in one way or several, for comparison: one by one, replayed, planned.
struct TimelinePanel {
  Text name;
  std::vector<TimelineRun> runs;
  friend bool operator==(const TimelinePanel&, const TimelinePanel&) = default;
};

// Rows of text; numeric columns carry their unit in the head.
struct TablePanel {
  struct Column {
    Text title, unit;
    bool numeric = false;
    friend bool operator==(const Column&, const Column&) = default;
  };
  struct Row {
    std::vector<Text> cells;
    std::vector<Entity> entities;
    friend bool operator==(const Row&, const Row&) = default;
  };
  Text name;
  std::vector<Column> columns;
  std::vector<Row> rows;
  friend bool operator==(const TablePanel&, const TablePanel&) = default;
};

// Curves over one axis of named places (drift along the schedule).
struct SeriesPanel {
  struct Curve {
    Text name;
    std::vector<double> y; // one a place; NaN: none there
    friend bool operator==(const Curve& a, const Curve& b) {
      if (a.name != b.name || a.y.size() != b.y.size()) return false;
      for (size_t i = 0; i < a.y.size(); ++i)
        if (!(a.y[i] == b.y[i]) && (a.y[i] == a.y[i] || b.y[i] == b.y[i])) return false;
      return true;
    }
  };
  Text name, unit;
  double limit = -1; // a line that should not be crossed; negative: none
  std::vector<Text> places;
  std::vector<Entity> entities; // one a place
  std::vector<Curve> curves;
  friend bool operator==(const SeriesPanel&, const SeriesPanel&) = default;
};

using Panel = std::variant<ArenaPanel, TextPanel, TimelinePanel, TablePanel, SeriesPanel>;

} // namespace cutaway::trace
