#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace cutaway::test {

// |y - exact| in units of the last place of T at `exact` (of the least normal number below it); NaN and infinities must
// match: else 1e9. `exact` has more digits than T, so half an ulp is the best that a result can do.
template <typename T> double ulp_error(T y, long double exact) {
  T rounded = static_cast<T>(exact);
  if (std::isnan(y) || std::isnan(rounded)) return std::isnan(y) && std::isnan(rounded) ? 0 : 1e9;
  if (std::isinf(y) || std::isinf(rounded)) return y == rounded ? 0 : 1e9;
  if (exact == 0) return y == 0 ? 0 : 1e9;
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return static_cast<double>(std::fabs(y - exact) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

// Equal in value and sign of zero; any NaN equals any NaN.
template <typename T> bool same(T a, T b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

// Marsaglia's xorshift64: the same sequence everywhere.
class Random {
 public:
  uint64_t bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return state_ ^= state_ << 17;
  }
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  uint64_t state_ = 88172645463325252u;
};

// Values at which formulas break: both signs of zero, subnormals, one and its neighbours, thresholds, extremes, NaN.
template <typename T> std::vector<T> awkward() {
  using L = std::numeric_limits<T>;
  std::vector<T> half = {0,
                         L::denorm_min(),
                         L::min(),
                         std::nextafter(L::min(), T(0)),
                         L::epsilon(),
                         T(1e-10),
                         T(0.25),
                         T(0.5),
                         T(0.75),
                         1,
                         std::nextafter(T(1), T(2)),
                         std::nextafter(T(1), T(0)),
                         T(1.5),
                         2,
                         T(2.5),
                         3,
                         4,
                         5,
                         T(20),
                         T(63),
                         T(64),
                         T(88.7),
                         T(88.73),
                         T(103.97),
                         T(104),
                         T(127.5),
                         T(128),
                         T(255),
                         T(448),
                         T(464),
                         T(480),
                         T(709.7),
                         T(709.8),
                         T(745.2),
                         T(32767.5),
                         T(65504),
                         T(65519),
                         T(65520),
                         T(1e5),
                         T(16777217),
                         T(2147483647),
                         T(2147483648.0),
                         T(4294967296.0),
                         T(0x1p53),
                         T(0x1p63),
                         T(0x1p64),
                         L::max(),
                         L::infinity(),
                         L::quiet_NaN()};
  std::vector<T> all = half;
  for (T x : half) all.push_back(-x);
  return all;
}

} // namespace cutaway::test
