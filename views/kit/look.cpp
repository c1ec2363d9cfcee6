#include "kit/look.h"

#include <cstring>
#include <utility>

namespace cutaway::views {

Look::Look(const QString& theme, QObject* parent) : QObject(parent) {
  setTheme("light");
  setTheme(theme);
}

void Look::setTheme(const QString& name) {
  auto found = m_themes.find(name);
  if (found == m_themes.end()) {
    QString why;
    auto loaded = Theme::load(":/visual", name, &why);
    if (!loaded && m_theme) return;
    if (!loaded) qFatal("theme %s: %s", qPrintable(name), qPrintable(why));
    found = m_themes.emplace(name, std::move(*loaded)).first;
  }
  if (m_theme == &found->second) return;
  m_theme = &found->second;
  emit changed();
}

void Look::setColourBy(ColourBy colourBy) {
  if (std::exchange(m_colourBy, colourBy) != colourBy) emit changed();
}

int Look::duration(const char* name) const {
  if (m_reduced && std::strcmp(name, "fade") != 0) return 0;
  return int(m_theme->size("motion", name));
}

} // namespace cutaway::views
