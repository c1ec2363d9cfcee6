#pragma once
#include "kit/sheet.h"

namespace cutaway::views {

// Draws nothing and remembers every text.
class RecordingSheet : public Sheet {
 public:
  struct Word {
    QString text;
    QRectF box; // around the capitals and what hangs below
    double px = 0;
  };
  explicit RecordingSheet(const Theme& theme) : Sheet(theme, 1) {}
  QList<Word> words;

  void push(QPointF, const QPainterPath*, double) override {}
  void pop() override {}

 protected:
  void rawPath(const QPainterPath&, const Fill&, const Stroke&) override {}
  void rawText(QPointF at, const QString& s, const Type& type, const Prepared& p) override {
    const double size = px(type.px);
    words.append({s, {at.x(), at.y() - .73 * size, p.width, .93 * size}, size});
  }
};

} // namespace cutaway::views
