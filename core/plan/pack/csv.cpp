#include "plan/pack/csv.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>

namespace cutaway::plan {
namespace {

enum class Column { id, start, upper, end, size, alignment, gaps, hint, offset };

constexpr std::pair<std::string_view, Column> column_names[] = {
    {"id", Column::id},        {"buffer", Column::id},           {"buffer_id", Column::id}, {"lower", Column::start},
    {"start", Column::start},  {"begin", Column::start},         {"upper", Column::upper},  {"end", Column::end},
    {"size", Column::size},    {"alignment", Column::alignment}, {"gaps", Column::gaps},    {"hint", Column::hint},
    {"offset", Column::offset}};

constexpr int64_t latest = int64_t{1} << 61;

std::string_view trim(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split(std::string_view s, char by) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = s.find(by);
    parts.push_back(trim(s.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    s.remove_prefix(at + 1);
  }
}

std::optional<int64_t> number(std::string_view s) {
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || rest != s.data() + s.size() || value > latest || value < -latest) return {};
  return value;
}

// A cell is printed in a message: keep it short and in one line, whatever the file holds.
std::string shown(std::string_view cell) {
  std::string text(cell.substr(0, 40));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32) c = '?';
  return cell.size() > 40 ? text + "..." : text;
}

class Reader {
 public:
  Result<Problem> read(std::string_view text) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    for (bool headed = false; !text.empty();) {
      const size_t at = text.find('\n');
      const std::string_view row = trim(text.substr(0, at));
      text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
      ++line_;
      if (row.empty()) continue;
      if (Status s = headed ? read_buffer(row) : read_header(row); !s) return s.error();
      headed = true;
    }
    if (columns_.empty()) return bad_input("", "the file is empty", "the first line is `id,lower,upper,size`");
    if (Status s = validate(problem_); !s) return s.error();
    return std::move(problem_);
  }

 private:
  Diagnostic fault(std::string what, std::string hint = {}) const {
    return bad_input(fmt::format("line {}", line_), std::move(what), std::move(hint));
  }
  bool has(Column c) const { return std::find(columns_.begin(), columns_.end(), c) != columns_.end(); }

  Status read_header(std::string_view row) {
    for (std::string_view cell : split(row, ',')) {
      const auto* known = std::find_if(std::begin(column_names), std::end(column_names),
                                       [&](const auto& c) { return c.first == cell; });
      if (known == std::end(column_names))
        return fault(fmt::format("unknown column '{}'", shown(cell)),
                     "columns are id, lower, upper (or end, inclusive), size, alignment, gaps, hint, offset");
      if (has(known->second)) return fault(fmt::format("column '{}' is given twice", shown(cell)));
      columns_.push_back(known->second);
    }
    if (!has(Column::id) || !has(Column::start) || !has(Column::size) || has(Column::upper) == has(Column::end))
      return fault("a column is missing", "needed are id, lower, one of upper and end, and size");
    return {};
  }

  Status read_buffer(std::string_view row) {
    const std::vector<std::string_view> cells = split(row, ',');
    if (cells.size() != columns_.size())
      return fault(fmt::format("{} cells, the header has {}", cells.size(), columns_.size()));
    Buffer b;
    std::string_view id, gaps;
    for (size_t k = 0; k < cells.size(); ++k) {
      if (columns_[k] == Column::id)
        id = cells[k];
      else if (columns_[k] == Column::gaps)
        gaps = cells[k];
      else if (Status s = read_number(columns_[k], cells[k], b); !s)
        return s;
    }
    if (b.end < b.start) return fault(fmt::format("buffer '{}' ends before it starts", shown(id)));
    const auto [seen, fresh] = lines_.try_emplace(std::string(id), line_);
    if (!fresh) return fault(fmt::format("id '{}' is already on line {}", shown(id), seen->second), "ids are unique");
    problem_.buffers.push_back(b);
    problem_.names.emplace_back(id);
    return read_gaps(gaps, b);
  }

  Status read_number(Column column, std::string_view cell, Buffer& b) {
    if (column == Column::hint || (cell.empty() && column == Column::offset)) return {};
    if (column == Column::offset)
      return unsupported(fmt::format("line {}", line_), "a fixed offset", "remove the column `offset`");
    if (column == Column::alignment && cell.empty()) return {};
    const std::optional<int64_t> value = number(cell);
    if (!value) return fault(fmt::format("'{}' is no integer within 2^61", shown(cell)));
    if (column == Column::start) b.start = *value;
    if (column == Column::upper) b.end = *value;
    if (column == Column::end) b.end = *value + 1;
    if (column == Column::size) b.size = *value;
    if (column == Column::alignment) b.alignment = *value == 0 ? 1 : *value;
    if (b.size < 0 || b.alignment < 1) return fault(fmt::format("'{}' is negative", shown(cell)));
    return {};
  }

  // `from-to` or `from-to@low:high`, in time order, inside the buffer's life and size.
  Status read_gaps(std::string_view cell, const Buffer& b) {
    int64_t before = b.start;
    for (std::string_view gap : split(cell, ' ')) {
      if (gap.empty()) continue;
      const size_t at = gap.find('@'), dash = gap.substr(0, at).find('-', 1);
      IdleWindow w{.buffer = int(problem_.buffers.size()) - 1};
      const auto from = number(gap.substr(0, std::min(dash, gap.size())));
      const auto to = dash == std::string_view::npos ? std::nullopt : number(gap.substr(0, at).substr(dash + 1));
      bool good = from && to;
      if (good) w.start = *from, w.end = *to;
      if (good && at != std::string_view::npos) {
        const std::vector<std::string_view> ends = split(gap.substr(at + 1), ':');
        const auto low = number(ends[0]), high = ends.size() == 2 ? number(ends[1]) : std::nullopt;
        good = low && high;
        if (good) w.low = *low, w.high = *high;
      }
      if (!good) return fault(fmt::format("gap '{}' is not of the form from-to or from-to@low:high", shown(gap)));
      if (w.start < before || w.end < w.start || w.end > b.end || w.low < 0 || w.high < w.low || w.high > b.size)
        return fault(fmt::format("gap '{}' is out of order or outside its buffer", shown(gap)));
      before = w.end;
      problem_.idle.push_back(w);
    }
    return {};
  }

  Problem problem_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, int64_t> lines_;
  int64_t line_ = 0;
};

} // namespace

Result<Problem> read_csv(std::string_view text) {
  return Reader().read(text);
}

} // namespace cutaway::plan
