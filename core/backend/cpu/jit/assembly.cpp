#include "backend/cpu/jit/assembly.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace cutaway::cpu {
namespace {

std::string_view trimmed(std::string_view s) {
  const size_t first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view() : s.substr(first, last - first + 1);
}

std::string_view word(std::string_view& rest) {
  rest = trimmed(rest);
  const std::string_view out = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(out.size());
  return out;
}

bool holds_data(std::string_view directive) {
  constexpr std::array<std::string_view, 9> kept = {".long", ".quad", ".byte", ".short", ".zero", ".ascii", ".asciz", ".4byte", ".8byte"};
  return std::find(kept.begin(), kept.end(), directive) != kept.end();
}

// Marks of the debug information and of the unwinder, and second names.
bool is_mark(std::string_view label) { return label.ends_with("$local:") || label.starts_with(".Ltmp") || label.starts_with(".Lfunc") || label.starts_with(".Lsec"); }

} // namespace

Assembly readable_assembly(std::string_view printed) {
  Assembly code, constants, labels; // labels wait for what they name
  int line = 0;
  const auto add = [](Assembly& to, const Assembly& more) {
    to.text += more.text;
    to.lines.insert(to.lines.end(), more.lines.begin(), more.lines.end());
  };
  while (!printed.empty()) {
    const size_t end = std::min(printed.find('\n'), printed.size());
    std::string_view rest = printed.substr(0, end);
    printed.remove_prefix(std::min(end + 1, printed.size()));
    const bool data = trimmed(rest).starts_with(".asci");
    rest = trimmed(data ? rest : rest.substr(0, rest.find('#')));
    const std::string_view first = word(rest);
    if (first == ".loc") {
      (void)word(rest); // the file: there is one
      const std::string_view number = word(rest);
      std::from_chars(number.data(), number.data() + number.size(), line);
      continue;
    }
    const bool label = first.ends_with(':');
    if (first.empty() || (label ? is_mark(first) : first.starts_with('.') && !holds_data(first))) continue;
    const std::string_view operands = trimmed(rest);
    std::string text(label ? "" : "  ");
    text += first;
    if (!operands.empty()) (text += ' ') += operands;
    const bool constant = first.starts_with('.');
    Assembly& to = label ? labels : constant ? constants : code;
    if (!label) add(to, std::exchange(labels, {}));
    add(to, {text + '\n', {label || constant ? 0 : line}});
  }
  add(code, constants);
  std::replace(code.text.begin(), code.text.end(), '\t', ' ');
  return code;
}

} // namespace cutaway::cpu
