#pragma once
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cutaway {

struct DimPoly;

// One extent of a shape: a whole number, or an exact expression over named symbols (+ - * floor-div mod max min).
// Expressions are kept as polynomials over atoms in one canonical order, so that equal expressions compare equal.
// Overflow of 64 bits makes the dim invalid, and everything made from it; infer and verify report that.
class Dim {
 public:
  Dim() = default;
  Dim(int64_t value) : value_(value) {}
  static Dim symbol(const std::string& name);
  static Dim invalid();

  bool is_const() const { return !poly_ && !invalid_; }
  bool is_invalid() const { return invalid_; }
  // Only where is_const().
  int64_t value() const;
  std::optional<int64_t> constant() const { return is_const() ? std::optional(value_) : std::nullopt; }
  bool is(int64_t v) const { return is_const() && value_ == v; }

  // The expression as people write it: `N`, `4*S + 3`, `(H + 1) floordiv 2`. Names that are no identifiers are quoted.
  std::string str() const;
  // Names of all symbols, each once.
  std::vector<std::string> symbols() const;
  // The value under the bindings; nothing where a symbol is not bound or the arithmetic overflows.
  std::optional<int64_t> eval(const std::map<std::string, int64_t>& bindings) const;
  // The expression with bound symbols replaced.
  Dim bind(const std::map<std::string, int64_t>& bindings) const;

  friend bool operator==(const Dim& a, const Dim& b);
  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend Dim floordiv(const Dim& a, const Dim& b); // rounds toward minus infinity; by zero is invalid
  friend Dim mod(const Dim& a, const Dim& b);      // a - b * floordiv(a, b)
  friend Dim dim_max(const Dim& a, const Dim& b);
  friend Dim dim_min(const Dim& a, const Dim& b);

 private:
  friend struct DimPoly;
  explicit Dim(DimPoly poly);

  int64_t value_ = 0;
  bool invalid_ = false;
  std::shared_ptr<const DimPoly> poly_;
};

using Shape = std::vector<Dim>;

// True where every dim is a number.
bool is_static(const Shape& shape);
// The numbers; only where is_static.
std::vector<int64_t> static_dims(const Shape& shape);
Shape make_shape(const std::vector<int64_t>& dims);
// Product of all dims; 1 for rank 0.
Dim element_count(const Shape& shape);
// "[1, 64, N]".
std::string shape_str(const Shape& shape);

} // namespace cutaway
