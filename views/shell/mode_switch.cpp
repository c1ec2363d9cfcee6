#include "shell/mode_switch.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>

namespace cutaway::views {

ModeSwitch::ModeSwitch(const ViewRow& row, Look& look, QWidget* parent) : QWidget(parent), m_buttons(new QButtonGroup(this)), m_look(look) {
  setAccessibleName(QString("%1 shown as").arg(row.title));
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(16, 4, 16, 4), line->setSpacing(4);
  line->addStretch();
  for (const ViewMode& mode : row.modes) {
    auto* button = new QPushButton(mode.title);
    button->setCheckable(true), button->setFixedHeight(26), button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(QString("%1 as %2").arg(row.title, QString(mode.title).toLower()));
    button->setToolTip(QString("%1 (M: the next)").arg(mode.title));
    m_buttons->addButton(button, int(m_buttons->buttons().size()));
    line->addWidget(button);
  }
  m_buttons->button(0)->setChecked(true);
  connect(m_buttons, &QButtonGroup::idToggled, this, [this](int mode, bool on) {
    if (on) emit chosen(mode);
  });
  connect(new QShortcut(Qt::Key_M, this), &QShortcut::activated, this, [this] { m_buttons->button((current() + 1) % int(m_buttons->buttons().size()))->setChecked(true); });
  connect(&look, &Look::changed, this, &ModeSwitch::restyle);
  restyle();
}

int ModeSwitch::current() const { return m_buttons->checkedId(); }

void ModeSwitch::restyle() {
  const Theme& t = m_look.theme();
  setFont(t.font(12));
  setStyleSheet(QString("QPushButton{background:%1;color:%2;border:1px solid %3;border-radius:4px;padding:2px 10px}QPushButton:checked{background:%4;color:%5;border-color:%5;font-weight:600}"
                        "QPushButton:focus{border:2px solid %5}")
                    .arg(t.c("raised").name(), t.c("text").name(), t.c("line").name(), t.c("selection").name(), t.c("accent").name()));
  update();
}

void ModeSwitch::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), m_look.theme().c("canvas")); }

} // namespace cutaway::views
