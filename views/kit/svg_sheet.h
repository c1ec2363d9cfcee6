#pragma once
#include "kit/sheet.h"

namespace cutaway::views {

/// Writes SVG: clip paths, patterns, text as text with the used letters of each font embedded as WOFF.
class SvgSheet : public Sheet {
 public:
  SvgSheet(const Theme& t, QSizeF size) : Sheet(t, 1), m_size(size) {}
  QByteArray finish(bool embedFonts = true);
  void push(QPointF shift, const QPainterPath* clip, double opacity) override;
  void pop() override { m_body += "</g>\n"; }

 protected:
  void rawPath(const QPainterPath& p, const Fill& f, const Stroke& s) override;
  void rawRect(QRectF r, double radius, const Fill& f, const Stroke& s) override;
  void rawText(QPointF at, const QString& s, const Type& type, const Prepared& p) override;

 private:
  QByteArray attributes(const Fill& f, const Stroke& s);
  void hatched(const QByteArray& shape, const Fill& f, const Stroke& s);
  QSizeF m_size;
  QByteArray m_defs, m_body;
  QHash<QByteArray, QByteArray> m_patterns;
  QHash<QString, QString> m_letters; ///< font file -> letters used
  int m_clips = 0;
};

} // namespace cutaway::views
