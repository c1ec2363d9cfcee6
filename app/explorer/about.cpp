#include "explorer/about.h"

namespace cutaway::explorer {

QString step_name(const views::Place& place) {
  const size_t count = place.trace() ? place.trace()->steps().size() : 0;
  return count ? QString("step %1 of %2").arg(place.step + 1).arg(count) : QString();
}

views::About about(const views::Place& place, const views::ViewRow& view, const views::Theme& theme, const QString& steps) {
  views::About out;
  if (!place.document) return out;
  const trace::Document& d = *place.document;
  out.title = QStringList{views::qt(d.model), QString(view.title).toLower(), steps}.join(", ");
  if (steps.isEmpty()) out.title.chop(2);
  const auto add = [&](const char* name, const QString& value) {
    if (!value.isEmpty()) out.facts.append({name, value});
  };
  add("Model", views::qt(d.model));
  add("Hash", views::qt(d.hash));
  if (d.traces.size() > 1 && place.trace()) add("Segment", views::qt(place.trace()->name));
  add("View", view.id);
  add("Shown", steps);
  add("Device", views::qt(d.device));
  QStringList settings;
  for (const trace::Attribute& a : d.settings) settings << views::qt(a.name) + "=" + views::qt(a.value);
  add("Settings", settings.join(", "));
  add("Theme", theme.name());
  add("Version", "Cutaway " + views::qt(d.version));
  return out;
}

} // namespace cutaway::explorer
