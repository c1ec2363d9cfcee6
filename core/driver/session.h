#pragma once
#include "base/settings.h"
#include "driver/feeds.h"
#include "driver/pipeline.h"
#include "import/onnx/lowering.h"

#include <atomic>
#include <functional>
#include <memory>

namespace cutaway::driver {

enum class Mode { compiled, eager, oracle };
const char* mode_name(Mode mode);

// Why a run left compiled code, and where.
struct BreakInfo {
  std::string node;  // "node 'x' (Op)"
  std::string cause; // onnx::break_cause_name
  std::string reason;
};

// What one run did, summed over its segments.
struct RunInfo {
  double compile_ms = 0, run_ms = 0;
  int64_t peak_arena_bytes = 0, lower_bound_bytes = 0;
  int64_t kernels = 0, launches = 0, steps = 0, segments = 0, variants_compiled = 0;
  std::vector<BreakInfo> breaks;
  std::vector<std::string> warnings;
};

// What a variant of a segment was made for: it runs only where every input has that very type, and where some small inputs
// have those very values.
struct VariantKey {
  std::vector<std::pair<std::string, Type>> types;    // of each input, in order
  std::vector<std::pair<std::string, Tensor>> values; // of those on which shapes hang
};
// The variants that a segment keeps, in the order in which they were made.
struct VariantSet {
  std::vector<std::shared_ptr<const VariantKey>> kept;
  size_t ran = 0; // the one that the last run took
};

// A model opened for running. Each distinct set of input shapes (and of the small values that shapes hang on) gets a
// variant of its own, made at its first run and kept. Breaks cut the model into segments: what follows a break is lowered
// when the values it waits for are there.
class Session {
 public:
  struct Options {
    Settings settings;
    int threads = 2;
    std::string device = "cpu"; // as cuda::Device::open takes it
    bool journal = false; // keep the steps of every compile
    std::shared_ptr<Watch> watch; // may be null
  };
  // An ONNX model, or a graph in the text form where the name ends in .cut.
  static Result<std::unique_ptr<Session>> open(const std::string& path, Options options);
  ~Session();

  const onnx::Model& model() const;
  const Options& options() const { return options_; }

  struct Hooks {
    // `limit` ("cancelled") soon after it became true: eager and oracle look between ops, compiled between segments.
    const std::atomic<bool>* cancel = nullptr;
    // Eager and oracle: every value as it is made, with the place of its segment in last_imported(). May be empty.
    std::function<void(size_t segment, ValueId, const Tensor&)> observe;
  };
  // One tensor an output of the model, in order.
  Result<std::vector<Tensor>> run(const Feeds& feeds, Mode mode, RunInfo* info = nullptr) { return run(feeds, mode, info, {}); }
  Result<std::vector<Tensor>> run(const Feeds& feeds, Mode mode, RunInfo* info, const Hooks& hooks);
  // Output names in order.
  std::vector<std::string> output_names() const;
  // The compiled segments of the variants that ran last, in order.
  const std::vector<std::shared_ptr<const CompiledSegment>>& last_segments() const { return last_; }
  // What each of them was made for, and which others are kept.
  const std::vector<VariantSet>& last_variants() const { return last_variants_; }
  Compiler& compiler() { return *compiler_; }
  const Compiler& compiler() const { return *compiler_; }
  // What the first of them reads: feeds, and the model's defaults for what was not fed.
  Result<std::vector<Tensor>> first_inputs(const Feeds& feeds) const;
  // The graphs as imported, of the same segments.
  const std::vector<std::shared_ptr<const onnx::Segment>>& last_imported() const { return last_imported_; }

 private:
  struct Stage;
  struct Variant;
  struct Values;
  struct How {
    Mode mode;
    RunInfo& info;
    const Hooks& hooks;
  };
  Session(std::shared_ptr<const onnx::Model> model, Options options, std::shared_ptr<const cuda::Device> device);
  static Result<std::unique_ptr<Session>> open_text(const std::string& path, Options options, std::shared_ptr<const cuda::Device> device);
  Result<Variant*> variant_for(Stage& stage, const Values& values);
  // Compiles a variant, gives it a context and the context its memory, as far as it has none.
  Status prepare(Variant& variant, RunInfo& info);
  // The same; on a device that is full the other variants make room, first of what their runs hold, then of all.
  Status make_ready(Variant& variant, RunInfo& info);
  // Made again when it is needed. False: there was nothing.
  enum class Room { runs, all };
  bool give_back(const Variant& all_but, Room room);
  Result<std::vector<Tensor>> execute(Variant& variant, std::span<const Tensor> inputs, const How& how);
  Status run_stage(Variant& variant, Values& values, const How& how);
  Result<Stage*> next_stage(Variant& variant);
  static VariantSet variants_of(const Stage& stage, const Variant& ran);

  Options options_;
  onnx::Program program_;
  std::shared_ptr<const Graph> text_; // of a .cut file: the one segment there is
  std::shared_ptr<Stage> first_;
  std::unique_ptr<Compiler> compiler_;
  std::vector<std::shared_ptr<const CompiledSegment>> last_;
  std::vector<std::shared_ptr<const onnx::Segment>> last_imported_;
  std::vector<VariantSet> last_variants_;
};

} // namespace cutaway::driver
