// Font subset without a font library: unused outlines are blanked in place, then every table is deflated (WOFF 1).
// Glyph ids, metrics, cmap and kerning stay, so the text lays out as with the whole font. Formats: OpenType 1.9 (glyf,
// CFF 1), WOFF 1.0.
#include "kit/woff.h"

#include <QMap>
#include <QSet>
#include <QtEndian>
#include <zlib.h>

namespace cutaway::views {

namespace {
quint32 u32(const QByteArray& b, qsizetype at) {
  return qFromBigEndian<quint32>(b.constData() + at);
}
quint16 u16(const QByteArray& b, qsizetype at) {
  return qFromBigEndian<quint16>(b.constData() + at);
}

void blankGlyf(QByteArray& glyf, const QByteArray& loca, bool wide, QSet<uint> keep) {
  const auto off = [&](uint g) { return wide ? u32(loca, 4 * g) : 2u * u16(loca, 2 * g); };
  const uint n = uint(loca.size() / (wide ? 4 : 2)) - 1;
  QList<uint> todo(keep.begin(), keep.end());
  while (!todo.isEmpty()) { // composites keep their parts
    const uint g = todo.takeLast();
    if (g >= n || off(g) == off(g + 1) || qint16(u16(glyf, off(g))) >= 0) continue;
    for (qsizetype p = off(g) + 10;;) {
      const uint flags = u16(glyf, p), part = u16(glyf, p + 2);
      if (!keep.contains(part)) keep.insert(part), todo << part;
      p += 4 + (flags & 1 ? 4 : 2) + (flags & 8 ? 2 : flags & 0x40 ? 4 : flags & 0x80 ? 8 : 0);
      if (!(flags & 0x20)) break;
    }
  }
  for (uint g = 0; g < n; ++g) // zero contours: a legal empty glyph
    if (!keep.contains(g)) std::fill(glyf.begin() + off(g), glyf.begin() + off(g + 1), char(0));
}

qsizetype indexEnd(const QByteArray& c, qsizetype at, QList<quint32>* offsets = nullptr) {
  const int n = u16(c, at), size = n ? uchar(c[at + 2]) : 0;
  if (!n) return at + 2;
  quint32 v = 0;
  for (int i = 0; i <= n; ++i) {
    v = 0;
    for (int b = 0; b < size; ++b) v = v << 8 | uchar(c[at + 3 + i * size + b]);
    if (offsets) *offsets << quint32(at + 2 + (n + 1) * size) + v;
  }
  return at + 2 + (n + 1) * size + v;
}

void blankCff(QByteArray& cff, const QSet<uint>& keep) {
  QList<quint32> dicts, glyphs;
  indexEnd(cff, indexEnd(cff, uchar(cff[2])), &dicts); // header, names, top dict
  quint32 charStrings = 0, operand = 0;
  for (quint32 p = dicts[0]; p < dicts[1];) {
    const uint b = uchar(cff[p]);
    if (b == 28)
      operand = u16(cff, p + 1), p += 3;
    else if (b == 29)
      operand = u32(cff, p + 1), p += 5;
    else if (b == 30) {
      do ++p;
      while ((uchar(cff[p]) & 15) != 15 && (uchar(cff[p]) >> 4) != 15);
      ++p;
    } else if (b >= 247)
      p += 2;
    else if (b >= 32)
      ++p;
    else {
      if (b == 17) charStrings = operand;
      p += b == 12 ? 2 : 1;
    }
  }
  if (!charStrings) return;
  indexEnd(cff, charStrings, &glyphs);
  for (uint g = 1; g + 1 < uint(glyphs.size()); ++g) // 14 is endchar
    if (!keep.contains(g)) std::fill(cff.begin() + glyphs[g], cff.begin() + glyphs[g + 1], char(14));
}
} // namespace

QByteArray woffSubset(const QByteArray& sfnt, const QList<uint>& glyphs) {
  QSet<uint> keep(glyphs.begin(), glyphs.end());
  keep << 0;
  const int n = u16(sfnt, 4);
  QMap<QByteArray, QByteArray> tables; // sorted by tag, as both formats want
  for (int i = 0; i < n; ++i)
    tables[sfnt.mid(12 + 16 * i, 4)] = sfnt.mid(u32(sfnt, 20 + 16 * i), u32(sfnt, 24 + 16 * i));
  if (tables.contains("glyf")) blankGlyf(tables["glyf"], tables["loca"], u16(tables["head"], 50), keep);
  if (tables.contains("CFF ")) blankCff(tables["CFF "], keep);
  QByteArray directory, body;
  quint32 total = 12 + 16 * quint32(n);
  const auto be = [](quint32 v, int bytes = 4) {
    QByteArray b(4, 0);
    qToBigEndian(v, b.data());
    return b.right(bytes);
  };
  for (auto it = tables.cbegin(); it != tables.cend(); ++it) {
    uLongf size = compressBound(uLong(it->size()));
    QByteArray z(qsizetype(size), 0), padded = it.value() + QByteArray(-it->size() & 3, 0);
    compress2(reinterpret_cast<Bytef*>(z.data()), &size, reinterpret_cast<const Bytef*>(it->constData()),
              uLong(it->size()), 9);
    z.resize(qsizetype(size));
    if (z.size() >= it->size()) z = it.value();
    quint32 sum = 0;
    for (qsizetype p = 0; p < padded.size(); p += 4) sum += u32(padded, p);
    directory += it.key() + be(44 + 20 * quint32(n) + quint32(body.size())) + be(quint32(z.size())) +
                 be(quint32(it->size())) + be(sum);
    body += z + QByteArray(-z.size() & 3, 0);
    total += quint32(padded.size());
  }
  return "wOFF" + sfnt.left(4) + be(44 + 20 * quint32(n) + quint32(body.size())) + be(quint32(n), 2) + be(0, 2) +
         be(total) + be(1) + QByteArray(20, 0) + directory + body;
}

} // namespace cutaway::views
