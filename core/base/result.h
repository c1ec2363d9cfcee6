#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace cutaway {

// What kind of fault a user's input has. The command line's exit code follows from it (DESIGN.md section 7).
enum class Fault { invalid_model, bad_input, unsupported, limit };

// "invalid-model", "bad-input", "unsupported", "limit".
const char* fault_name(Fault fault);
// 2, 2, 3, 4.
int exit_code(Fault fault);

// Says what is wrong with the user's input, where, and what to do. Printed as `FILE: where: KIND: what (hint)`.
struct Diagnostic {
  Fault fault = Fault::bad_input;
  std::string where; // names the node, input or byte offset; may be empty
  std::string what;
  std::string hint; // what to do; may be empty

  std::string str() const;
};

// The same fault, of a part of `outer`: its place comes first.
inline Diagnostic within(const std::string& outer, Diagnostic d) {
  d.where = outer + (d.where.empty() ? "" : ": " + d.where);
  return d;
}

inline Diagnostic invalid_model(std::string where, std::string what, std::string hint = {}) {
  return {Fault::invalid_model, std::move(where), std::move(what), std::move(hint)};
}
inline Diagnostic bad_input(std::string where, std::string what, std::string hint = {}) {
  return {Fault::bad_input, std::move(where), std::move(what), std::move(hint)};
}
inline Diagnostic unsupported(std::string where, std::string what, std::string hint = {}) {
  return {Fault::unsupported, std::move(where), std::move(what), std::move(hint)};
}
inline Diagnostic over_limit(std::string where, std::string what, std::string hint = {}) {
  return {Fault::limit, std::move(where), std::move(what), std::move(hint)};
}

// A value, or the diagnostic that says why there is none.
template <class T> class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic diagnostic) : state_(std::in_place_index<1>, std::move(diagnostic)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Diagnostic& error() { return std::get<1>(state_); }
  const Diagnostic& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Diagnostic> state_;
};

// Success, or the diagnostic.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Diagnostic diagnostic) : error_(std::move(diagnostic)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  Diagnostic& error() { return *error_; }
  const Diagnostic& error() const { return *error_; }

 private:
  std::optional<Diagnostic> error_;
};

} // namespace cutaway
