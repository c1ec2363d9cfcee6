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

  void push(QPointF shift, const QPainterPath*, double) override { shifts_.append(shift); }
  void pop() override { shifts_.removeLast(); }

 protected:
  void rawPath(const QPainterPath&, const Fill&, const Stroke&) override {}
  void rawText(QPointF at, const QString& s, const Type& type, const Prepared& p) override {
    const double size = px(type.px);
    for (const QPointF shift : shifts_) at += shift;
    words.append({s, {at.x(), at.y() - .74 * size, p.width, .94 * size}, size});
  }

 private:
  QList<QPointF> shifts_;
};

} // namespace cutaway::views
