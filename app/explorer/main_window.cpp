#include "explorer/main_window.h"

#include "explorer/first_page.h"
#include "explorer/pass_rail.h"
#include "explorer/widgets.h"
#include "tensor/tensor_panel.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QToolBar>
#include <QUndoCommand>

namespace cutaway::explorer {
namespace {

// One changed setting; doing and undoing compile again.
class SettingCommand : public QUndoCommand {
 public:
  SettingCommand(const QString& text, std::function<void()> redo, std::function<void()> undo) : QUndoCommand(text), m_redo(std::move(redo)), m_undo(std::move(undo)) {}
  void redo() override { m_redo(); }
  void undo() override { m_undo(); }

 private:
  std::function<void()> m_redo, m_undo;
};

} // namespace

MainWindow::MainWindow(Request request) {
  const char* system = qApp->palette().color(QPalette::Window).lightness() < 128 ? "dark" : "light"; // until the user chooses
  m_look.setTheme(kept().value("theme", system).toString());
  m_look.setColourBy(kept().value("colourBy").toString() == "class" ? views::ColourBy::opClass : views::ColourBy::entity);
  m_look.setReducedMotion(kept().value("still", false).toBool());
  qApp->setFont(m_look.theme().font(12)); // before there are widgets: a style sheet freezes theirs
  setAcceptDrops(true);
  setMinimumSize(1024, 640);
  resize(1440, 900);
  const QString file = QString::fromStdString(request.file);
  request.file.clear();
  m_pane = new Pane(std::move(request), m_look);
  buildTools();
  buildCentre();
  buildDocks();
  buildStepper();
  buildMenus();
  connectPane();
  restyle();
  m_standard = saveState();
  restoreGeometry(kept().value("geometry").toByteArray());
  restoreState(kept().value("docks").toByteArray());
  refreshWords(), refreshFirst();
  if (!file.isEmpty()) open(file);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  QSettings keep = kept();
  keep.setValue("geometry", saveGeometry());
  if (menuBar()->isVisible()) keep.setValue("docks", saveState());
  QMainWindow::closeEvent(event);
}

void MainWindow::connectPane() {
  connect(m_pane, &Pane::said, m_state, &QLabel::setText);
  connect(m_pane, &Pane::progressed, this, [this](const QString& pass, int done, int total) { m_passModel->setProgress(pass, done, total); });
  connect(m_pane, &Pane::busyChanged, this, &MainWindow::busyChanged);
  connect(m_pane, &Pane::arrived, this, &MainWindow::arrived);
  connect(m_pane, &Pane::viewChanged, m_tabs, &QTabBar::setCurrentIndex);
  connect(m_pane, &Pane::settingChanged, this, [this](const QString& key, const QString& value) {
    const QSignalBlocker quiet(m_math);
    if (key == "device") m_device->setCurrentIndex(m_device->findData(value));
    if (key == "math") m_math->setCurrentText("math = " + value);
  });
  auto& at = navigator();
  connect(&at, &views::Navigator::documentChanged, this, &MainWindow::refreshWords);
  connect(&at, &views::Navigator::documentChanged, this, &MainWindow::refreshFirst);
  connect(&at, &views::Navigator::stepChanged, this, &MainWindow::refreshWords);
  connect(&at, &views::Navigator::documentChanged, this, &MainWindow::refreshDifference);
  connect(&at, &views::Navigator::stepChanged, this, &MainWindow::refreshDifference);
  connect(&at, &views::Navigator::selectionChanged, this, &MainWindow::refreshWords);
  connect(m_tensor, &views::TensorPanel::said, m_state, &QLabel::setText);
  connect(&m_look, &views::Look::changed, this, &MainWindow::restyle);
  connect(&m_play, &QTimer::timeout, this, [this] {
    if (navigator().place().step + 1 >= navigator().stepCount()) return togglePlay();
    navigator().stepBy(1);
  });
}

void MainWindow::open(const QString& file) {
  setWindowTitle(QFileInfo(file).fileName() + " — Cutaway");
  QSettings keep = kept();
  QStringList recent = keep.value("recent").toStringList();
  recent.removeAll(QFileInfo(file).absoluteFilePath());
  recent.prepend(QFileInfo(file).absoluteFilePath());
  keep.setValue("recent", recent.mid(0, 8));
  m_undo.clear();
  m_pane->open(file);
  if (m_other) m_other->open(file);
  refreshFirst();
}

// The first page stands for everything else while nothing is open.
void MainWindow::refreshFirst() {
  const bool first = m_pane->request().file.empty() && !navigator().place().document;
  if (first) m_first->refresh(kept().value("recent").toStringList());
  m_centre->setCurrentIndex(first ? 0 : 1);
  if (first == m_docks[0]->isVisibleTo(this))
    for (QDockWidget* dock : m_docks) dock->setVisible(!first);
  for (QToolBar* bar : findChildren<QToolBar*>()) bar->setVisible(!first);
}

void MainWindow::compile(bool measure) {
  if (m_pane->request().file.empty()) return chooseFile();
  m_pane->compile(measure);
  if (m_other) m_other->compile(measure);
}

void MainWindow::busyChanged() {
  m_compile->setText(service().busy() ? "Cancel" : "Compile");
  if (!service().busy()) m_passModel->setProgress({}, 0, 0);
}

void MainWindow::arrived() {
  if (!m_other || !m_other->hasFocus()) graph().setFocus();
}

void MainWindow::set(const QString& key, const QString& value) {
  const QString old = m_pane->setting(key);
  if (old == value) return;
  m_undo.push(new SettingCommand(QString("%1 = %2").arg(key, value), [this, key, value] { m_pane->set(key, value); }, [this, key, old] { m_pane->set(key, old); }));
}

void MainWindow::showView(const QString& id) {
  int at = 0;
  for (const views::ViewRow& row : views::allViews()) {
    if (id == row.id) m_tabs->setCurrentIndex(at);
    ++at;
  }
}

void MainWindow::chooseFile() {
  const QString file = QFileDialog::getOpenFileName(this, "Open", {}, "Models, documents and buffers (*.onnx *.cut *.json *.cbor *.csv);;All files (*)");
  if (!file.isEmpty()) open(file);
}

// The next op whose name, op, dtype, shape or attribute holds the text.
void MainWindow::find(const QString& text) {
  const trace::Trace* t = navigator().place().trace();
  if (!t || text.isEmpty()) return;
  const trace::GraphDoc now = t->at(navigator().place().step);
  std::vector<NodeId> hits;
  for (const trace::GraphNode& n : now.nodes) {
    QString all = views::qt(n.name) + ' ' + views::qt(n.op) + ' ' + views::qt(n.scope);
    for (const ValueId v : n.outputs)
      if (const trace::GraphValue* value = now.values.find(v)) all += ' ' + views::typeText(*value);
    for (const trace::Attribute& a : n.attributes) all += ' ' + views::qt(a.name) + '=' + views::qt(a.value);
    if (all.contains(text, Qt::CaseInsensitive)) hits.push_back(n.id);
  }
  if (hits.empty()) return m_state->setText("Nothing holds '" + text + "'");
  const NodeId hit = hits[m_found++ % hits.size()];
  m_state->setText(QString("Found %1 of %2").arg((m_found - 1) % hits.size() + 1).arg(hits.size()));
  navigator().select(entity(hit));
  graph().focusOn(entity(hit));
}

void MainWindow::togglePlay() {
  if (m_play.isActive()) m_play.stop();
  else if (navigator().stepCount()) m_play.start(int(m_look.theme().size("motion", "stepHold")));
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  auto& at = navigator();
  switch (event->key()) {
    case Qt::Key_Left: return at.stepBy(-1);
    case Qt::Key_Right: return at.stepBy(1);
    case Qt::Key_Up: return at.passBy(-1);
    case Qt::Key_Down: return at.passBy(1);
    case Qt::Key_Home: return at.goTo(0);
    case Qt::Key_End: return at.stepBy(at.stepCount());
    case Qt::Key_PageDown: return at.stepBy(1); // clickers
    case Qt::Key_PageUp: return at.stepBy(-1);
    case Qt::Key_N: return at.changedPassBy(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    case Qt::Key_Space: return togglePlay();
    case Qt::Key_R: return compile(true);
    case Qt::Key_V: return m_tensor->ask();
    case Qt::Key_Question: return showKeys();
    case Qt::Key_Escape:
      if (service().busy()) return m_pane->cancel();
      if (m_files.busy()) return m_files.callOff(), m_state->setText("Called off; no file was written");
      if (!menuBar()->isVisible()) return lecture(false);
      return m_pane->say({});
    default: QMainWindow::keyPressEvent(event);
  }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}
void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls[0].isLocalFile()) open(urls[0].toLocalFile());
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  setLow(height() < 800);
  setNarrow(width() < 1360);
}

// The stepper in 56 px: two charts, one line of words.
void MainWindow::setLow(bool low) {
  m_slider->setCompact(low);
  for (QWidget* part : {m_transport, m_docks.back()->widget()}) part->setFixedHeight(low ? 56 : 96);
  m_transport->findChild<QWidget*>("buttons")->move(12, low ? 4 : 12);
  m_stepWords->move(12, low ? 34 : 46), m_stepMore->move(12, 64);
  m_stepMore->setVisible(!low);
}

void MainWindow::setNarrow(bool narrow) {
  QDockWidget* dock = m_docks.front();
  if (narrow == (dock->widget() == m_rail)) return;
  m_rail->close();
  for (QWidget* part : m_passHead->findChildren<QWidget*>()) part->setVisible(!narrow);
  dock->setWidget(narrow ? static_cast<QWidget*>(m_rail) : m_passes);
  dock->widget()->show();
  dock->setMinimumWidth(narrow ? PassRail::width : 264), dock->setMaximumWidth(narrow ? PassRail::width : QWIDGETSIZE_MAX);
  m_docks[1]->setMinimumWidth(narrow ? 288 : 320);
  resizeDocks({m_docks[0], m_docks[1]}, {dock->minimumWidth(), m_docks[1]->minimumWidth()}, Qt::Horizontal);
}

void MainWindow::refreshWords() {
  const trace::Step* step = navigator().place().at();
  if (step) {
    const trace::Pass& p = navigator().place().trace()->passes()[step->pass];
    m_stepWords->setText(QString("Step %1 of %2%3").arg(step->id + 1).arg(navigator().stepCount()).arg(m_other ? ", both panes" : ""));
    const QString more = QString("%1 %2 of %3: %4").arg(views::qt(p.name)).arg(step->id - p.first + 1).arg(p.last - p.first).arg(views::qt(step->title));
    m_stepMore->setText(m_stepMore->fontMetrics().elidedText(more, Qt::ElideRight, 236));
    m_stepMore->setToolTip(more);
    m_caption->setText(views::qt(step->title) + ". " + views::qt(step->explanation));
  } else {
    m_stepWords->setText("No steps yet"), m_stepMore->clear(), m_caption->clear();
  }
  const auto& chosen = navigator().place().selected;
  m_entity->setText(chosen ? QString::fromStdString(entity_key(*chosen)) : QString());
  refreshPasses();
}

void MainWindow::refreshPasses() {
  const int step = m_passModel->currentRow(true), row = step >= 0 ? step : m_passModel->currentRow(false);
  if (row >= 0) {
    const QSignalBlocker quiet(m_passes->selectionModel());
    m_passes->setCurrentIndex(m_passModel->index(row));
    m_passes->scrollTo(m_passModel->index(row));
  }
}

void MainWindow::setTheme(const QString& name) {
  m_look.setTheme(name);
  kept().setValue("theme", name);
}

} // namespace cutaway::explorer
