#include "base/settings.h"

#include <charconv>
#include <functional>
#include <sstream>

namespace cutaway {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string item; std::getline(in, item, ',');)
    if (!item.empty()) out.push_back(item);
  return out;
}

std::string join(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ",") + item;
  return out;
}

bool parse_count(const std::string& text, int64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out >= 0;
}

// One row a setting: how it is read and how it is shown.
struct Row {
  const char* key;
  const char* values;
  std::function<bool(Settings&, const std::string&)> read;
  std::function<std::string(const Settings&)> show;
};

Row count_row(const char* key, int64_t Settings::*field) {
  return {key, "a whole number", [field](Settings& s, const std::string& v) { return parse_count(v, s.*field); },
          [field](const Settings& s) { return std::to_string(s.*field); }};
}

Row small_row(const char* key, int Settings::*field, int least) {
  return {key, "a whole number",
          [=](Settings& s, const std::string& v) {
            int64_t n = 0;
            if (!parse_count(v, n) || n < least || n > 1 << 20) return false;
            s.*field = static_cast<int>(n);
            return true;
          },
          [field](const Settings& s) { return std::to_string(s.*field); }};
}

Row choice_row(const char* key, const char* yes, const char* no, const char* values, bool Settings::*field) {
  return {key, values,
          [=](Settings& s, const std::string& v) {
            if (v != yes && v != no) return false;
            s.*field = v == yes;
            return true;
          },
          [=](const Settings& s) { return s.*field ? yes : no; }};
}

Row list_row(const char* key, std::vector<std::string> Settings::*field) {
  return {key, "names, separated by commas",
          [field](Settings& s, const std::string& v) { return s.*field = split(v), true; },
          [field](const Settings& s) { return join(s.*field); }};
}

const char* libraries_name(Libraries libraries) { return libraries == Libraries::off ? "off" : libraries == Libraries::measured ? "auto" : "on"; }

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {"math", "strict, default or fast",
       [](Settings& s, const std::string& v) {
         for (Math m : {Math::strict, Math::normal, Math::fast})
           if (v == math_name(m)) return s.math = m, true;
         return false;
       },
       [](const Settings& s) { return std::string(math_name(s.math)); }},
      choice_row("breaks", "forbid", "allow", "allow or forbid", &Settings::forbid_breaks),
      {"memory.strategy", "a packer's name (see `cutaway pack --help`)",
       [](Settings& s, const std::string& v) { return s.memory_strategy = v, !v.empty(); },
       [](const Settings& s) { return s.memory_strategy; }},
      count_row("memory.limit", &Settings::memory_limit),
      list_row("rewrite.order", &Settings::rewrite_order),
      small_row("streams", &Settings::streams, 1),
      count_row("fold.budget", &Settings::fold_budget),
      list_row("passes.off", &Settings::disabled_passes),
      small_row("variants.limit", &Settings::cache_limit, 1),
      choice_row("capture", "on", "off", "on or off", &Settings::capture),
      {"libraries", "off, auto or on",
       [](Settings& s, const std::string& v) {
         for (Libraries l : {Libraries::off, Libraries::measured, Libraries::on})
           if (v == libraries_name(l)) return s.libraries = l, true;
         return false;
       },
       [](const Settings& s) { return std::string(libraries_name(s.libraries)); }},
      choice_row("cache", "on", "off", "on or off", &Settings::kernel_cache),
  };
  return table;
}

} // namespace

const char* math_name(Math math) {
  switch (math) {
  case Math::strict: return "strict";
  case Math::normal: return "default";
  case Math::fast: return "fast";
  }
  return "default";
}

Status Settings::set(const std::string& key, const std::string& value) {
  std::string known;
  for (const Row& row : rows()) {
    if (key == row.key) {
      if (row.read(*this, value)) return {};
      return bad_input("--set " + key, "'" + value + "' is not a value of this setting", std::string("give ") + row.values);
    }
    known += (known.empty() ? "" : ", ") + std::string(row.key);
  }
  return bad_input("--set " + key, "there is no such setting", "the settings are " + known);
}

std::map<std::string, std::string> Settings::list() const {
  std::map<std::string, std::string> out;
  for (const Row& row : rows()) out[row.key] = row.show(*this);
  return out;
}

} // namespace cutaway
