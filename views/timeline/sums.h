#pragma once
#include "kit/figure.h"
#include "timeline/runs.h"

#include <optional>

namespace cutaway::views {

// Headline numbers of the runs: "163.2 → 109.9 µs 1.48×" where one was launched one by one and one replayed.
class Sums {
 public:
  Sums(const std::vector<ShownRun>& runs, const Theme& theme, const QRectF& room); // its height is set here
  double height() const;
  void moveTo(double top) { room_.moveTop(top); }
  void draw(Sheet& s) const;

 private:
  struct Sum {
    QString title, before, after, factor; // before: empty where there is one number
    bool better = true;
  };
  void add(const QString& title, double before, double after, bool times);
  double widest(const Theme& theme) const;
  QRectF room_;
  int columns_ = 4; // as many as texts have room for
  std::vector<Sum> sums_;
};

} // namespace cutaway::views
