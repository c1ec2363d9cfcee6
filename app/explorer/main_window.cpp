#include "explorer/main_window.h"

#include "explorer/about.h"
#include "kit/numbers.h"
#include "registry.h"

#include <QApplication>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
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

MainWindow::MainWindow(Request request) : m_request(std::move(request)) {
  QSettings kept("Cutaway", "Cutaway");
  m_look.setTheme(kept.value("theme", "light").toString());
  qApp->setFont(m_look.theme().font(12)); // before there are widgets: a style sheet freezes theirs
  setAcceptDrops(true);
  setMinimumSize(1024, 640);
  resize(1440, 900);
  buildTools();
  buildCentre();
  buildDocks();
  buildStepper();
  buildMenus();
  connectAll();
  restyle();
  restoreGeometry(kept.value("geometry").toByteArray());
  if (!m_request.file.empty()) open(QString::fromStdString(m_request.file));
  refreshWords();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  QSettings kept("Cutaway", "Cutaway");
  kept.setValue("theme", m_look.theme().name());
  kept.setValue("geometry", saveGeometry());
  QMainWindow::closeEvent(event);
}

void MainWindow::connectAll() {
  connect(&m_service, &CompileService::progressed, this, [this](const QString& pass, int done, int total) {
    m_passModel->setProgress(pass, done, total);
    m_state->setText(total ? QString("Compiling, %1: %2 of %3 kernels").arg(pass).arg(done).arg(total) : "Compiling, " + pass);
  });
  connect(&m_service, &CompileService::finished, this, &MainWindow::finished);
  connect(&m_service, &CompileService::failed, this, [this](const QString& where, const QString& words) { fail(QFileInfo(where).fileName() + ": " + words); });
  connect(&m_service, &CompileService::calledOff, this, [this] { fail({}), m_state->setText("Called off; the picture is from before"); });
  connect(&m_navigator, &views::Navigator::documentChanged, this, &MainWindow::refreshWords);
  connect(&m_navigator, &views::Navigator::stepChanged, this, &MainWindow::refreshWords);
  connect(&m_navigator, &views::Navigator::selectionChanged, this, &MainWindow::refreshWords);
  connect(m_graph, &views::GraphView::viewChanged, this, &MainWindow::refreshZoom);
  connect(&m_look, &views::Look::changed, this, &MainWindow::restyle);
  connect(&m_play, &QTimer::timeout, this, [this] {
    if (m_navigator.place().step + 1 >= m_navigator.stepCount()) return togglePlay();
    m_navigator.stepBy(1);
  });
}

void MainWindow::open(const QString& file) {
  m_request.file = file.toStdString();
  setWindowTitle(QFileInfo(file).fileName() + " — Cutaway");
  QSettings kept("Cutaway", "Cutaway");
  QStringList recent = kept.value("recent").toStringList();
  recent.removeAll(QFileInfo(file).absoluteFilePath());
  recent.prepend(QFileInfo(file).absoluteFilePath());
  kept.setValue("recent", recent.mid(0, 8));
  compile(false);
}

void MainWindow::compile(bool measure) {
  if (m_request.file.empty()) return chooseFile();
  m_request.measure = measure;
  m_error->hide();
  m_compile->setText("Cancel");
  m_state->setText(measure ? "Running" : "Compiling");
  m_service.start(m_request);
}

void MainWindow::finished(std::shared_ptr<const trace::Document> document, const QString& words) {
  m_compile->setText("Compile");
  m_passModel->setProgress({}, 0, 0);
  const bool keep = m_navigator.place().document && m_navigator.place().document->model == document->model && !m_request.measure;
  m_navigator.setDocument(document, keep);
  m_state->setText(words);
  if (!document->breaks.empty()) {
    const trace::Break& b = document->breaks.front();
    m_error->setText(QString("%1 graph break%2: %3. %4").arg(document->breaks.size()).arg(document->breaks.size() == 1 ? "" : "s").arg(views::qt(b.node), views::qt(b.reason)));
    m_error->show();
  }
  m_graph->setFocus();
}

void MainWindow::fail(const QString& words) {
  m_compile->setText("Compile");
  m_passModel->setProgress({}, 0, 0);
  m_error->setText(words);
  m_error->setVisible(!words.isEmpty());
  m_state->setText(words.isEmpty() ? "Ready" : "Not compiled");
}

void MainWindow::setSetting(const QString& key, const QString& value) {
  const QString old = QString::fromStdString(m_request.options.settings.list()[key.toStdString()]);
  if (old == value) return;
  const auto put = [this, key](const QString& to) {
    (void)m_request.options.settings.set(key.toStdString(), to.toStdString());
    if (key == "math") {
      const QSignalBlocker quiet(m_math);
      m_math->setCurrentText("math = " + to);
    }
    if (!m_request.file.empty()) compile(false);
  };
  m_undo.push(new SettingCommand(QString("%1 = %2").arg(key, value), [put, value] { put(value); }, [put, old] { put(old); }));
}

void MainWindow::showView(const QString& id) {
  int at = 0;
  for (const views::ViewRow& row : views::allViews()) {
    if (id == row.id) m_tabs->setCurrentIndex(at);
    ++at;
  }
}

void MainWindow::chooseFile() {
  const QString file = QFileDialog::getOpenFileName(this, "Open", {}, "Models and documents (*.onnx *.cut *.json *.cbor);;All files (*)");
  if (!file.isEmpty()) open(file);
}

void MainWindow::exportView() {
  const QString file = QFileDialog::getSaveFileName(this, "Export the view", {}, "SVG (*.svg);;PDF (*.pdf);;PNG (*.png)");
  if (file.isEmpty()) return;
  const views::ViewRow& row = views::allViews()[size_t(m_tabs->currentIndex())];
  const views::Figure figure = m_tabs->currentIndex() == 0 ? m_graph->figure() : row.figure(m_navigator.place(), m_look.theme(), m_stack->size());
  const views::About facts = about(m_navigator.place(), row, m_look.theme(), step_name(m_navigator.place()));
  QString why;
  if (!figure.draw) why = "there is nothing to draw yet";
  if (!figure.draw || !views::writeFigure(file, m_look.theme(), figure, facts, &why)) fail("Not exported: " + why);
  else m_state->setText("Exported " + QFileInfo(file).fileName());
}

// The next op whose name, op, dtype, shape or attribute holds the text.
void MainWindow::find(const QString& text) {
  const trace::Trace* t = m_navigator.place().trace();
  if (!t || text.isEmpty()) return;
  const trace::GraphDoc graph = t->at(m_navigator.place().step);
  std::vector<NodeId> hits;
  for (const trace::GraphNode& n : graph.nodes) {
    QString all = views::qt(n.name) + ' ' + views::qt(n.op) + ' ' + views::qt(n.scope);
    for (const ValueId v : n.outputs)
      if (const trace::GraphValue* value = graph.values.find(v)) all += ' ' + views::typeText(*value);
    for (const trace::Attribute& a : n.attributes) all += ' ' + views::qt(a.name) + '=' + views::qt(a.value);
    if (all.contains(text, Qt::CaseInsensitive)) hits.push_back(n.id);
  }
  if (hits.empty()) return m_state->setText("Nothing holds '" + text + "'");
  const NodeId hit = hits[m_found++ % hits.size()];
  m_state->setText(QString("Found %1 of %2").arg((m_found - 1) % hits.size() + 1).arg(hits.size()));
  m_navigator.select(entity(hit));
  m_graph->focusOn(entity(hit));
}

void MainWindow::togglePlay() {
  if (m_play.isActive()) m_play.stop();
  else if (m_navigator.stepCount()) m_play.start(int(m_look.theme().size("motion", "stepHold")));
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left: return m_navigator.stepBy(-1);
    case Qt::Key_Right: return m_navigator.stepBy(1);
    case Qt::Key_Up: return m_navigator.passBy(-1);
    case Qt::Key_Down: return m_navigator.passBy(1);
    case Qt::Key_Home: return m_navigator.goTo(0);
    case Qt::Key_End: return m_navigator.stepBy(m_navigator.stepCount());
    case Qt::Key_N: return m_navigator.changedPassBy(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    case Qt::Key_Space: return togglePlay();
    case Qt::Key_R: return compile(true);
    case Qt::Key_Question: return showKeys();
    case Qt::Key_Escape:
      if (m_service.busy()) return m_service.cancel();
      return m_error->hide();
    default: QMainWindow::keyPressEvent(event);
  }
}

void MainWindow::showKeys() {
  QMessageBox::information(this, "Keys",
                           "Left, Right: a step\nUp, Down: a pass\nN, Shift+N: next and previous pass that changed something\nSpace: play\nHome, End: first and last step\n"
                           "F: selection to the middle, F again: all\nCtrl+F: find\n[ and ]: producer and reader\nCtrl+wheel: zoom\nBackspace: back\n"
                           "Ctrl+1 to Ctrl+8: views\nR: run\nEsc: cancel\nCtrl+Z: undo a setting");
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}
void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls[0].isLocalFile()) open(urls[0].toLocalFile());
}

void MainWindow::refreshWords() {
  const trace::Step* step = m_navigator.place().at();
  if (step) {
    const trace::Pass& p = m_navigator.place().trace()->passes()[step->pass];
    m_stepWords->setText(QString("Step %1 of %2").arg(step->id + 1).arg(m_navigator.stepCount()));
    const QString more = QString("%1 %2 of %3: %4").arg(views::qt(p.name)).arg(step->id - p.first + 1).arg(p.last - p.first).arg(views::qt(step->title));
    m_stepMore->setText(m_stepMore->fontMetrics().elidedText(more, Qt::ElideRight, 236));
    m_stepMore->setToolTip(more);
  } else {
    m_stepWords->setText("No steps yet"), m_stepMore->clear();
  }
  QString crumbs = step ? views::qt(m_navigator.place().trace()->name) : QString();
  for (const QString& path : m_graph->crumbs()) crumbs += "   ›   " + path.section('/', -1);
  m_crumbs->setText(crumbs);
  refreshZoom();
  const auto& chosen = m_navigator.place().selected;
  m_entity->setText(chosen ? QString::fromStdString(entity_key(*chosen)) : QString());
  refreshPasses();
}

void MainWindow::refreshZoom() { m_zoom->setText(m_tabs->currentIndex() == 0 ? m_graph->statusText() : QString()); }

void MainWindow::refreshPasses() {
  const int step = m_passModel->currentRow(true), row = step >= 0 ? step : m_passModel->currentRow(false);
  if (row >= 0) {
    const QSignalBlocker quiet(m_passes->selectionModel());
    m_passes->setCurrentIndex(m_passModel->index(row));
    m_passes->scrollTo(m_passModel->index(row));
  }
}

void MainWindow::setTheme(const QString& name) { m_look.setTheme(name); }

} // namespace cutaway::explorer
