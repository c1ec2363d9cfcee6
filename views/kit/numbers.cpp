#include "kit/numbers.h"

#include <QLocale>

#include <cmath>

namespace cutaway::views {

ByteUnit byteUnit(int64_t greatest) {
  if (greatest < 1024) return {"B", 1};
  if (greatest < int64_t{1} << 20) return {"KiB", 1024};
  if (greatest < int64_t{1} << 30) return {"MiB", 1024. * 1024};
  return {"GiB", 1024. * 1024 * 1024};
}

TimeUnit timeUnit(double greatest) {
  if (greatest < .9995) return {"ns", 1e-3};
  if (greatest < 999.5) return {"µs", 1};
  if (greatest < 999500) return {"ms", 1e3};
  return {"s", 1e6};
}

QString timeText(double us) {
  const TimeUnit unit = timeUnit(us);
  const double v = us / unit.us;
  return QLocale(QLocale::English, QLocale::UnitedStates).toString(v, 'f', v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2) + ' ' + unit.name;
}

QString number(double value) {
  const bool whole = std::abs(value - std::round(value)) < 0.005;
  const int decimals = whole ? 0 : std::abs(value) >= 100 ? 1 : 2;
  const double scale = std::pow(10, decimals);
  // Halves to even, as the compiler's own sentences have them: 6.125 is 6.12.
  return QLocale(QLocale::English, QLocale::UnitedStates).toString(std::nearbyint(value * scale) / scale, 'f', decimals);
}

QString tickText(double value, double step) {
  const int decimals = step >= 1 ? 0 : int(std::ceil(-std::log10(step) - 1e-9));
  return QLocale(QLocale::English, QLocale::UnitedStates).toString(value, 'f', decimals);
}

QString byteText(int64_t bytes) {
  const ByteUnit unit = byteUnit(bytes);
  return number(double(bytes) / unit.bytes) + ' ' + unit.name;
}

double tickStep(double range, int most) {
  if (!(range > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(range / most)));
  for (const double times : {1., 2., 5.})
    if (range / (times * power) <= most) return times * power;
  return 10 * power;
}

} // namespace cutaway::views
