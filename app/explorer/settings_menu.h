#pragma once
#include "explorer/pane.h"

#include <QMenu>

namespace cutaway::explorer {

// Every setting with its values, the present ones ticked; `chosen` gets what the user picks.
void fillSettings(QMenu& menu, const Pane& pane, const std::function<void(const QString& key, const QString& value)>& chosen);

} // namespace cutaway::explorer
