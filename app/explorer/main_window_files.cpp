#include "explorer/export_range.h"
#include "explorer/main_window.h"
#include "explorer/write_view.h"
#include "trace/file/document_file.h"

#include <QFileDialog>
#include <QFileInfo>

// What the window writes.
namespace cutaway::explorer {

bool MainWindow::exportTo(const QString& file, QString* why) {
  views::Place place = navigator().place();
  const auto [first, last] = m_slider->range();
  const QString ending = QFileInfo(file).suffix().toLower();
  const bool moving = ending == "html" || ending == "gif";
  if (!place.at()) return *why = "there is nothing to draw yet", false;
  if (moving || (ending == "pdf" && first <= last)) {
    auto steps = steps_within(first <= last ? StepRange{first, last} : StepRange{0, {}}, navigator().stepCount());
    if (!steps) return *why = QString::fromStdString(steps.error().str()), false;
    place.step = steps->first;
    return write_steps(file, place, steps->second, m_pane->row(), m_look.theme(), QSizeF(1080, 600), why);
  }
  const views::Figure figure = m_pane->figure();
  if (!figure.draw) return *why = "there is nothing to draw yet", false;
  return write_step(file, place, m_pane->row(), m_look.theme(), figure, why);
}

void MainWindow::exportView() {
  const auto [first, last] = m_slider->range();
  const QString steps = first <= last ? QString("steps %1 to %2").arg(first + 1).arg(last + 1) : "all steps";
  const QString file = QFileDialog::getSaveFileName(this, "Export the view", {}, QString("This step (*.svg);;This step (*.png);;This step, or the marked ones (*.pdf);;A page of %1 (*.html);;An animation of %1 (*.gif)").arg(steps));
  if (file.isEmpty()) return;
  QString why;
  if (exportTo(file, &why)) m_state->setText("Exported " + QFileInfo(file).fileName());
  else m_pane->say("Not exported: " + why);
}

void MainWindow::saveDocument() {
  const QString file = QFileDialog::getSaveFileName(this, "Save the document", {}, "Documents (*.json);;Compact documents (*.cbor)");
  if (!file.isEmpty()) saveDocumentTo(file);
}

bool MainWindow::saveDocumentTo(const QString& file) {
  if (!navigator().place().document) return m_pane->say("There is no document yet: open a model first"), false;
  if (Status s = trace::write_document(file.toStdString(), *navigator().place().document); !s) return m_pane->say(QString::fromStdString(s.error().str())), false;
  m_state->setText("Saved " + QFileInfo(file).fileName());
  return true;
}

} // namespace cutaway::explorer
