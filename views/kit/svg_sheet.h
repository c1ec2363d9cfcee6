#pragma once
#include "kit/sheet.h"

namespace cutaway::views {

/// Writes SVG: clip paths, patterns, text as text with the used letters of each font embedded as WOFF.
class SvgSheet : public Sheet {
 public:
  using Letters = QHash<QString, QString>; ///< font file -> letters used
  /// `prefix` keeps the ids of several pictures in one page apart.
  SvgSheet(const Theme& t, QSizeF size, QByteArray prefix = {}) : Sheet(t, 1), m_size(size), m_prefix(std::move(prefix)) {}
  /// `head`: elements that come first, such as <title>.
  QByteArray finish(bool embedFonts = true, const QByteArray& head = {});
  const Letters& letters() const { return m_letters; }
  /// The style rules that hold these letters.
  static QByteArray fontFaces(const Theme& t, const Letters& letters);
  static QString fontFile(int weight, bool mono);
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
  QByteArray m_prefix;
  QByteArray m_defs, m_body;
  QHash<QByteArray, QByteArray> m_patterns;
  Letters m_letters;
  int m_clips = 0;
};

/// Escaped for SVG and HTML; characters that XML does not allow become U+FFFD.
QByteArray markupText(const QString& s);

} // namespace cutaway::views
