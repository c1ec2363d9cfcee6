#pragma once
#include "kit/figure.h"
#include "place/place.h"
#include "place/scopes.h"

namespace cutaway::views {

// What the pass "streams" decided: what the plan promises, and which kernel runs beside which, waits for which, or was kept
// behind another, and why. Of the selected kernel, where one is selected that it speaks of.
class StreamReasons {
 public:
  StreamReasons(const trace::Trace& trace, const Scopes& scopes, const std::optional<Entity>& selected, const Theme& theme, const QRectF& room); // its height is set here
  double height() const;
  void draw(Sheet& s) const;
  void addHits(QList<Hit>& hits) const;

 private:
  struct Row {
    QString title, text;
    QStringList lines{}; // of the text
    double top = 0;      // below the heading
    double height() const;
    Entity entity = nothing;
    bool refused = false;
  };
  QRectF at(const Row& row) const;
  double bottom() const; // of the last row
  QRectF room_;
  std::vector<Row> rows_;
  QString more_;
};

} // namespace cutaway::views
