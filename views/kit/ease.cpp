#include "kit/ease.h"

namespace cutaway::views {

double eased(double t) {
  double low = 0, high = 1, s = t;
  for (int i = 0; i < 20; ++i) {
    s = (low + high) / 2;
    const double u = 1 - s, x = 3 * u * u * s * .2 + s * s * s;
    (x < t ? low : high) = s;
  }
  return 3 * (1 - s) * s * s + s * s * s;
}

} // namespace cutaway::views
