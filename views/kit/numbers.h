#pragma once
#include <QString>

#include <cstdint>

// Numbers as VISUAL.md section 2 writes them.
namespace cutaway::views {

// One unit for a whole axis: that of its greatest value.
struct ByteUnit {
  QString name; // "KiB"
  double bytes;
};
ByteUnit byteUnit(int64_t greatest);
// One unit for a whole axis of times: that of its greatest value, in microseconds.
struct TimeUnit {
  QString name; // "ms"
  double us;
};
TimeUnit timeUnit(double greatest);
// "17.5 ms": three digits.
QString timeText(double us);
// "1,218.75": at most two decimals, none that are zero, thousands with a comma.
QString number(double value);
// A tick's number, with as many decimals as its neighbours need.
QString tickText(double value, double step);
// "784 KiB", "3.06 MiB", "271.8 MiB".
QString byteText(int64_t bytes);
// The round number 1, 2 or 5 times a power of ten that cuts `range` into at most `most` parts.
double tickStep(double range, int most);

} // namespace cutaway::views
