// Theme: every colour, size and font of tokens.json. Load once; a role name such as "accent" gives its colour.
#pragma once
#include <QColor>
#include <QFont>
#include <QHash>
#include <QJsonObject>
#include <array>
#include <optional>

namespace cutaway::views {

enum class Hatch { Solid, Slash, Dot, Backslash, Cross };
enum class Level { Dots, Names, Types, Full };

/// An entity's look: stroke, tint over the canvas, hatch kind and the colour of its lines (alpha included).
struct Category {
  QColor stroke, fill, lines;
  Hatch hatch = Hatch::Solid;
};

QColor mix(const QColor& a, const QColor& b, double k); ///< k of a over b, in sRGB as QPainter blends.

class Theme {
 public:
  /// Reads DIR/tokens.json and registers DIR/fonts; nothing if a file, a font or the theme is missing (reason in *why).
  static std::optional<Theme> load(const QString& dir, const QString& name, QString* why);
  const QColor& c(const char* role) const;
  double size(const char* group, const char* key) const; ///< e.g. size("window", "stepper")
  const Category& category(int i) const { return m_category[size_t(i) % 12]; }
  QColor ramp(double at) const; ///< of a sequence (addresses, bytes, heat), 0 to 1; grey on paper
  Level level(double zoom) const; ///< Semantic zoom level of a scale.
  QFont font(double px, int weight = 400, bool mono = false) const;
  const QString& name() const { return m_name; }
  const QString& dir() const { return m_dir; }

 private:
  QString m_name, m_dir, m_ui, m_mono;
  QJsonObject m_json;
  QHash<QByteArray, QColor> m_colour;
  std::array<Category, 12> m_category;
  QList<QColor> m_ramp;
  std::array<double, 3> m_below{};
};

} // namespace cutaway::views
