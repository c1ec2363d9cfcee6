#pragma once
#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

namespace cutaway::trace {

// An immutable string that copies by reference: a node that changes one field shares the rest with its earlier state.
// Equality and order are those of the characters. Safe to share between threads.
class Text {
 public:
  Text() = default;
  Text(std::string_view characters) {
    if (!characters.empty()) shared_ = std::make_shared<const std::string>(characters);
  }
  Text(const std::string& characters) : Text(std::string_view(characters)) {}
  Text(const char* characters) : Text(std::string_view(characters)) {}

  const std::string& str() const { return shared_ ? *shared_ : none(); }
  std::string_view view() const { return str(); }
  bool empty() const { return !shared_; }
  size_t size() const { return str().size(); }

  friend bool operator==(const Text& a, const Text& b) { return a.shared_ == b.shared_ || a.view() == b.view(); }
  friend auto operator<=>(const Text& a, const Text& b) { return a.view() <=> b.view(); }

 private:
  static const std::string& none() {
    static const std::string empty;
    return empty;
  }
  std::shared_ptr<const std::string> shared_; // null for the empty text
};

// Gives one storage to equal texts while a document is built or read (op names, dtypes and scopes repeat by the
// thousand). The texts outlive the pool.
class TextPool {
 public:
  Text operator()(std::string_view characters);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
    size_t operator()(const Text& t) const { return (*this)(t.view()); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Text& a, const Text& b) const { return a == b; }
    bool operator()(const Text& a, std::string_view b) const { return a.view() == b; }
    bool operator()(std::string_view a, const Text& b) const { return a == b.view(); }
  };
  std::unordered_set<Text, Hash, Equal> texts_;
};

inline Text TextPool::operator()(std::string_view characters) {
  const auto found = texts_.find(characters);
  return found != texts_.end() ? *found : *texts_.emplace(characters).first;
}

} // namespace cutaway::trace
