#include "explorer/export_range.h"
#include "explorer/main_window.h"
#include "explorer/write_view.h"
#include "timeline/runs.h"
#include "trace/chrome/chrome_trace.h"
#include "trace/file/document_file.h"

#include <QFileDialog>
#include <QFileInfo>

// What the window writes.
namespace cutaway::explorer {

bool MainWindow::exportTo(const QString& file, QString* why) {
  const QString name = QFileInfo(file).fileName();
  views::Place place = navigator().place();
  const auto [first, last] = m_slider->range();
  const QString ending = QFileInfo(file).suffix().toLower();
  const bool moving = ending == "html" || ending == "gif";
  if (!place.at()) return *why = "there is nothing to draw yet", false;
  if (moving || (ending == "pdf" && first <= last)) {
    auto steps = steps_within(first <= last ? StepRange{first, last} : StepRange{0, {}}, navigator().stepCount());
    if (!steps) return *why = QString::fromStdString(steps.error().str()), false;
    place.step = steps->first;
    const auto work = [file, place, last = steps->second, view = &m_pane->row(), mode = &m_pane->mode(), theme = &m_look.theme()](const std::atomic<bool>& off) {
      QString fault;
      return write_steps(file, place, last, *view, *mode, *theme, QSizeF(1080, 600), &fault, &off) ? QString() : fault;
    };
    if (!m_files.start(work, [this, name](const QString& fault) { wrote("Exported " + name, fault); })) return *why = "another file is being written (Esc calls it off)", false;
    m_state->setText(QString("Exporting %1 steps to %2 (Esc calls it off)").arg(steps->second - steps->first + 1).arg(name));
    return true;
  }
  if (const auto* timeline = ending == "json" && std::string_view(m_pane->row().id) == "timeline" ? views::timelineAt(navigator().place()) : nullptr) {
    if (Status s = trace::write_chrome_trace(file.toStdString(), *timeline); !s) return *why = QString::fromStdString(s.error().str()), false;
    return wrote("Exported " + name, {}), true;
  }
  const views::Figure figure = m_pane->figure();
  if (!figure.draw) return *why = "there is nothing to draw yet", false;
  if (!write_step(file, place, m_pane->row(), m_look.theme(), figure, why)) return false;
  return wrote("Exported " + name, {}), true;
}

void MainWindow::exportView() {
  const auto [first, last] = m_slider->range();
  const QString steps = first <= last ? QString("steps %1 to %2").arg(first + 1).arg(last + 1) : "all steps";
  const QString file = QFileDialog::getSaveFileName(this, "Export the view", {}, QString("This step (*.svg);;This step (*.png);;This step, or the marked ones (*.pdf);;A page of %1 (*.html);;An animation of %1 (*.gif)").arg(steps) + (std::string_view(m_pane->row().id) == "timeline" ? ";;A Chrome trace (*.json)" : ""));
  if (file.isEmpty()) return;
  QString why;
  if (!exportTo(file, &why)) wrote({}, why);
}

void MainWindow::saveDocument() {
  const QString file = QFileDialog::getSaveFileName(this, "Save the document", {}, "Documents (*.json);;Compact documents (*.cbor)");
  if (!file.isEmpty()) saveDocumentTo(file);
}

void MainWindow::saveDocumentTo(const QString& file) {
  const auto document = navigator().place().document;
  if (!document) return wrote({}, "there is no document yet: open a model first");
  const auto work = [file, document](const std::atomic<bool>&) {
    const Status s = trace::write_document(file.toStdString(), *document);
    return s ? QString() : QString::fromStdString(s.error().str());
  };
  if (!m_files.start(work, [this, file](const QString& why) { wrote("Saved " + QFileInfo(file).fileName(), why); })) wrote({}, "another file is being written (Esc calls it off)");
}

void MainWindow::wrote(const QString& words, const QString& why) {
  if (why.isEmpty()) m_state->setText(words);
  else m_pane->say("Not written: " + why);
}

} // namespace cutaway::explorer
