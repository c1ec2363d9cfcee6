#include "kit/svg_sheet.h"

#include "kit/woff.h"

#include <QFile>
#include <QPainter>
#include <QRawFont>

namespace cutaway::views {

namespace {
QByteArray num(double v) {
  return QByteArray::number(std::round(v * 100) / 100, 'g', 8);
}
QByteArray colour(const char* name, const QColor& c) {
  QByteArray s = QByteArray(" ") + name + "=\"" + (c.isValid() ? c.name().toLatin1() : QByteArray("none")) + '"';
  if (c.isValid() && c.alpha() < 255) s += QByteArray(" ") + name + "-opacity=\"" + num(c.alphaF()) + '"';
  return s;
}
QByteArray data(const QPainterPath& p) {
  QByteArray d;
  for (int i = 0; i < p.elementCount(); ++i) {
    const auto e = p.elementAt(i);
    d += e.type == QPainterPath::MoveToElement    ? "M"
         : e.type == QPainterPath::LineToElement  ? "L"
         : e.type == QPainterPath::CurveToElement ? "C"
                                                  : " ";
    d += num(e.x) + ' ' + num(e.y);
  }
  return d;
}
} // namespace

QByteArray markupText(const QString& s) {
  QString clean = s;
  for (QChar& c : clean) {
    const ushort u = c.unicode();
    if ((u < 0x20 && u != '\t' && u != '\n') || u == 0x7f || u >= 0xfffe) c = QChar(0xfffd);
  }
  return clean.toHtmlEscaped().toUtf8(); // a surrogate without its other half becomes a question mark
}

QString SvgSheet::fontFile(int weight, bool mono) {
  if (mono) return weight >= 600 ? "CutawayMono-Bold.ttf" : "CutawayMono-Regular.ttf";
  return weight >= 600 ? "CutawaySans-SemiBold.ttf" : weight >= 500 ? "CutawaySans-Medium.ttf" : "CutawaySans-Regular.ttf";
}

QByteArray SvgSheet::attributes(const Fill& f, const Stroke& s) {
  QByteArray a = colour("fill", f.color);
  if (s.width > 0 && s.color.isValid()) {
    a += colour("stroke", s.color) + " stroke-width=\"" + num(s.width) + '"';
    QByteArrayList dash;
    for (double v : s.dash) dash << num(v);
    if (!dash.isEmpty()) a += " stroke-dasharray=\"" + dash.join(' ') + '"';
    if (s.round) a += " stroke-linecap=\"round\" stroke-linejoin=\"round\"";
  }
  return a;
}

void SvgSheet::hatched(const QByteArray& shape, const Fill& f, const Stroke& s) {
  if (f.hatch == Hatch::Solid) {
    m_body += shape + attributes(f, s) + "/>\n";
    return;
  }
  const QByteArray key = QByteArray::number(int(f.hatch)) + num(f.step) + f.lines.name(QColor::HexArgb).toLatin1();
  auto& id = m_patterns[key];
  if (id.isEmpty()) {
    id = m_prefix + "h" + QByteArray::number(m_patterns.size());
    m_defs += "<pattern id=\"" + id + "\" width=\"" + num(f.step) + "\" height=\"" + num(f.step) +
              "\" patternUnits=\"userSpaceOnUse\"><path d=\"" + data(hatchCell(f.hatch, f.step)) + '"' +
              colour("fill", f.lines) + "/></pattern>\n";
  }
  if (f.color.isValid()) m_body += shape + colour("fill", f.color) + "/>\n";
  m_body += shape + " fill=\"url(#" + id + ")\"/>\n";
  if (s.width > 0) m_body += shape + attributes({}, s) + "/>\n";
}
void SvgSheet::rawPath(const QPainterPath& p, const Fill& f, const Stroke& s) {
  hatched("<path d=\"" + data(p) + '"', f, s);
}
void SvgSheet::rawRect(QRectF r, double radius, const Fill& f, const Stroke& s) {
  if (!s.dash.isEmpty()) return Sheet::rawRect(r, radius, f, s); // dashes start where Qt's path starts
  hatched("<rect x=\"" + num(r.x()) + "\" y=\"" + num(r.y()) + "\" width=\"" + num(r.width()) + "\" height=\"" +
              num(r.height()) + (radius > 0 ? "\" rx=\"" + num(radius) + '"' : QByteArray("\"")),
          f, s);
}
void SvgSheet::rawText(QPointF at, const QString& s, const Type& type, const Prepared& p) {
  m_letters[fontFile(type.weight, type.mono)] += s;
  static const char* anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  m_body += "<text x=\"" + num(at.x() + p.width * (type.anchor + 1) / 2) + "\" y=\"" + num(std::round(at.y())) +
            "\" font-family=\"" + t.font(12, 400, type.mono).family().toUtf8() + "\" font-size=\"" + num(px(type.px)) +
            "\" font-weight=\"" + QByteArray::number(type.mono && type.weight >= 600 ? 700 : type.weight) + '"' +
            colour("fill", t.c(type.role)) + anchors[type.anchor + 1] + " xml:space=\"preserve\">" +
            markupText(s) + "</text>\n";
}
void SvgSheet::push(QPointF shift, const QPainterPath* clip, double opacity) {
  QByteArray g = "<g transform=\"translate(" + num(std::round(shift.x())) + ' ' + num(std::round(shift.y())) + ")\"";
  if (clip) {
    const QByteArray id = m_prefix + "c" + QByteArray::number(++m_clips);
    m_defs += "<clipPath id=\"" + id + "\"><path d=\"" + data(*clip) + "\"/></clipPath>\n";
    g += " clip-path=\"url(#" + id + ")\"";
  }
  if (opacity < 1) g += " opacity=\"" + num(opacity) + '"';
  m_body += g + ">\n";
}
QByteArray SvgSheet::fontFaces(const Theme& t, const Letters& letters) {
  QByteArray css;
  QStringList files = letters.keys();
  std::sort(files.begin(), files.end()); // hash order is random: goldens must not be
  for (const auto& file : files) {
    QFile f(t.dir() + "/fonts/" + file);
    if (!f.open(QIODevice::ReadOnly)) continue;
    const bool mono = file.contains("Mono");
    const int w = file.contains("Bold") ? (mono ? 700 : 600) : file.contains("Medium") ? 500 : 400;
    QRawFont raw(f.fileName(), 12);
    css += "@font-face{font-family:\"" + t.font(12, 400, mono).family().toUtf8() +
           "\";font-weight:" + QByteArray::number(w) + ";src:url(data:font/woff;base64," +
           woffSubset(f.readAll(), raw.glyphIndexesForString(letters[file])).toBase64() + ") format(\"woff\")}\n";
  }
  return css;
}

QByteArray SvgSheet::finish(bool embed, const QByteArray& head) {
  const QByteArray css = embed ? fontFaces(t, m_letters) : QByteArray();
  const QByteArray w = num(m_size.width()), h = num(m_size.height());
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + ' ' +
         h + "\">\n" + head + "<defs>\n" + (css.isEmpty() ? QByteArray() : "<style>\n" + css + "</style>\n") + m_defs +
         "</defs>\n" + m_body + "</svg>\n";
}

} // namespace cutaway::views
