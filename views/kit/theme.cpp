#include "kit/theme.h"
#include <QFile>
#include <QFontDatabase>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMap>
#include <algorithm>

// The tokens and fonts that are linked in; a static library's resources must be asked for.
static void useResources() {
  Q_INIT_RESOURCE(visual);
}

namespace cutaway::views {

QColor mix(const QColor& a, const QColor& b, double k) {
  auto m = [k](int x, int y) { return qRound(x * k + y * (1 - k)); };
  return {m(a.red(), b.red()), m(a.green(), b.green()), m(a.blue(), b.blue())};
}

std::optional<Theme> Theme::load(const QString& dir, const QString& name, QString* why) {
  useResources();
  QFile f(dir + "/tokens.json");
  if (!f.open(QIODevice::ReadOnly)) {
    *why = f.fileName() + ": " + f.errorString();
    return {};
  }
  QJsonParseError err;
  const auto json = QJsonDocument::fromJson(f.readAll(), &err).object();
  const auto roles = json["theme"][name].toObject();
  if (roles.isEmpty()) {
    *why = err.errorString() + "; theme " + name;
    return {};
  }
  Theme t;
  t.m_name = name, t.m_dir = dir, t.m_json = json;
  static bool fontsLoaded = false; // once a process
  for (const auto& file : json["font"]["files"].toArray())
    if (!fontsLoaded && QFontDatabase::addApplicationFont(dir + "/fonts/" + file.toString()) < 0) {
      *why = "cannot load font " + file.toString();
      return {};
    }
  fontsLoaded = true;
  t.m_ui = json["font"]["ui"].toString(), t.m_mono = json["font"]["mono"].toString();
  for (auto it = roles.begin(); it != roles.end(); ++it) t.m_colour[it.key().toLatin1()] = QColor(it->toString());
  const QString key = name == "paper" ? "light" : name;
  const QMap<QString, Hatch> kinds{
      {"solid", Hatch::Solid}, {"slash", Hatch::Slash}, {"dot", Hatch::Dot}, {"backslash", Hatch::Backslash}};
  for (int i = 0; i < 12; ++i) {
    const auto o = json["category"][i].toObject();
    auto& cat = t.m_category[size_t(i)];
    cat.stroke = QColor(o[key].toString());
    cat.fill = mix(cat.stroke, t.c("canvas"), json["categoryFill"][key].toDouble());
    cat.lines = cat.stroke;
    cat.lines.setAlphaF(float(json["categoryFill"]["hatch"][key].toDouble()));
    cat.hatch = kinds[o["hatch"].toString()];
  }
  for (const auto& stop : json["ramp"][key].toArray()) {
    const QColor colour(stop.toString());
    const int grey = qGray(colour.rgb());
    t.m_ramp << (name == "paper" ? QColor(grey, grey, grey) : colour);
  }
  if (t.m_ramp.size() < 2) return *why = "no ramp for theme " + name, std::nullopt;
  for (int i = 0; i < 3; ++i) t.m_below[size_t(i)] = json["semanticZoom"][i]["below"].toDouble();
  return t;
}

const QColor& Theme::c(const char* role) const {
  const auto it = m_colour.constFind(QByteArray::fromRawData(role, int(qstrlen(role))));
  if (it == m_colour.cend()) qFatal("no colour role %s", role);
  return *it;
}

double Theme::size(const char* group, const char* key) const {
  return m_json[QLatin1String(group)][QLatin1String(key)].toDouble();
}

QColor Theme::ramp(double at) const {
  const double scaled = std::clamp(at, 0., 1.) * double(m_ramp.size() - 1);
  const qsizetype low = std::min(qsizetype(scaled), m_ramp.size() - 2);
  return mix(m_ramp[low + 1], m_ramp[low], scaled - double(low));
}

Level Theme::level(double zoom) const {
  int i = 0;
  while (i < 3 && zoom >= m_below[size_t(i)]) ++i;
  return Level(i);
}

QFont Theme::font(double px, int weight, bool mono) const {
  QFont f(mono ? m_mono : m_ui);
  f.setPixelSize(qRound(px)); // whole pixels only in Qt 6.4
  f.setWeight(QFont::Weight(mono && weight >= 600 ? 700 : weight));
  f.setHintingPreference(QFont::PreferNoHinting); // linear advances: the same layout at every scale and in exports
  return f;
}

} // namespace cutaway::views
