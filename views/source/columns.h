#pragma once
#include "kit/figure.h"
#include "place/place.h"
#include "source/highlight.h"

#include <set>

namespace cutaway::views {

// One text in its box: numbered lines, long ones in several rows.
class Column {
 public:
  static constexpr double lead = 17, headRoom = 40;

  // `lit`: the ops whose lines are shown as selected.
  Column(const trace::TextPanel& panel, const trace::GraphDoc& graph, const std::set<Entity>& lit);
  const trace::TextPanel& panel() const { return *panel_; }
  // The width at which no line is broken; `advance`: of one letter.
  double wanted(double advance) const;
  // Breaks the lines for this width, and gives the height.
  double fit(double width, double advance);
  void moveTo(QPointF at) { box_.moveTopLeft(at); }

  const QRectF& box() const { return box_; }
  QRectF head() const { return {box_.left(), box_.top(), box_.width(), headRoom - 8}; }
  QRectF lineBox(int64_t line) const;
  qsizetype lineCount() const { return lines_.size(); }
  // From the first to the last of the rows that are lit, in the order they stand in; null: none is.
  QRectF lit() const;
  void draw(Sheet& s) const;

 private:
  struct Line {
    QString text;
    std::optional<int> category; // of the op that it belongs to
    bool lit = false;
    qsizetype first = 0, rows = 1; // the rows that it takes
  };
  struct Row {
    qsizetype line = 0;
    QList<Run> runs;
  };
  QRectF rowBox(qsizetype row) const { return {box_.left(), box_.top() + headRoom + lead * double(row), box_.width(), lead}; }
  void breakLine(qsizetype line, const QList<Run>& runs, qsizetype most);

  const trace::TextPanel* panel_;
  QList<Line> lines_;
  QList<Row> rows_;
  QRectF box_;
  double advance_ = 0, numbers_ = 0; // room for line numbers and the bar
};

} // namespace cutaway::views
