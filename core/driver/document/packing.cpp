#include "driver/document/packing.h"

#include "base/version.h"
#include "driver/describe.h"
#include "driver/document/arena_panel.h"
#include "driver/document/make.h"
#include "import/mapped_file.h"
#include "plan/pack/csv.h"
#include "plan/tell_packing.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace cutaway::driver {
namespace {

constexpr uint64_t search_effort = 3'000'000; // some seconds, where no order of buffers reaches the bound
constexpr int64_t most_moments = 1'000'000;
constexpr uint8_t categories = 12;

// Where each time lies on the arena's axis.
class Axis {
 public:
  explicit Axis(const plan::Problem& problem) {
    for (const plan::Buffer& b : problem.buffers) times_.insert(times_.end(), {b.start, b.end});
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    ranked_ = !times_.empty() && static_cast<uint64_t>(times_.back()) - static_cast<uint64_t>(times_.front()) > static_cast<uint64_t>(most_moments);
  }
  int64_t at(int64_t time) const { return ranked_ ? std::lower_bound(times_.begin(), times_.end(), time) - times_.begin() : time - times_.front(); }
  int64_t length() const { return times_.empty() ? 0 : at(times_.back()); }

 private:
  std::vector<int64_t> times_;
  bool ranked_ = false;
};

class PackingTrace {
 public:
  PackingTrace(const plan::Problem& problem, const plan::PackResult& result) : problem_(problem) {
    const Axis axis(problem);
    arena_.name = "arena 0", arena_.alignment = 1;
    arena_.peak = result.peak, arena_.bound = result.lower_bound, arena_.optimal = result.proof == plan::Proof::optimal, arena_.strategy = result.strategy;
    arena_.launches.resize(static_cast<size_t>(axis.length()));
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      const plan::Buffer& b = problem.buffers[i];
      trace::ArenaBuffer& out = arena_.buffers.emplace_back();
      out.id = BufferId(static_cast<uint32_t>(i)), out.name = problem.name_of(static_cast<int>(i));
      out.start = axis.at(b.start), out.end = axis.at(b.end), out.bytes = b.size, out.offset = result.offsets[i];
      out.category = static_cast<uint8_t>(i % categories);
    }
    arena_.strategies = compared_strategies(problem, result.strategy, result.peak, result.lower_bound);
  }

  std::shared_ptr<const trace::Trace> run(const std::vector<Event>& events, size_t left_out, double ms) {
    open("import", "reads the buffers", trace::Phase::import, -1);
    int64_t bytes = 0;
    for (const plan::Buffer& b : problem_.buffers) bytes += b.size;
    add({"import", fmt::format("{} buffers to pack", problem_.buffers.size()), fmt::format("{} in all; {} of them at once, which no plan is below.", bytes_text(bytes), bytes_text(arena_.bound))});
    close();
    open("memory", "packs the buffers into one arena", trace::Phase::plan, ms);
    for (const Event& e : events) {
      const Described words = describe(e, [&](Entity who) { return problem_.name_of(static_cast<int>(who.id)); });
      trace::Step& s = add({e.code, words.title, words.explanation});
      s.entities = e.entities, s.refused = e.refused;
      tell_arena(arena_, e, s.id);
      if (e.code == "placed") packed_ = std::max(packed_, arena_.buffers[e.entities.back().id].offset + arena_.buffers[e.entities.back().id].bytes);
      s.after.peak_bytes = packed_;
    }
    close();
    auto out = std::make_shared<trace::Trace>(trace::GraphDoc(), std::move(steps_), std::move(passes_), std::vector<trace::Panel>{std::move(arena_)});
    out->steps_left_out = left_out;
    return out;
  }

 private:
  struct Words {
    std::string code, title, text;
  };
  void open(const char* name, const char* summary, trace::Phase phase, double ms) { passes_.push_back({name, summary, phase, static_cast<uint32_t>(steps_.size()), 0, ms}); }
  void close() { passes_.back().last = static_cast<uint32_t>(steps_.size()); }
  trace::Step& add(const Words& words) {
    trace::Step& s = steps_.emplace_back();
    s.id = static_cast<uint32_t>(steps_.size() - 1), s.pass = static_cast<uint32_t>(passes_.size() - 1), s.phase = passes_.back().phase;
    s.code = pool_(words.code), s.title = words.title, s.explanation = words.text;
    s.panels = {0};
    return s;
  }

  const plan::Problem& problem_;
  trace::ArenaPanel arena_;
  trace::TextPool pool_;
  std::vector<trace::Step> steps_;
  std::vector<trace::Pass> passes_;
  int64_t packed_ = 0;
};

} // namespace

bool is_packing(const std::string& path) { return std::filesystem::path(path).extension() == ".csv"; }

Result<trace::Document> packing_document(const std::string& path, const std::string& strategy, const std::atomic<bool>* cancel) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto problem = plan::read_csv({reinterpret_cast<const char*>((*file)->data()), (*file)->size()});
  if (!problem) return problem.error();
  plan::PackTrace story;
  plan::PackOptions options;
  options.effort = search_effort, options.seconds = 1e9; // the same document on every machine
  options.cancel = cancel, options.trace = &story;
  auto packed = plan::pack(*problem, strategy, options);
  if (!packed) return packed.error();
  if (cancel && *cancel) return over_limit("memory", "the packing was called off", "open the file again");
  Journal journal;
  plan::tell_packing(*problem, *packed, std::move(story), [](size_t i) { return std::vector<Entity>{entity(BufferId(static_cast<uint32_t>(i)))}; }, journal);
  trace::Document out;
  out.model = model_title(path), out.version = version, out.device = "none";
  out.settings = {{"memory.strategy", packed->strategy}};
  auto trace = PackingTrace(*problem, *packed).run(journal.events(), journal.dropped(), packed->seconds * 1000);
  std::const_pointer_cast<trace::Trace>(trace)->name = std::filesystem::path(path).stem().string();
  out.traces = {std::move(trace)};
  return out;
}

} // namespace cutaway::driver
