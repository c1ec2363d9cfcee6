#include "base/prelude/prelude.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

namespace cutaway {
namespace {

constexpr std::string_view kMarker = "//@ ";
constexpr std::array<std::string_view, 8> kIntTypes = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};

struct Section {
  std::string_view name, text;
  std::vector<std::string_view> names; // every cw_ or CW_ name in the text
};

bool name_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i + 3 <= text.size();) {
    if (!name_char(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && name_char(text[end])) ++end;
    std::string_view name = text.substr(i, end - i);
    if (name.starts_with("cw_") || name.starts_with("CW_")) names.push_back(name);
    i = end;
  }
  return names;
}

class Library {
 public:
  Library() { add_all(prelude_text()); }

  // Adds the sections of a text; one of a name that is there takes its place.
  void add_all(std::string_view all) {
    for (size_t at = all.find(kMarker); at != all.npos;) {
      size_t line_end = all.find('\n', at), next = all.find(kMarker, line_end);
      add(all.substr(at, line_end - at), all.substr(line_end + 1, next == all.npos ? all.npos : next - line_end - 1));
      at = next;
    }
  }

  std::string select(std::string_view kernel) const {
    std::vector<char> taken(sections_.size(), 0);
    taken[0] = 1; // the types, which macros paste together
    std::vector<std::string_view> open = names_in(kernel);
    while (!open.empty()) {
      auto found = owner_.find(open.back());
      open.pop_back();
      if (found == owner_.end() || taken[found->second]) continue;
      taken[found->second] = 1;
      const Section& section = sections_[found->second];
      open.insert(open.end(), section.names.begin(), section.names.end());
    }
    std::string text;
    for (size_t i = 0; i < sections_.size(); ++i)
      if (taken[i]) text += sections_[i].text;
    return text;
  }

 private:
  // A header line may say what a section of macros defines: "//@ name defines: CW_X cw_add_*", * standing
  // for each integer type.
  void add(std::string_view header, std::string_view text) {
    const std::string_view name = header.substr(kMarker.size(), header.find(' ', kMarker.size()) - kMarker.size());
    const auto there = std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; });
    const auto index = static_cast<size_t>(there - sections_.begin());
    if (there == sections_.end()) sections_.emplace_back();
    sections_[index] = {name, text, names_in(text)};
    for (std::string_view name : names_in(header)) {
      if (!name.ends_with('_'))
        owner_.emplace(name, index);
      else
        for (std::string_view type : kIntTypes) owner_.emplace(std::string(name) + std::string(type), index);
    }
    for (size_t at = 0; at < text.size();) {
      std::string_view line = text.substr(at, text.find('\n', at) - at);
      at += line.size() + 1;
      bool type = line.starts_with("typedef") || line.starts_with("} cw_");
      if (!type && !line.starts_with("static inline")) continue;
      std::vector<std::string_view> names = names_in(line.substr(0, type ? line.npos : line.find('(')));
      if (!names.empty()) owner_.emplace(names.back(), index);
    }
  }

  std::vector<Section> sections_;
  std::map<std::string, size_t, std::less<>> owner_;
};

} // namespace

std::string prelude_for(const std::string& kernel_text) {
  static const Library library;
  return library.select(kernel_text);
}

std::string device_prelude_for(const std::string& kernel_text) {
  static const Library library = [] {
    Library device;
    device.add_all(device_prelude_text());
    return device;
  }();
  std::string text = library.select(kernel_text);
  constexpr std::string_view host = "static inline ";
  for (size_t at = text.find(host); at != text.npos; at = text.find(host, at)) text.replace(at, host.size(), "CW_FN ");
  return text;
}

} // namespace cutaway
