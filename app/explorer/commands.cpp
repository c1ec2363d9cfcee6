#include "explorer/commands.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPointer>
#include <QRegularExpression>

#include <algorithm>

namespace cutaway::explorer {
namespace {

void collect(const QMenu& menu, const QString& before, QList<Command>& out) {
  emit const_cast<QMenu&>(menu).aboutToShow(); // some are filled when they open
  for (QAction* action : menu.actions()) {
    const QString name = action->text().section('\t', 0, 0).remove('&');
    if (action->isSeparator() || name.isEmpty() || !action->isEnabled()) continue;
    if (action->menu()) {
      collect(*action->menu(), before + name + ": ", out);
      continue;
    }
    const QString said = action->text().section('\t', 1), bound = action->shortcut().toString(QKeySequence::NativeText);
    out.append({before + name, QStringList{said, bound}.filter(QRegularExpression(".")).join(", "), action});
  }
}

// All letters of the text in order, spaces aside. The fewer others lie between, the better; -1: not.
int distance(const QString& path, const QString& text) {
  int at = 0, skipped = 0;
  for (const QChar c : text) {
    if (c.isSpace()) continue;
    const auto found = path.indexOf(c, at, Qt::CaseInsensitive);
    if (found < 0) return -1;
    skipped += int(found) - at;
    at = int(found) + 1;
  }
  return skipped;
}

} // namespace

QList<Command> commandsOf(const QMenuBar& menus) {
  QList<Command> out;
  for (QAction* top : menus.actions())
    if (top->menu()) collect(*top->menu(), top->text() + ": ", out);
  return out;
}

CommandPalette::CommandPalette(const QMenuBar& menus, QWidget* parent) : QDialog(parent), m_commands(commandsOf(menus)), m_field(new QLineEdit), m_list(new QListWidget) {
  setWindowTitle("Commands");
  setAttribute(Qt::WA_DeleteOnClose);
  resize(520, 420);
  m_field->setPlaceholderText("Letters of a command"), m_field->setAccessibleName("Command");
  m_list->setAccessibleName("Commands that match"), m_list->setFrameShape(QFrame::NoFrame), m_list->setFocusPolicy(Qt::NoFocus);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(12, 12, 12, 12), box->setSpacing(8);
  box->addWidget(m_field), box->addWidget(m_list);
  m_field->installEventFilter(this);
  connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::choose);
  filter({});
}

void CommandPalette::filter(const QString& text) {
  QList<std::pair<int, qsizetype>> hits;
  for (qsizetype i = 0; i < m_commands.size(); ++i)
    if (const int d = distance(m_commands[i].path, text); d >= 0) hits.append({d, i});
  std::stable_sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  m_list->clear();
  for (const auto& [d, i] : hits) {
    const Command& c = m_commands[i];
    auto* item = new QListWidgetItem(c.key.isEmpty() ? c.path : c.path + "    " + c.key, m_list);
    item->setData(Qt::UserRole, i);
  }
  m_list->setCurrentRow(0);
}

void CommandPalette::choose() {
  const QListWidgetItem* item = m_list->currentItem();
  if (!item) return;
  const QPointer<QAction> action = m_commands[item->data(Qt::UserRole).toInt()].action;
  close();
  if (action) action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int by = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    if (by) m_list->setCurrentRow(std::clamp(m_list->currentRow() + by, 0, std::max(0, m_list->count() - 1)));
    if (key == Qt::Key_Return || key == Qt::Key_Enter) choose();
    if (by || key == Qt::Key_Return || key == Qt::Key_Enter) return true;
  }
  return QDialog::eventFilter(watched, event);
}

KeySheet::KeySheet(const QMenuBar& menus, QWidget* parent) : QDialog(parent) {
  setWindowTitle("Keys");
  setAttribute(Qt::WA_DeleteOnClose);
  QList<std::pair<QString, QString>> rows;
  for (const Command& c : commandsOf(menus))
    if (!c.key.isEmpty()) rows.append({c.key, c.path});
  for (const auto& [key, words] : {std::pair{"Ctrl+wheel", "Graph: zoom at the pointer"}, {"Double click, Alt", "Graph: open or close a scope, all below"}, {"[ and ]", "Graph: producer and reader"},
                                   {"W, S, A, D", "Arena, timeline: zoom and pan"}, {"M", "Arena: offsets, bytes, intervals"}, {"Tab, Return", "Any view: next mark, select it"}, {"Ctrl+Tab", "Any view: out of it, to the next part"}, {"Shift+drag", "Stepper: marks steps to export"}})
    rows.append(std::pair<QString, QString>(key, words));
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(24, 24, 24, 24), grid->setHorizontalSpacing(16), grid->setVerticalSpacing(6);
  const qsizetype half = (rows.size() + 1) / 2;
  for (qsizetype i = 0; i < rows.size(); ++i) {
    auto *key = new QLabel(rows[i].first), *words = new QLabel(rows[i].second);
    key->setObjectName("head");
    words->setContentsMargins(0, 0, 24, 0);
    const int row = int(i % half), column = i < half ? 0 : 2;
    grid->addWidget(key, row, column), grid->addWidget(words, row, column + 1);
  }
}

} // namespace cutaway::explorer
