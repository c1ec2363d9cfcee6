#pragma once
#include "trace/graph_doc.h"
#include "trace/panels.h"

#include <memory>

// The document that views read: every step of a compile, and what each shows. Immutable once made; safe to share
// between threads.
namespace cutaway::trace {

enum class Phase : uint8_t { import, rewrite, plan, codegen, run };

// The state of the program after a step, as far as it is known; negative: not known (yet).
struct Metrics {
  int64_t nodes = -1;         // ops of the graph, inputs and constants not counted
  int64_t launches = -1;      // kernels that one run starts
  int64_t traffic_bytes = -1; // read and written by all kernels of one run
  int64_t peak_bytes = -1;    // of the arena; before packing, the most bytes alive at once
  double time_us = -1;        // predicted
  friend bool operator==(const Metrics&, const Metrics&) = default;
};

// One decision or refusal. The graph before it is that of the step before.
struct Step {
  uint32_t id = 0; // its place in the trace
  uint32_t pass = 0; // its parent: an index into Trace::passes
  Phase phase = Phase::import;
  Text code;        // stable word of the decision: "fuse", "not-fused.cycle", "rewrite.add-zero"
  Text title;       // at most 48 characters
  Text explanation; // at most 240
  bool refused = false;
  std::vector<Entity> entities; // what fires, the actor first
  Metrics after;
  std::vector<Edit> edits;      // of the graph
  std::vector<uint32_t> panels; // indices into Trace::panels: what to look at beside the graph

  bool changed() const { return !refused; }
};

// The steps of one pass are [first, last).
struct Pass {
  Text name, summary;
  Phase phase = Phase::rewrite;
  uint32_t first = 0, last = 0;
  double ms = -1; // how long it took; negative: not measured
  friend bool operator==(const Pass&, const Pass&) = default;
};

// One compile of one graph, seekable to any step.
class Trace {
 public:
  Trace() = default;
  // `first` is the graph after step 0. Each step's edits must fit the graph before it.
  Trace(GraphDoc first, std::vector<Step> steps, std::vector<Pass> passes, std::vector<Panel> panels);

  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Pass>& passes() const { return passes_; }
  const std::vector<Panel>& panels() const { return panels_; }
  // The graph after step `step`. Cheap: at most `spacing` steps are applied, and the result shares its elements.
  GraphDoc at(uint32_t step) const;
  Metrics before(uint32_t step) const { return step ? steps_[step - 1].after : Metrics(); }
  // The first panel of a kind that a step names, else the first of the trace; null where there is none.
  template <class P> const P* panel(uint32_t step) const {
    if (step < steps_.size())
      for (const uint32_t i : steps_[step].panels)
        if (const P* p = std::get_if<P>(&panels_[i])) return p;
    for (const Panel& p : panels_)
      if (const P* found = std::get_if<P>(&p)) return found;
    return nullptr;
  }

  Text name;                // of the segment: "resnet50", "resnet50, after the break at NonZero_12"
  uint64_t steps_left_out = 0; // over the journal's limit

  static constexpr uint32_t spacing = 64;

 private:
  std::vector<Step> steps_;
  std::vector<Pass> passes_;
  std::vector<Panel> panels_;
  std::vector<GraphDoc> keyframes_; // after step 0, spacing, 2 * spacing, ...
};

// Why a run leaves compiled code, and where.
struct Break {
  Text node, cause, reason;
  friend bool operator==(const Break&, const Break&) = default;
};

// One model under one set of bindings and settings: a trace for each segment between its breaks.
struct Document {
  Text model;  // file name without its folder
  Text hash;   // of the file, hexadecimal; empty: not known
  Text device; // "cpu, 2 threads"
  Text version; // of the program that made it
  std::vector<Attribute> settings; // those that differ from the defaults, and the bound dims
  std::vector<Break> breaks;
  std::vector<std::shared_ptr<const Trace>> traces;
};

} // namespace cutaway::trace
