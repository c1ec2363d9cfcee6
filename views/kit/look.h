#pragma once
#include "kit/theme.h"

#include <QObject>

#include <map>

namespace cutaway::views {

// What the colours of the graph tell: which kernel an op is in, or what kind of op it is.
enum class ColourBy { entity, opClass };

// The theme in force, what colours tell and how things move. Themes stay loaded: what was drawn with one may be kept after a change.
class Look : public QObject {
  Q_OBJECT
 public:
  explicit Look(const QString& theme = "light", QObject* parent = nullptr);
  const Theme& theme() const { return *m_theme; }
  void setTheme(const QString& name);
  ColourBy colourBy() const { return m_colourBy; }
  void setColourBy(ColourBy colourBy);
  bool reducedMotion() const { return m_reduced; }
  void setReducedMotion(bool reduced) { m_reduced = reduced; }
  // ms of a motion by its name in tokens.json; 0 where motion is reduced (fades stay).
  int duration(const char* name) const;

 signals:
  void changed();

 private:
  std::map<QString, Theme> m_themes;
  const Theme* m_theme = nullptr;
  ColourBy m_colourBy = ColourBy::entity;
  bool m_reduced = false;
};

} // namespace cutaway::views
