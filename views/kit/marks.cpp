#include "kit/marks.h"

#include <cmath>

namespace cutaway::views {

void glyph(Sheet& s, Glyph g, QPointF at, const char* role, double z) {
  QPainterPath p;
  const QColor c = s.t.c(role);
  const auto lines = [&](std::initializer_list<std::array<double, 4>> list) {
    for (const auto& [a, b, x, y] : list) p.moveTo(a * z, b * z), p.lineTo(x * z, y * z);
  };
  switch (g) {
    case Glyph::None: return;
    case Glyph::Plus: lines({{-.7, 0, .7, 0}, {0, -.7, 0, .7}}); break;
    case Glyph::Minus: lines({{-.7, 0, .7, 0}}); break;
    case Glyph::Cross: lines({{-.6, -.6, .6, .6}, {.6, -.6, -.6, .6}}); break;
    case Glyph::Tilde:
      p.moveTo(-.8 * z, 1.5), p.quadTo(-.4 * z, -.7 * z, 0, 0), p.quadTo(.4 * z, .7 * z, .8 * z, -1.5);
      break;
    case Glyph::Refused: p.addEllipse(QPointF(0, 0), .72 * z, .72 * z), lines({{-.5, .5, .5, -.5}}); break;
    case Glyph::Tick: p.moveTo(-.7 * z, 0), p.lineTo(-.2 * z, .55 * z), p.lineTo(.65 * z, -.55 * z); break;
    case Glyph::Play: p.addPolygon(QPolygonF({{-.5 * z, -.7 * z}, {.7 * z, 0}, {-.5 * z, .7 * z}})); break;
    case Glyph::Diamond: p.addPolygon(QPolygonF({{0, -z}, {z, 0}, {0, z}, {-z, 0}})); break;
  }
  if (g == Glyph::Play || g == Glyph::Diamond)
    s.mark(at, p, {c});
  else
    s.mark(at, p, {}, {c, g == Glyph::Refused || g == Glyph::Cross ? 1.8 : 2., {}, g == Glyph::Tick});
}

void chevron(Sheet& s, QPointF at, QPointF tip, double width, const char* role) {
  const QPointF across(-tip.y(), tip.x());
  QPainterPath p(-tip / 2 + across * 1.2);
  p.lineTo(tip / 2), p.lineTo(-tip / 2 - across * 1.2);
  s.mark(at, p, {}, {s.t.c(role), width});
}

void tag(Sheet& s, QPointF at, const QString& text, int anchor, bool filled, const char* role) {
  const Type type{.px = 11, .role = filled ? "onAccent" : role, .weight = 500};
  const double w = s.width(text, type) + 12 / s.k, x = at.x() - w * (anchor + 1) / 2;
  const QColor tint = s.t.c(role);
  s.rect({x, at.y() - 9, w, 18}, 3, {filled ? tint : mix(tint, s.t.c("canvas"), .1)}, {tint, filled ? 0. : 1.});
  s.text({x + 6 / s.k, at.y()}, text, type);
}

namespace {
const Type pillName{.weight = 600};
const Type pillType{.px = 11, .role = "textSecondary", .mono = true};
// For hatch and stroke.
bool tooSmall(const Sheet& s, const QRectF& b) { return std::min(b.width(), b.height()) * s.k < 16; }

// Name and class of an op; over a category's colour on plates, for the hatch stops around words.
void rowOn(Sheet& s, const QRectF& b, bool solid, int category, const QString& name, const QString& opClass) {
  Type strong{.weight = 500}, small{.px = 11, .role = "textMuted"};
  if (category >= 0) {
    const Category& c = s.t.category(category);
    strong.role = solid ? "canvas" : "text", small.role = solid ? "canvas" : "textSecondary";
    strong.plate = small.plate = solid ? c.stroke : c.fill;
  }
  s.row(b, name, strong, opClass, small);
}

} // namespace

double pillWidth(const Sheet& s, const QString& name, const QString& type) {
  return s.width(name, pillName) + s.width(type, pillType) + 36 / s.k;
}

void pill(Sheet& s, QRectF b, const QString& name, const QString& type, bool constant) {
  s.rect(b, 13, {s.t.c("sunken")}, {s.t.c("lineStrong")});
  if (constant && b.height() * s.k >= 12) s.rect({b.left() + 8, b.top() + 6, 3, b.height() - 12}, 0, {s.t.c("lineStrong")});
  s.row(b.adjusted(12, 0, -12, 0), name, pillName, type, pillType);
}

void node(Sheet& s, QRectF b, const QString& name, const QString& opClass, bool eager, int category) {
  if (category >= 0) entity(s, b, category, 4);
  else s.rect(b, 4, {s.t.c(eager ? "sunken" : "raised")}, {s.t.c("lineStrong")});
  if (eager && b.height() * s.k > 14) s.rect(b.adjusted(3, 3, -3, -3), 2, {}, {s.t.c("lineStrong")});
  rowOn(s, b.adjusted(10, 0, -10, 0), tooSmall(s, b), category, name, eager ? "eager" : opClass);
}

void ghost(Sheet& s, QRectF b, const QString& name) {
  s.rect(b, 4, {}, {s.t.c("removed"), 1.5, {5, 3}});
  if (b.height() * s.k >= 11) s.text(b.center(), name, {.px = 11, .role = "textMuted", .anchor = 0, .room = b.width() - 8});
}

void entity(Sheet& s, QRectF b, int category, double radius, bool strong) {
  const auto& c = s.t.category(category);
  if (tooSmall(s, b)) {
    s.rect(b, 0, {c.stroke});
    return;
  }
  s.rect(b, radius, {c.fill, c.hatch, c.lines}, {c.stroke, strong ? 2.5 : 1.5});
}

void hull(Sheet& s, const Hull& h) {
  const QRectF& b = h.box;
  entity(s, b, h.category, 10, h.firing);
  const bool solid = tooSmall(s, b), rows = 22 * s.k >= 10; // else no rows: the name alone
  const auto& c = s.t.category(h.category); // the hatch stops around words
  if (b.width() * s.k >= 60)
    s.row({b.left() + 12, b.top(), b.width() - 24, rows ? 27 : b.height()}, h.title,
          {.role = solid ? "canvas" : "text", .weight = 600, .plate = solid ? c.stroke : c.fill}, rows ? h.saved : QString(),
          {.px = 11, .role = "textSecondary", .plate = c.fill});
  for (int i = 0; rows && i < h.members.size(); ++i) {
    const Member& m = h.members[i];
    const QRectF row(b.left() + 6, b.top() + 26 + 24 * i, b.width() - 12, 22);
    const bool lit = m.firing || m.selected;
    s.rect(row, 4, {s.t.c(m.selected ? "selection" : "raised")}, {s.t.c(lit ? "accent" : "line"), lit ? 2. : 1.});
    if (m.category >= 0) entity(s, row, m.category, 2); // plates of words stay clear of its outline
    rowOn(s, row.adjusted(8, 0, -8, 0), tooSmall(s, row), m.category, m.name, m.opClass);
  }
}

void stack(Sheet& s, QRectF b, const QString& name, const QString& note) {
  if (std::min(b.width(), b.height()) * s.k < 8) {
    s.rect(b, 0, {s.t.c("lineStrong")});
    return;
  }
  const double behind = 4 / std::max(1., s.k);
  s.rect(b.translated(behind, behind), 4, {s.t.c("sunken")}, {s.t.c("lineStrong")});
  s.rect(b, 4, {s.t.c("sunken")}, {s.t.c("lineStrong")});
  if (b.width() * s.k >= 60) s.row(b.adjusted(12, 0, -12, 0), name, {.weight = 600}, note, {.px = 11, .role = "textMuted"});
}

void arrowHead(Sheet& s, QPointF tip, QPointF d, const char* role, double z) {
  d /= std::max(1e-9, std::hypot(d.x(), d.y()));
  const QPointF n(-d.y(), d.x());
  QPainterPath p;
  p.addPolygon(QPolygonF({{0, 0}, -d * z * 1.6 + n * z * .7, -d * z * 1.6 - n * z * .7}));
  p.closeSubpath();
  s.mark(tip, p, {s.t.c(role)});
}

void route(Sheet& s, const QPolygonF& pts, const char* role, double width, QList<double> dash, bool arrow) {
  if (pts.size() < 2) return;
  QPainterPath p(pts.first());
  const auto unit = [](QPointF v) { return v / std::max(1e-9, std::hypot(v.x(), v.y())); };
  for (int i = 1; i + 1 < pts.size(); ++i) {
    const QPointF in = pts[i] - pts[i - 1], out = pts[i + 1] - pts[i];
    const double r = std::min({10 / std::max(1., s.k), std::hypot(in.x(), in.y()) / 2, std::hypot(out.x(), out.y()) / 2});
    p.lineTo(pts[i] - unit(in) * r), p.quadTo(pts[i], pts[i] + unit(out) * r);
  }
  const QPointF d = unit(pts.last() - pts[pts.size() - 2]);
  p.lineTo(pts.last() - d * (arrow ? 2 : 0) / s.k);
  s.path(p, {}, {s.t.c(role), width, dash});
  if (arrow && s.k >= .3) arrowHead(s, pts.last(), d, role);
}

void edgeLabel(Sheet& s, QPointF at, const QString& type, const QString& bytes, int anchor) {
  if (s.level < Level::Types) return;
  const QColor plate = s.t.c("canvas");
  s.text(at, type, {.px = 11, .role = "textSecondary", .mono = true, .anchor = anchor, .plate = s.k < 1 ? plate : QColor()});
  if (s.k >= .75)
    s.text(at + QPointF(0, 14 / std::min(1., s.k)), bytes, {.px = 11, .role = "textMuted", .anchor = anchor, .plate = s.k < 1 ? plate : QColor()});
}

void nameIn(Sheet& s, QPointF at, double room, const QString& name, const QString& scope, int weight) {
  const Type type{.weight = weight, .room = room}, quiet{.px = 11, .role = "textMuted"};
  s.text(at, name, type);
  const double left = room - s.width(name, type) - 10 / s.k;
  QString rest = scope, shown = scope; // the inner scopes say more
  while (s.width(shown, quiet) > left && rest.contains('/')) rest = rest.section('/', 1), shown = QString(QChar(0x2026)) + '/' + rest;
  if (!shown.isEmpty() && s.width(shown, quiet) <= left) s.text({at.x() + room - left, at.y()}, shown, quiet);
}

void selectionRing(Sheet& s, QRectF b, double radius) {
  const double gap = 3 / s.k;
  s.rect(b.adjusted(-gap, -gap, gap, gap), radius + 3, {}, {s.t.c("accent"), 2});
}

void emptyNote(Sheet& s, QSizeF size, const QString& why, const QString& what) {
  const double width = std::min(420., size.width() - 48), left = (size.width() - width) / 2;
  double y = std::max(48., size.height() * .38);
  y = s.para({left, y}, width, 22, why, {.px = 15, .weight = 600});
  s.para({left, y + 6}, width, 18, what, {.role = "textSecondary"});
}

} // namespace cutaway::views
