#include "trace/chrome/chrome_trace.h"
#include "trace/file/fields.h"

#include <filesystem>
#include <fstream>

namespace cutaway::trace {
namespace {

using Json = nlohmann::ordered_json;

const char* run_name(RunForm form) {
  switch (form) {
    case RunForm::one_by_one: return "Launched one by one";
    case RunForm::replayed: return "Replayed";
    case RunForm::planned: return "Planned";
    case RunForm::plain: break;
  }
  return "One run";
}

const char* category_of(LaneKind kind) { return kind == LaneKind::host ? "host" : kind == LaneKind::copy ? "copy" : "kernel"; }

class Writer {
 public:
  std::string text(const TimelinePanel& panel) {
    for (size_t r = 0; r < panel.runs.size(); ++r) run(panel.runs[r], static_cast<int>(r) + 1);
    return out_ + "\n]}\n";
  }

 private:
  void put(const Json& event) {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    out_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void run(const TimelineRun& r, int pid) {
    put({{"name", "process_name"}, {"ph", "M"}, {"pid", pid},
         {"args", {{"name", std::string(run_name(r.form)) + (r.modelled ? ", modelled" : "")}, {"form", form_words[static_cast<size_t>(r.form)]}, {"modelled", r.modelled}, {"duration_us", r.duration_us}}}});
    for (size_t l = 0; l < r.lanes.size(); ++l) {
      put({{"name", "thread_name"}, {"ph", "M"}, {"pid", pid}, {"tid", l + 1}, {"args", {{"name", r.lanes[l].name.str()}, {"kind", lane_words[static_cast<size_t>(r.lanes[l].kind)]}}}});
      put({{"name", "thread_sort_index"}, {"ph", "M"}, {"pid", pid}, {"tid", l + 1}, {"args", {{"sort_index", l}}}});
    }
    for (const TimelineRun::Span& s : r.spans) {
      if (s.lane < 0 || static_cast<size_t>(s.lane) >= r.lanes.size()) continue;
      put({{"name", s.name.str()}, {"cat", category_of(r.lanes[static_cast<size_t>(s.lane)].kind)}, {"ph", "X"}, {"ts", s.start_us}, {"dur", s.duration_us}, {"pid", pid}, {"tid", s.lane + 1},
           {"args", {{"entity", entity_key(s.entity)}, {"category", s.category}}}});
    }
    for (const TimelineRun::Flow& f : r.flows) {
      if (std::min(f.from, f.to) < 0 || static_cast<size_t>(std::max(f.from, f.to)) >= r.spans.size()) continue;
      const TimelineRun::Span &from = r.spans[static_cast<size_t>(f.from)], &to = r.spans[static_cast<size_t>(f.to)];
      const bool call = r.lanes[static_cast<size_t>(from.lane)].kind == LaneKind::host;
      const Json name = call ? "launch" : "event";
      put({{"name", name}, {"cat", "flow"}, {"ph", "s"}, {"id", ++flows_}, {"ts", from.start_us + from.duration_us}, {"pid", pid}, {"tid", from.lane + 1}});
      put({{"name", name}, {"cat", "flow"}, {"ph", "f"}, {"bp", "e"}, {"id", flows_}, {"ts", to.start_us}, {"pid", pid}, {"tid", to.lane + 1}});
    }
  }

  std::string out_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  bool first_ = true;
  int64_t flows_ = 0;
};

} // namespace

std::string chrome_text(const TimelinePanel& panel) { return Writer().text(panel); }

Status write_chrome_trace(const std::string& path, const TimelinePanel& panel) {
  const std::string beside = path + ".part";
  std::error_code failed;
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << chrome_text(panel);
    out.flush();
    if (!out) {
      std::filesystem::remove(beside, failed);
      return bad_input(path, "cannot be written", "check the folder, its rights and the space on the disk");
    }
  }
  std::filesystem::rename(beside, path, failed);
  if (failed) return bad_input(path, "cannot be put in place: " + failed.message(), "check the folder and its rights");
  return {};
}

} // namespace cutaway::trace
