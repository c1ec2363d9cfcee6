#include "explorer/settings_menu.h"

#include "backend/cuda/device_model.h"
#include "passes/passes.h"
#include "plan/pack/pack.h"

namespace cutaway::explorer {
namespace {

using Chosen = std::function<void(const QString& key, const QString& value)>;

void addChoices(QMenu& menu, const Pane& pane, const QString& key, const QStringList& values, const Chosen& chosen) {
  const QString now = pane.setting(key);
  QMenu* sub = menu.addMenu(QString("%1 = %2").arg(key, now));
  for (const QString& value : values) {
    QAction* action = sub->addAction(value, sub, [chosen, key, value] { chosen(key, value); });
    action->setCheckable(true), action->setChecked(value == now);
  }
}

// Each pass on or off; the setting lists those that are off.
void addPasses(QMenu& menu, const Pane& pane, const Chosen& chosen) {
  QMenu* sub = menu.addMenu("passes.off");
  const QStringList off = pane.setting("passes.off").split(',', Qt::SkipEmptyParts);
  for (const passes::PassRow& row : passes::all_passes()) {
    const QString name = row.name;
    QStringList other = off;
    if (!other.removeOne(name)) other << name;
    QAction* action = sub->addAction(name + ": " + row.summary, sub, [chosen, other] { chosen("passes.off", other.join(',')); });
    action->setCheckable(true), action->setChecked(!off.contains(name));
  }
}

} // namespace

void fillSettings(QMenu& menu, const Pane& pane, const Chosen& chosen) {
  QStringList packers;
  for (const plan::Strategy& s : plan::strategies()) packers << s.name;
  QStringList devices;
  for (const std::string& name : cuda::device_names()) devices << QString::fromStdString(name);
  addChoices(menu, pane, "device", devices, chosen);
  addChoices(menu, pane, "math", {"strict", "default", "fast"}, chosen);
  addChoices(menu, pane, "memory.strategy", packers, chosen);
  addPasses(menu, pane, chosen);
  addChoices(menu, pane, "fold.budget", {"0", "1048576", "67108864", "1073741824"}, chosen);
  addChoices(menu, pane, "breaks", {"allow", "forbid"}, chosen);
  addChoices(menu, pane, "capture", {"on", "off"}, chosen);
  addChoices(menu, pane, "libraries", {"off", "auto", "on"}, chosen);
  addChoices(menu, pane, "cache", {"on", "off"}, chosen);
}

} // namespace cutaway::explorer
