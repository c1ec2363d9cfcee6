#pragma once
#include <QAction>
#include <QDialog>
#include <QMenuBar>

class QLineEdit;
class QListWidget;

namespace cutaway::explorer {

// An entry of the menus, as people search for it.
struct Command {
  QString path; // "View: Arena"
  QString key;  // "Ctrl+2"; empty: none
  QAction* action = nullptr;
};
// All entries that can be chosen now, in order of the menus.
QList<Command> commandsOf(const QMenuBar& menus);

// Type some letters of a command, Return does it.
class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(const QMenuBar& menus, QWidget* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& text);
  void choose();
  QList<Command> m_commands;
  QLineEdit* m_field;
  QListWidget* m_list;
};

// All keys, those of the menus and those of the canvases.
class KeySheet : public QDialog {
 public:
  KeySheet(const QMenuBar& menus, QWidget* parent);
};

} // namespace cutaway::explorer
