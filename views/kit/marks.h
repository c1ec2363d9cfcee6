#pragma once
#include "kit/sheet.h"

// The vocabulary of VISUAL.md sections 4 and 6 on any sheet: states as glyphs, entities as hatched shapes, edges.
namespace cutaway::views {

enum class Glyph { None, Plus, Minus, Tilde, Refused, Tick, Play, Diamond, Cross };
void glyph(Sheet& s, Glyph g, QPointF at, const char* role, double size = 7);
// A small box of words. `anchor` as in Type; filled: white on accent.
void tag(Sheet& s, QPointF at, const QString& text, int anchor, bool filled, const char* role = "accent");
// An arrow head without a shaft, pointing along `tip`, of a button or a breadcrumb.
void chevron(Sheet& s, QPointF at, QPointF tip, double width, const char* role);

// A value of the model's border: name and type in a rounded box.
void pill(Sheet& s, QRectF box, const QString& name, const QString& type, bool constant = false);
double pillWidth(const Sheet& s, const QString& name, const QString& type);
// A node alone; `eager`: it runs outside compiled code. `category`: its colour; -1: none.
void node(Sheet& s, QRectF box, const QString& name, const QString& opClass, bool eager = false, int category = -1);
void ghost(Sheet& s, QRectF box, const QString& name);
// Fill, hatch and stroke of a category; a plain patch where there is no room for them.
void entity(Sheet& s, QRectF box, int category, double radius, bool strong = false);

struct Member {
  QString name, opClass;
  bool firing = false, selected = false;
  int category = -1; // its own colour; -1: none
};
struct Hull {
  QRectF box;
  int category = 0;
  QString title, saved;
  QList<Member> members;
  bool firing = false;
};
// A fused group: its members are rows without edges, for the values between them are not in memory.
void hull(Sheet& s, const Hull& h);
// A closed scope: a box with a second edge behind it.
void stack(Sheet& s, QRectF box, const QString& name, const QString& note);

// Orthogonal line through the points, corners rounded by 10 px, arrow at the end.
void route(Sheet& s, const QPolygonF& points, const char* role = "edge", double width = 1.5, QList<double> dash = {}, bool arrow = true);
void arrowHead(Sheet& s, QPointF tip, QPointF direction, const char* role, double size = 5);
void edgeLabel(Sheet& s, QPointF at, const QString& type, const QString& bytes, int anchor = -1);
// A name, and after it, muted, the scopes it stands in: without the outer ones, or none, where `room` does not hold all.
void nameIn(Sheet& s, QPointF leftMiddle, double room, const QString& name, const QString& scope, int weight = 400);
// Two px of accent, two px away.
void selectionRing(Sheet& s, QRectF box, double radius);
// What an empty view says: why there is nothing, and what to do.
void emptyNote(Sheet& s, QSizeF size, const QString& why, const QString& what);

} // namespace cutaway::views
