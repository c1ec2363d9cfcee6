#include "trace/chrome/events.h"

#include "trace/chrome/chrome_trace.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace cutaway::trace::chrome {
namespace {

using Json = nlohmann::json;

constexpr int deepest = 64;
constexpr size_t longest_name = 1024;

// A scalar of the file: a number, a text or neither.
struct Value {
  enum class Kind { none, number, text, flag } kind = Kind::none;
  double number = 0;
  std::string text; // a whole number as text too: ids may be either
  bool flag = false;
};

// What an event object said so far; unknown keys are passed over.
struct Raw {
  std::map<std::string, Value> fields, args;
};

bool wanted(const std::string& key, bool args) {
  static constexpr const char* of_event[] = {"ph", "ts", "dur", "name", "pid", "tid", "id"};
  static constexpr const char* of_args[] = {"name", "entity", "category", "form", "modelled", "kind", "duration_us"};
  const auto is = [&](const char* k) { return key == k; };
  return args ? std::any_of(std::begin(of_args), std::end(of_args), is) : std::any_of(std::begin(of_event), std::end(of_event), is);
}

// nlohmann's SAX calls; false ends the reading, and `fault` says why.
class Handler : public nlohmann::json_sax<Json> {
 public:
  Events events;
  std::optional<Diagnostic> fault;

  bool null() override { return true; }
  bool boolean(bool v) override { return value({Value::Kind::flag, 0, {}, v}); }
  bool number_integer(int64_t v) override { return value({Value::Kind::number, static_cast<double>(v), std::to_string(v), false}); }
  bool number_unsigned(uint64_t v) override { return value({Value::Kind::number, static_cast<double>(v), std::to_string(v), false}); }
  bool number_float(double v, const std::string& text) override { return value({Value::Kind::number, v, text, false}); }
  bool string(std::string& v) override {
    if (v.size() > longest_name) v.resize(longest_name);
    return value({Value::Kind::text, 0, std::move(v), false});
  }
  bool binary(Json::binary_t&) override { return true; }

  bool start_object(size_t) override {
    if (!enter()) return false;
    if (event_depth_ > 0 && depth_ == event_depth_) raw_ = {};
    return true;
  }
  bool end_object() override {
    const bool whole = event_depth_ > 0 && depth_ == event_depth_;
    --depth_;
    return !whole || take();
  }
  bool start_array(size_t) override {
    if (!enter()) return false;
    // The list itself, or the member "traceEvents" of the outer object.
    if (event_depth_ == 0 && (depth_ == 1 || (depth_ == 2 && key_ == "traceEvents"))) event_depth_ = depth_ + 1;
    return true;
  }
  bool end_array() override {
    if (event_depth_ > 0 && depth_ == event_depth_ - 1) event_depth_ = -1; // no second list counts
    --depth_;
    return true;
  }
  bool key(std::string& k) override {
    if (event_depth_ > 0 && depth_ == event_depth_) member_ = k;
    key_ = std::move(k);
    return true;
  }
  bool parse_error(size_t at, const std::string&, const Json::exception& e) override {
    if (fault) return false;
    std::string what = e.what();
    if (const auto from = what.find("] "); from != std::string::npos) what = what.substr(from + 2);
    return fail(invalid_model("byte " + std::to_string(at), "this is no JSON after " + std::to_string(number_) + " events: " + what, "the file may be cut short; record the trace again"));
  }
  bool found() const { return event_depth_ != 0; }

 private:
  bool fail(Diagnostic d) { return fault = std::move(d), false; }
  bool enter() { return ++depth_ <= deepest || fail(over_limit(place(), "nested deeper than " + std::to_string(deepest))); }
  std::string place() const { return "event " + std::to_string(number_); }
  bool wrong(const char* field, const std::string& what) { return fail(invalid_model(place() + ": " + field, what, "see Chrome's trace event format")); }

  bool value(Value v) {
    if (event_depth_ > 0 && depth_ == event_depth_ - 1) return wrong("traceEvents", "not an object");
    if (event_depth_ > 0 && depth_ == event_depth_ && wanted(key_, false)) raw_.fields[key_] = std::move(v);
    else if (event_depth_ > 0 && depth_ == event_depth_ + 1 && member_ == "args" && wanted(key_, true)) raw_.args[key_] = std::move(v);
    return true;
  }

  bool number_of(const char* field, double& out) {
    const auto found = raw_.fields.find(field);
    if (found == raw_.fields.end()) return wrong(field, "is missing");
    if (found->second.kind != Value::Kind::number) return wrong(field, "not a number");
    if (!std::isfinite(found->second.number)) return wrong(field, "not a time");
    return out = found->second.number, true;
  }
  bool id_of(const char* field, bool needed, Text& out) {
    const auto found = raw_.fields.find(field);
    if (found == raw_.fields.end()) return !needed || wrong(field, "is missing");
    if (found->second.kind != Value::Kind::number && found->second.kind != Value::Kind::text) return wrong(field, "neither a number nor a text");
    return out = pool_(found->second.text), true;
  }
  Text text_of(const std::map<std::string, Value>& from, const char* field) {
    const auto found = from.find(field);
    return found != from.end() && found->second.kind == Value::Kind::text ? pool_(found->second.text) : Text();
  }
  double plain_number(const char* field) const {
    const auto found = raw_.args.find(field);
    return found != raw_.args.end() && found->second.kind == Value::Kind::number ? found->second.number : -1;
  }

  bool thread_of(bool needed, uint32_t& out) {
    Thread t;
    if (!id_of("pid", needed, t.process) || !id_of("tid", needed, t.thread)) return false;
    const auto [place, added] = by_id_.try_emplace({t.process, t.thread}, static_cast<uint32_t>(events.threads.size()));
    if (added && events.threads.size() >= chrome_most_lanes) return fail(over_limit(this->place(), "more than " + std::to_string(chrome_most_lanes) + " threads"));
    if (added) events.threads.push_back(t);
    return out = place->second, true;
  }

  bool take() {
    const auto ph = raw_.fields.find("ph");
    if (ph == raw_.fields.end()) return wrong("ph", "is missing");
    if (ph->second.kind != Value::Kind::text || ph->second.text.size() != 1) return wrong("ph", "not a letter");
    Event e;
    e.phase = ph->second.text[0], e.number = number_;
    const bool good = e.phase == 'M' ? names() : std::string("XBEstf").find(e.phase) == std::string::npos || keep(std::move(e));
    ++number_;
    return good;
  }
  bool keep(Event e) {
    if (events.list.size() >= chrome_most_events) return fail(over_limit(place(), "more than " + std::to_string(chrome_most_events) + " events", "record a shorter time"));
    if (!thread_of(true, e.thread) || !number_of("ts", e.ts)) return false;
    if (e.phase == 'X' && !number_of("dur", e.dur)) return false;
    if (e.dur < 0) return wrong("dur", "negative");
    if (e.phase == 's' || e.phase == 't' || e.phase == 'f')
      if (!id_of("id", true, e.id)) return false;
    e.name = text_of(raw_.fields, "name");
    e.entity = text_of(raw_.args, "entity");
    if (const double c = plain_number("category"); c >= 0 && c <= 255) e.category = static_cast<int>(c);
    events.list.push_back(std::move(e));
    return true;
  }
  // process_name and thread_name; other metadata is passed over.
  bool names() {
    const Text what = text_of(raw_.fields, "name"), name = text_of(raw_.args, "name");
    if (what.view() == "process_name") {
      Text pid;
      if (!id_of("pid", true, pid)) return false;
      if (!events.processes.contains(pid) && events.processes.size() >= chrome_most_lanes) return fail(over_limit(place(), "more than " + std::to_string(chrome_most_lanes) + " processes"));
      const auto modelled = raw_.args.find("modelled");
      events.processes[pid] = {name, text_of(raw_.args, "form"), modelled != raw_.args.end() && modelled->second.flag, std::max(0., plain_number("duration_us"))};
    } else if (what.view() == "thread_name") {
      uint32_t thread = 0;
      if (!thread_of(true, thread)) return false;
      events.threads[thread].name = name, events.threads[thread].kind = text_of(raw_.args, "kind");
    }
    return true;
  }

  TextPool pool_;
  std::map<std::pair<Text, Text>, uint32_t> by_id_;
  Raw raw_;
  std::string key_, member_; // member_: of the event, while its value is read
  int depth_ = 0, event_depth_ = 0; // event_depth_: of event objects; 0: no list yet; -1: it is over
  size_t number_ = 0;
};

} // namespace

Result<Events> read_events(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) return bad_input(path, "cannot be read: " + failed.message());
  if (size > chrome_most_bytes) return over_limit(path, "larger than " + std::to_string(chrome_most_bytes >> 20) + " MiB", "record a shorter time");
  std::ifstream in(path, std::ios::binary);
  if (!in) return bad_input(path, "cannot be read");
  Handler handler;
  const bool good = Json::sax_parse(in, &handler);
  if (handler.fault) return std::move(*handler.fault);
  if (!good || !handler.found()) return invalid_model("traceEvents", "there is no list of events", "see Chrome's trace event format");
  return std::move(handler.events);
}

} // namespace cutaway::trace::chrome
