#include "explorer/commands.h"
#include "explorer/main_window.h"
#include "explorer/settings_menu.h"
#include "explorer/widgets.h"
#include "tensor/tensor_panel.h"

#include <QActionGroup>
#include <QFileInfo>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolBar>

// Every action has a menu entry. Where the key is one that lists and text fields use as well (arrows, letters), the entry
// only says it: MainWindow::keyPressEvent hears it when nothing else took it.
namespace cutaway::explorer {

void MainWindow::buildMenus() {
  buildFileMenu();
  QMenu* edit = menuBar()->addMenu("Edit");
  QAction* undo = m_undo.createUndoAction(this);
  undo->setShortcut(QKeySequence::Undo);
  QAction* redo = m_undo.createRedoAction(this);
  redo->setShortcut(QKeySequence::Redo);
  edit->addActions({undo, redo});
  edit->addAction("Find", QKeySequence::Find, this, [this] { m_find->setFocus(), m_find->selectAll(); });
  edit->addAction("Nothing selected", this, [this] { navigator().select({}); });
  buildViewMenu();
  buildStepMenus();
  QMenu* run = menuBar()->addMenu("Run");
  run->addAction("Compile", QKeySequence("Ctrl+B"), this, [this] { compile(false); });
  run->addAction("Run and compare\tR", QKeySequence("Ctrl+R"), this, [this] { compile(true); });
  run->addAction("Cancel\tEsc", this, [this] { m_pane->cancel(); });
  QMenu* tools = menuBar()->addMenu("Tools");
  QMenu* settings = tools->addMenu("Settings");
  connect(settings, &QMenu::aboutToShow, this, [this, settings] {
    settings->clear();
    fillSettings(*settings, *m_pane, [this](const QString& key, const QString& value) { set(key, value); });
  });
  m_comparing = tools->addAction("Compare two settings", QKeySequence("Ctrl+D"), this, &MainWindow::compare);
  m_comparing->setCheckable(true);
  tools->addAction("Numbers of the selected value\tV", m_tensor, &views::TensorPanel::ask);
  tools->addAction("Save the selected value as .npy…", m_tensor, &views::TensorPanel::save);
  QMenu* help = menuBar()->addMenu("Help");
  help->addAction("Commands…", QKeySequence("Ctrl+Shift+P"), this, &MainWindow::showCommands);
  help->addAction("Keys\t?", this, &MainWindow::showKeys);
}

void MainWindow::buildFileMenu() {
  QMenu* file = menuBar()->addMenu("File");
  file->addAction("Open…", QKeySequence::Open, this, &MainWindow::chooseFile);
  QMenu* recent = file->addMenu("Recent");
  connect(recent, &QMenu::aboutToShow, this, [this, recent] {
    recent->clear();
    for (const QString& name : kept().value("recent").toStringList()) recent->addAction(QFileInfo(name).fileName(), this, [this, name] { open(name); })->setToolTip(name);
  });
  file->addAction("Save the document…", QKeySequence::Save, this, &MainWindow::saveDocument);
  file->addAction("Export the view…", QKeySequence("Ctrl+E"), this, &MainWindow::exportView);
  file->addSeparator();
  file->addAction("Quit", QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::buildViewMenu() {
  QMenu* view = menuBar()->addMenu("View");
  int at = 1;
  for (const views::ViewRow& row : views::allViews()) view->addAction(row.title, QKeySequence(QString("Ctrl+%1").arg(at++)), this, [this, id = row.id] { showView(id); });
  view->addSeparator();
  const auto check = [&](QMenu* menu, const QString& text, const QKeySequence& key, auto&& toggled) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true), action->setShortcut(key);
    connect(action, &QAction::toggled, this, toggled);
  };
  check(view, "Split", QKeySequence("Ctrl+\\"), [this](bool on) { m_pane->split(on); });
  check(view, "Constants in the graph", {}, [this](bool on) { graph().setConstants(on); });
  check(view, "Drift on the graph", {}, [this](bool on) { graph().setDrift(on); });
  buildColourMenu(*view->addMenu("Colour by"));
  view->addAction("Try the layout again", this, [this] { graph().retryLayout(); });
  check(view, "Reduce motion", {}, [this](bool on) {
    m_look.setReducedMotion(on);
    kept().setValue("still", on);
  });
  view->actions().back()->setChecked(m_look.reducedMotion());
  view->addAction("Open all scopes", this, [this] { graph().expandAll(true); });
  view->addAction("Close all scopes", this, [this] { graph().expandAll(false); });
  view->addSeparator();
  QMenu* theme = view->addMenu("Theme");
  for (const char* name : {"light", "dark", "contrast"}) theme->addAction(name, this, [this, name] { setTheme(name); });
  QMenu* size = view->addMenu("Size of everything, from the next start");
  for (const int percent : {100, 125, 150, 200}) size->addAction(QString("%1 %").arg(percent), this, [this, percent] {
    kept().setValue("scale", percent / 100.);
    m_state->setText(QString("%1 % from the next start").arg(percent));
  });
  QMenu* panels = view->addMenu("Panels");
  for (QDockWidget* dock : m_docks) panels->addAction(dock->toggleViewAction());
  view->addAction("Reset layout", this, [this] { restoreState(m_standard); });
  view->addAction("Only the view", QKeySequence("Ctrl+Shift+F"), this, &MainWindow::maximise);
  view->addAction("Lecture", QKeySequence(Qt::Key_F11), this, [this] { lecture(menuBar()->isVisible()); });
}

void MainWindow::buildColourMenu(QMenu& menu) {
  auto* group = new QActionGroup(&menu);
  const auto add = [&](const QString& text, const QString& word, views::ColourBy colourBy) {
    QAction* action = group->addAction(menu.addAction(text));
    action->setCheckable(true), action->setChecked(m_look.colourBy() == colourBy);
    connect(action, &QAction::triggered, this, [this, word, colourBy] {
      m_look.setColourBy(colourBy);
      kept().setValue("colourBy", word);
    });
  };
  add("Entity", "entity", views::ColourBy::entity), add("Op class", "class", views::ColourBy::opClass);
}

void MainWindow::buildStepMenus() {
  QMenu* go = menuBar()->addMenu("Go");
  go->addAction("Selection to the middle\tF", this, [this] { graph().focusSelection(); });
  go->addAction("Back\tBackspace", this, [this] { graph().back(); });
  QMenu* step = menuBar()->addMenu("Step");
  step->addAction("Next step\tRight", this, [this] { navigator().stepBy(1); });
  step->addAction("Step back\tLeft", this, [this] { navigator().stepBy(-1); });
  step->addAction("Next pass\tDown", this, [this] { navigator().passBy(1); });
  step->addAction("Pass back\tUp", this, [this] { navigator().passBy(-1); });
  step->addAction("Next pass that changed something\tN", this, [this] { navigator().changedPassBy(1); });
  step->addAction("Previous pass that changed something\tShift+N", this, [this] { navigator().changedPassBy(-1); });
  step->addAction("First step\tHome", this, [this] { navigator().goTo(0); });
  step->addAction("Last step\tEnd", this, [this] { navigator().stepBy(navigator().stepCount()); });
  step->addAction("Graph before the step\tB", this, [this] { graph().setBefore(!graph().before()); });
  step->addAction("Play or pause\tSpace", this, &MainWindow::togglePlay);
}

void MainWindow::maximise() {
  const bool hide = std::any_of(m_docks.begin(), m_docks.end(), [](const QDockWidget* d) { return d->isVisible(); });
  for (QDockWidget* dock : m_docks) dock->setVisible(!hide);
}

// For a projector: nothing but the view, larger, and the sentence of the step.
void MainWindow::lecture(bool on) {
  menuBar()->setVisible(!on), statusBar()->setVisible(!on), m_tabBar->setVisible(!on), m_caption->setVisible(on);
  for (QToolBar* bar : findChildren<QToolBar*>()) bar->setVisible(!on);
  for (QDockWidget* dock : m_docks) dock->setVisible(!on);
  setWindowState(windowState().setFlag(Qt::WindowFullScreen, on));
  if (!on) return;
  graph().zoomBy(1.5 / graph().zoom(), graph().rect().center());
  if (const trace::Step* step = navigator().place().at(); step && !step->entities.empty()) graph().focusOn(step->entities.front());
}

void MainWindow::showKeys() { (new KeySheet(*menuBar(), this))->show(); }
void MainWindow::showCommands() { (new CommandPalette(*menuBar(), this))->show(); }

} // namespace cutaway::explorer
