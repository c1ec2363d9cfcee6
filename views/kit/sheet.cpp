#include "kit/sheet.h"
#include <QCache>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPathStroker>
#include <cmath>

namespace cutaway::views {

namespace {
// Lines of whole words, none wider than `room` unless one word is; at least one.
template <class Width>
QStringList broken(const QString& s, double room, Width&& width) {
  QStringList out;
  QString line;
  for (const QString& word : s.split(' ', Qt::SkipEmptyParts)) {
    const QString next = line.isEmpty() ? word : line + ' ' + word;
    if (!line.isEmpty() && width(next) > room) {
      out += line;
      line = word;
    } else {
      line = next;
    }
  }
  out += line;
  return out;
}
} // namespace

double textWidth(const Theme& theme, const QString& s, const Type& type) {
  return QFontMetricsF(theme.font(qRound(type.px), type.weight, type.mono)).horizontalAdvance(s);
}
QStringList textLines(const Theme& theme, const QString& s, double room, const Type& type) {
  const QFontMetricsF metrics(theme.font(qRound(type.px), type.weight, type.mono));
  return broken(s, room, [&](const QString& text) { return metrics.horizontalAdvance(text); });
}

// ---- shared ----
double Sheet::px(double base) const { // constant between 0.6 and 1.6, then with the zoom; never under 10 px
  const double v = k < .6 ? base * k / .6 : k > 1.6 ? base * k / 1.6 : base;
  return std::max(10., double(qRound(v)));
}

const Prepared& Sheet::prepare(const QString& s, const Type& type) const {
  using Key = std::pair<QString, int>;
  thread_local QCache<Key, Prepared> cache(40000); // files are drawn in threads of their own
  const int px10 = qRound(px(type.px));
  const Key key(s, px10 * 10000 + type.weight * 2 + type.mono);
  if (auto* hit = cache.object(key)) return *hit;
  auto* p = new Prepared;
  const QFont font = t.font(px10, type.weight, type.mono);
  const QFontMetricsF fm(font);
  p->text.setText(s), p->text.setTextFormat(Qt::PlainText), p->text.setPerformanceHint(QStaticText::AggressiveCaching);
  p->text.prepare({}, font);
  p->width = fm.horizontalAdvance(s), p->ascent = fm.ascent();
  cache.insert(key, p);
  return *p;
}

bool Sheet::text(QPointF at, const QString& s, const Type& type) {
  if (s.isEmpty()) return false;
  QString shown = s;
  if (type.room > 0 && prepare(s, type).width > type.room * k) {
    int n = int(s.size() * type.room * k / prepare(s, type).width) + 1;
    const auto cut = [&] {
      return s.contains(' ') ? s.left(n).trimmed() + QChar(0x2026)
                             : s.left((n + 1) / 2) + QChar(0x2026) + s.right(n / 2);
    };
    while (n >= 3 && prepare(shown = cut(), type).width > type.room * k) --n;
    if (n < 3) return false;
  }
  const auto& p = prepare(shown, type);
  const double size = px(type.px);
  const QPointF base(at.x() * k - p.width * (type.anchor + 1) / 2, at.y() * k + size * .364);
  if (type.plate.isValid())
    rawRect({base.x() - 3, base.y() - size * .74 - 2, p.width + 6, size * .94 + 4}, 3, {type.plate}, {{}, 0});
  rawText(base, shown, type, p);
  return true;
}

void Sheet::row(QRectF r, const QString& name, const Type& a, const QString& note, const Type& b) {
  if (r.height() * k < px(a.px)) return; // left out, not shrunk
  Type left = a, right = b;
  left.room = r.width(), right.anchor = 1;
  text({r.left(), r.center().y()}, name, left);
  if (level >= Level::Types && width(name, a) + width(note, b) + 8 / k <= r.width())
    text({r.right(), r.center().y()}, note, right);
}

double Sheet::para(QPointF at, double width, double lead, const QString& s, const Type& type) {
  for (const QString& line : broken(s, width * k, [&](const QString& text) { return prepare(text, type).width; })) {
    text(at, line, type);
    at.ry() += lead;
  }
  return at.y();
}

void Sheet::mark(QPointF at, const QPainterPath& px, const Fill& f, const Stroke& s) {
  rawPath(px.translated(at * k), f, s);
}
void Sheet::rect(QRectF r, double radius, const Fill& f, const Stroke& s) {
  r = {r.topLeft() * k, r.size() * k};
  if (s.width == 1) // both edges on half pixels: crisp at any device pixel ratio
    r = QRectF(QPointF(snap(r.left()), snap(r.top())), QPointF(snap(r.right()), snap(r.bottom())));
  rawRect(r, std::min({radius, r.width() / 2, r.height() / 2}), f, s);
}
void Sheet::rawRect(QRectF r, double radius, const Fill& f, const Stroke& s) {
  QPainterPath p;
  if (radius > 0)
    p.addRoundedRect(r, radius, radius);
  else
    p.addRect(r);
  rawPath(p, f, s);
}
void Sheet::line(QPointF a, QPointF b, const Stroke& s) {
  a *= k, b *= k;
  if (s.width == 1) a = {snap(a.x()), snap(a.y())}, b = {snap(b.x()), snap(b.y())};
  QPainterPath p(a);
  p.lineTo(b);
  rawPath(p, {}, s);
}
void Sheet::rects(const QList<QRect>& pixels, const Fill& f) {
  for (const auto& r : pixels) rawRect(r, 0, f, {{}, 0});
}
QRect Sheet::pixels(QRectF r) const {
  const QPoint a((r.topLeft() * k).toPoint()), b((r.bottomRight() * k).toPoint());
  return {a, QSize(std::max(1, b.x() - a.x()), std::max(1, b.y() - a.y()))};
}

QPainterPath hatchCell(Hatch kind, double T) {
  QPainterPath lines, dots;
  const auto diagonal = [&](bool up) {
    for (double d : {-T, 0., T}) // and the corners of the neighbours, so that cells join
      lines.moveTo(d - 1, up ? T + 1 : -1), lines.lineTo(d + T + 1, up ? -1 : T + 1);
  };
  if (kind == Hatch::Dot) {
    dots.addEllipse(QPointF(T / 4, T / 4), 1.265, 1.265), dots.addEllipse(QPointF(T * .75, T * .75), 1.265, 1.265);
    return dots;
  }
  if (kind != Hatch::Backslash) diagonal(true);
  if (kind != Hatch::Slash) diagonal(false);
  QPainterPathStroker st;
  st.setWidth(1.1), st.setCapStyle(Qt::FlatCap);
  QPainterPath cell;
  cell.addRect(0, 0, T, T);
  return st.createStroke(lines).intersected(cell);
}

// ---- QPainter ----
PainterSheet::PainterSheet(QPainter& p, const Theme& t, double zoom, bool vector)
    : Sheet(t, zoom), m_p(p), m_vector(vector) {
  p.save();
  if (!vector) {
    // deviceTransform() also holds the device pixel ratio and the widget's place in the window, which is a fraction
    // at 1.25
    m_dpr = p.device()->devicePixelRatioF();
    const QTransform dev = p.deviceTransform(), world = p.worldTransform();
    p.setWorldTransform(QTransform::fromTranslate(world.dx() + (std::round(dev.dx()) - dev.dx()) / m_dpr,
                                                  world.dy() + (std::round(dev.dy()) - dev.dy()) / m_dpr));
  }
  p.setRenderHint(QPainter::Antialiasing);
}
PainterSheet::~PainterSheet() {
  m_p.restore();
}

QPen PainterSheet::pen(const Stroke& s) const {
  if (s.width <= 0 || !s.color.isValid()) return Qt::NoPen;
  const double w = s.width == 1 && !m_vector ? hair() / m_dpr : s.width;
  QPen pen(s.color, w, Qt::SolidLine, s.round ? Qt::RoundCap : Qt::FlatCap, s.round ? Qt::RoundJoin : Qt::MiterJoin);
  if (!s.dash.isEmpty()) {
    QList<double> d;
    for (double v : s.dash) d << v / w; // Qt counts dashes in pen widths
    pen.setDashPattern(d);
  }
  return pen;
}

void PainterSheet::vectorHatch(const QPainterPath& path, const Fill& f) { // PDF: a texture would become a bitmap
  const QPainterPath cell = hatchCell(f.hatch, f.step);
  const QRectF b = path.boundingRect();
  m_p.save();
  m_p.setClipPath(path, Qt::IntersectClip);
  for (double y = std::floor(b.top() / f.step) * f.step; y < b.bottom(); y += f.step)
    for (double x = std::floor(b.left() / f.step) * f.step; x < b.right(); x += f.step)
      m_p.fillPath(cell.translated(x, y), f.lines);
  m_p.restore();
}

QBrush PainterSheet::hatchBrush(const Fill& f) const {
  // The tile holds as many cells as make it whole device pixels (5/4: two cells of 12.5), so that nothing is resampled.
  int cells = 1;
  while (cells < 4 && std::abs(cells * f.step * m_dpr - qRound(cells * f.step * m_dpr)) > .01) ++cells;
  const int side = qRound(cells * f.step * m_dpr);
  thread_local QHash<QByteArray, QImage> tiles;
  QImage& tile = tiles[QByteArray::number(int(f.hatch) * 100 + cells) + '/' + QByteArray::number(side) +
                       f.lines.name(QColor::HexArgb).toLatin1()];
  if (tile.isNull()) {
    tile = QImage(side, side, QImage::Format_ARGB32_Premultiplied);
    tile.fill(0);
    QPainter p(&tile);
    p.setRenderHint(QPainter::Antialiasing);
    p.scale(double(side) / (cells * f.step), double(side) / (cells * f.step));
    QPainterPath all;
    for (int i = 0; i < cells * cells; ++i)
      all.addPath(hatchCell(f.hatch, f.step).translated(i % cells * f.step, i / cells * f.step));
    p.fillPath(all, f.lines);
  }
  QBrush brush(tile);
  brush.setTransform(QTransform::fromScale(1 / m_dpr, 1 / m_dpr)); // one tile pixel = one device pixel: plain blit
  return brush;
}

void PainterSheet::paint(QPainter& p, const QPainterPath& path, const Fill& f, const Stroke& s) {
  if (f.color.isValid() && f.hatch != Hatch::Solid) p.fillPath(path, f.color);
  if (m_vector && f.hatch != Hatch::Solid) vectorHatch(path, f);
  const bool plain = f.hatch == Hatch::Solid && f.color.isValid(), tiled = f.hatch != Hatch::Solid && !m_vector;
  p.setPen(pen(s)), p.setBrush(plain ? QBrush(f.color) : tiled ? hatchBrush(f) : QBrush(Qt::NoBrush)), p.drawPath(path);
}
void PainterSheet::rawPath(const QPainterPath& path, const Fill& f, const Stroke& s) {
  paint(m_p, path, f, s);
}

void PainterSheet::rawRect(QRectF r, double radius, const Fill& f, const Stroke& s) {
  // Rounded hairline boxes sit on the pixel grid and repeat by the thousand: rasterised once a size, then blitted.
  const QSizeF size = r.size() * m_dpr;
  if (m_vector || radius <= 0 || s.width != 1 || !s.dash.isEmpty() || f.hatch != Hatch::Solid ||
      size.width() * size.height() > 40000)
    return Sheet::rawRect(r, radius, f, s);
  using Key = std::array<uint, 6>;
  thread_local QHash<QByteArray, QImage> plates;
  const Key key{uint(qRound(size.width())),
                uint(qRound(size.height())),
                uint(radius * 10),
                f.color.isValid() ? f.color.rgba() : 0,
                s.color.rgba(),
                uint(m_dpr * 100)};
  if (plates.size() > 4000) plates.clear();
  QImage& plate = plates[QByteArray(reinterpret_cast<const char*>(key.data()), sizeof key)];
  if (plate.isNull()) {
    plate = QImage(int(key[0]) + 2, int(key[1]) + 2, QImage::Format_ARGB32_Premultiplied);
    plate.fill(0), plate.setDevicePixelRatio(m_dpr);
    QPainter p(&plate);
    p.setRenderHint(QPainter::Antialiasing);
    QPainterPath path;
    path.addRoundedRect(QRectF(QPointF(hair(), hair()) / 2 / m_dpr, r.size()), radius, radius);
    paint(p, path, f, s);
  }
  m_p.drawImage(QPointF(r.left() - hair() / 2 / m_dpr, r.top() - hair() / 2 / m_dpr), plate);
}

void PainterSheet::rects(const QList<QRect>& pixels,
                         const Fill& f) { // QRect, not QRectF: that one goes through the path rasteriser
  if (pixels.isEmpty()) return;
  m_p.setRenderHint(QPainter::Antialiasing, false), m_p.setPen(Qt::NoPen),
      m_p.setBrush(f.hatch == Hatch::Solid ? QBrush(f.color) : hatchBrush(f));
  m_p.drawRects(pixels), m_p.setRenderHint(QPainter::Antialiasing);
}

void PainterSheet::rawText(QPointF at, const QString& s, const Type& type, const Prepared& p) {
  m_p.setPen(t.c(type.role)), m_p.setFont(t.font(px(type.px), type.weight, type.mono));
  if (m_vector)
    m_p.drawText(at, s);
  else
    m_p.drawStaticText(QPointF(at.x(), std::round(std::round(at.y()) * m_dpr) / m_dpr - p.ascent), p.text);
}

void PainterSheet::push(QPointF shift, const QPainterPath* clip, double opacity) {
  m_p.save();
  m_p.translate(std::round(shift.x() * k * m_dpr) / m_dpr, std::round(shift.y() * k * m_dpr) / m_dpr);
  if (clip) m_p.setClipPath(scaled(*clip), Qt::IntersectClip);
  m_p.setOpacity(m_p.opacity() * opacity);
}
void PainterSheet::pop() {
  m_p.restore();
}

} // namespace cutaway::views
