#pragma once
#include "kit/figure.h"
#include "place/scopes.h"
#include "timeline/runs.h"

namespace cutaway::views {

// Where the time of one run went: all that each kernel took over the lanes, the longest first, bars right of the numbers.
class KernelTable {
 public:
  // As many rows as the room has height for, five at least.
  KernelTable(const ShownRun& run, const Scopes& scopes, const Theme& theme, const QRectF& room);
  double height() const;
  void draw(Sheet& s) const;
  void addHits(QList<Hit>& hits) const;

 private:
  struct Total {
    QString name, scope;
    Entity entity;
    int category = 0;
    double us = 0;
  };
  QRectF row(size_t i) const;
  const Theme& theme_;
  bool paper_, threads_ = false; // of threads: a kernel's time is the sum of what each spent on it
  QRectF room_;
  size_t rows_ = 0;
  double work_ = 0;
  std::vector<Total> totals_;
};

} // namespace cutaway::views
