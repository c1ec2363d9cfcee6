#include "trace/file/scan.h"

#include <cstdint>
#include <vector>

namespace cutaway::trace::file {
namespace {

std::string at(size_t offset, const char* what) { return std::string(what) + " at byte " + std::to_string(offset); }

// The head of a CBOR item (RFC 8949, section 3).
struct Head {
  int major = 0, minor = 0;
  uint64_t argument = 0;
  bool indefinite = false;
};

class CborScanner {
 public:
  explicit CborScanner(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::optional<std::string> run() {
    open_.push_back(1);
    while (!open_.empty()) {
      if (open_.back() == 0) {
        open_.pop_back();
        continue;
      }
      const size_t start = at_;
      Head head;
      if (!read(head)) return at(start, "the file ends inside a value");
      if (head.major == 7 && head.indefinite) {
        if (open_.back() != endless) return at(start, "an end mark without a beginning");
        open_.pop_back();
        continue;
      }
      if (open_.back() != endless) --open_.back();
      if (auto wrong = item(head, start)) return wrong;
      if (static_cast<int>(open_.size()) > nesting_limit + 1) return at(start, "nested more than 64 deep");
    }
    return {};
  }

 private:
  static constexpr uint64_t endless = UINT64_MAX;

  bool read(Head& head) {
    if (at_ >= bytes_.size()) return false;
    const auto first = static_cast<uint8_t>(bytes_[at_++]);
    head.major = first >> 5, head.minor = first & 31;
    head.argument = static_cast<uint64_t>(head.minor);
    if (head.minor == 31) return head.indefinite = true;
    if (head.minor < 24) return true;
    const size_t extra = head.minor <= 27 ? size_t{1} << (head.minor - 24) : bytes_.size();
    if (bytes_.size() - at_ < extra) return false;
    head.argument = 0;
    for (size_t i = 0; i < extra; ++i) head.argument = head.argument << 8 | static_cast<uint8_t>(bytes_[at_++]);
    return true;
  }

  std::optional<std::string> item(const Head& head, size_t start) {
    switch (head.major) {
      case 0:
      case 1:
      case 7: return {};
      case 3:
        if (head.indefinite) return at(start, "a text in parts");
        if (head.argument > bytes_.size() - at_) return at(start, "the file ends inside a text");
        at_ += head.argument;
        return {};
      case 4:
      case 5:
        if (!head.indefinite && head.argument > bytes_.size()) return at(start, "a list longer than the file");
        open_.push_back(head.indefinite ? endless : head.argument * (head.major == 5 ? 2 : 1));
        return {};
      default: return at(start, "a type that documents do not have");
    }
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  std::vector<uint64_t> open_; // items still to come at each depth
};

} // namespace

std::optional<std::string> scan_json(std::span<const std::byte> text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = static_cast<char>(text[i]);
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if ((c == '{' || c == '[') && ++depth > nesting_limit) return at(i, "nested more than 64 deep");
    if ((c == '}' || c == ']') && --depth < 0) return at(i, "a closing bracket without an opening one");
  }
  if (quoted || depth > 0) return at(text.size(), "the file ends inside a value");
  return {};
}

std::optional<std::string> scan_cbor(std::span<const std::byte> bytes) { return CborScanner(bytes).run(); }

} // namespace cutaway::trace::file
