#include "explorer/export_range.h"

#include <charconv>

namespace cutaway::explorer {
namespace {

constexpr uint64_t most_frames = 400;
constexpr int least_side = 200, most_side = 8000;

template <class T> std::optional<T> whole_number(std::string_view text) {
  T out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return out;
}

} // namespace

Result<StepRange> parse_steps(const std::string& text) {
  const Diagnostic fault = bad_input("--steps '" + text + "'", "is no range of steps", "A..B with numbers from 0, A not over B, or A.. to the end");
  const size_t dots = text.find("..");
  if (dots == std::string::npos) return fault;
  const auto first = whole_number<uint64_t>(std::string_view(text).substr(0, dots));
  const std::string_view rest = std::string_view(text).substr(dots + 2);
  const auto last = whole_number<uint64_t>(rest);
  if (!first || (!last && !rest.empty()) || (last && *last < *first)) return fault;
  return StepRange{*first, last};
}

Result<std::pair<uint32_t, uint32_t>> steps_within(const StepRange& range, size_t count) {
  if (range.first >= count)
    return bad_input("--steps", "step " + std::to_string(range.first) + " is not there", count ? "the last one is " + std::to_string(count - 1) : "the document has no steps");
  const uint64_t last = std::min<uint64_t>(range.last.value_or(count - 1), count - 1);
  if (last - range.first >= most_frames)
    return over_limit("--steps", std::to_string(last - range.first + 1) + " steps are over the limit of " + std::to_string(most_frames) + " frames",
                      "take a smaller range, such as " + std::to_string(range.first) + ".." + std::to_string(range.first + most_frames - 1));
  return std::pair{static_cast<uint32_t>(range.first), static_cast<uint32_t>(last)};
}

Result<QSizeF> parse_room(const std::string& size, int width, QSizeF otherwise) {
  const auto fits = [](int side) { return side >= least_side && side <= most_side; };
  const std::string hint = "from " + std::to_string(least_side) + " to " + std::to_string(most_side) + " px";
  if (width && !size.empty()) return bad_input("--width", "--size is given too", "give one of them");
  if (width && !fits(width)) return bad_input("--width " + std::to_string(width), "is no width for a picture", hint);
  if (width) return QSizeF(width, otherwise.height());
  if (size.empty()) return otherwise;
  const size_t cross = size.find('x');
  const auto w = whole_number<int>(std::string_view(size).substr(0, cross));
  const auto h = cross == std::string::npos ? std::nullopt : whole_number<int>(std::string_view(size).substr(cross + 1));
  if (!w || !h || !fits(*w) || !fits(*h)) return bad_input("--size '" + size + "'", "is no size for a picture", "WIDTHxHEIGHT, each " + hint);
  return QSizeF(*w, *h);
}

} // namespace cutaway::explorer
