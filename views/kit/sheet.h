// Sheet: the one surface all views draw on. Backends: QPainter (screen, PNG, PDF) and SVG.
// Geometry is in scene units and is multiplied by the zoom k; strokes, hatches, glyphs and text are in pixels.
#pragma once
#include "kit/theme.h"
#include <QPainterPath>
#include <QStaticText>

namespace cutaway::views {

struct Fill {
  QColor color{};
  Hatch hatch = Hatch::Solid;
  QColor lines{};
  double step = 10;
};
struct Stroke {
  QColor color{};
  double width = 1;
  QList<double> dash{};
  bool round = false;
}; ///< dash in pixels, as in SVG
struct Type {
  double px = 12;
  const char* role = "text";
  int weight = 400;
  bool mono = false;
  int anchor = -1; ///< -1 start, 0 middle, 1 end
  double room =
      0;          ///< width in scene units: names are cut in the middle, sentences at the end; left out under 3 letters
  QColor plate{}; ///< colour of a plate under the text
};
struct Prepared {
  QStaticText text;
  double width = 0, ascent = 0;
};

/// What a text takes at zoom 1, for layouts that are made before anything is drawn; the lines that Sheet::para breaks it into.
double textWidth(const Theme& theme, const QString& s, const Type& type);
QStringList textLines(const Theme& theme, const QString& s, double room, const Type& type = {});

class Sheet {
 public:
  Sheet(const Theme& theme, double zoom) : t(theme), k(zoom), level(theme.level(zoom)) {}
  virtual ~Sheet() = default;
  const Theme& t;
  const double k;
  const Level level;

  void path(const QPainterPath& p, const Fill& f = {}, const Stroke& s = {{}, 0}) {
    rawPath(k == 1 ? p : scaled(p), f, s);
  }
  void mark(QPointF at, const QPainterPath& px, const Fill& f = {},
            const Stroke& s = {{}, 0}); ///< pixel path at a scene point
  void rect(QRectF r, double radius, const Fill& f = {},
            const Stroke& s = {{}, 0}); ///< hairlines land on the pixel grid
  void line(QPointF a, QPointF b, const Stroke& s);
  bool text(QPointF leftMiddle, const QString& s,
            const Type& type = {}); ///< vertical middle of the capitals; false: left out
  double para(QPointF firstMiddle, double width, double lead, const QString& s,
              const Type& type = {}); ///< y after the last line
  /// A name at the left and a note at the right of one row; the note is left out if both do not fit.
  void row(QRectF r, const QString& name, const Type& nameType, const QString& note, const Type& noteType);
  double width(const QString& s, const Type& type) const { return prepare(s, type).width / k; }
  double px(double base) const; ///< text size at this zoom

  virtual void push(QPointF shift, const QPainterPath* clip = nullptr, double opacity = 1) = 0;
  virtual void pop() = 0;
  virtual void rects(const QList<QRect>& pixels, const Fill& f); ///< many square fills at once, not smoothed
  QRect pixels(QRectF r) const;                                  ///< whole pixels of a scene rectangle, at least 1x1

 protected:
  virtual void rawPath(const QPainterPath& px, const Fill&, const Stroke&) = 0;
  virtual void rawRect(QRectF px, double radius, const Fill&, const Stroke&);
  virtual void rawText(QPointF baseline, const QString& s, const Type&, const Prepared&) = 0;
  virtual double grid() const { return 1; } ///< device pixels per pixel
  const Prepared& prepare(const QString& s, const Type& type) const;
  double hair() const { return std::max(1., std::floor(grid())); } ///< a hairline in whole device pixels
  double snap(double v) const { return (std::floor(v * grid() + 1e-6) + hair() / 2) / grid(); }
  QPainterPath scaled(const QPainterPath& p) const { return QTransform::fromScale(k, k).map(p); }
};

/// Unit cell of a hatch, 10 px square: the same path for the raster tile, the SVG pattern and the PDF lines.
QPainterPath hatchCell(Hatch kind, double step);

class PainterSheet : public Sheet {
 public:
  /// The painter may carry a zoom (a graphics item's): it is replaced by its translation, moved to whole device pixels.
  PainterSheet(QPainter& p, const Theme& t, double zoom = 1, bool vector = false);
  ~PainterSheet() override;
  void push(QPointF shift, const QPainterPath* clip, double opacity) override;
  void pop() override;
  void rects(const QList<QRect>& pixels, const Fill& f) override;

 protected:
  void rawPath(const QPainterPath& p, const Fill& f, const Stroke& s) override;
  void rawRect(QRectF r, double radius, const Fill& f, const Stroke& s) override;
  void rawText(QPointF at, const QString& s, const Type& type, const Prepared& p) override;
  double grid() const override { return m_dpr; }

 private:
  QBrush hatchBrush(const Fill& f) const;
  void vectorHatch(const QPainterPath& p, const Fill& f);
  void paint(QPainter& p, const QPainterPath& path, const Fill& f, const Stroke& s);
  QPen pen(const Stroke& s) const;
  QPainter& m_p;
  double m_dpr = 1;
  bool m_vector;
};

} // namespace cutaway::views
