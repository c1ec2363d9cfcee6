#include "explorer/main_window.h"

#include "compare/difference.h"
#include "explorer/settings_menu.h"
#include "shell/figure_view.h"

// Two panes on one model: the first leads, the second follows in step.
namespace cutaway::explorer {

void MainWindow::compare(bool on) {
  m_comparing->setChecked(on);
  if (on == (m_other != nullptr)) return;
  if (!on) {
    delete std::exchange(m_other, nullptr);
    m_difference->hide();
    for (QDockWidget* dock : std::exchange(m_hidden, {})) dock->show();
    m_pane->setHead({}, {});
    graph().setDifference(nullptr, {});
    return refreshWords();
  }
  Request request = m_pane->request();
  const QString file = QString::fromStdString(std::exchange(request.file, {}));
  m_other = new Pane(std::move(request), m_look);
  m_other->showView(m_tabs->currentIndex());
  m_panes->addWidget(m_other);
  m_panes->setSizes({m_panes->width() / 2, m_panes->width() / 2});
  connect(m_other, &Pane::arrived, this, &MainWindow::refreshDifference);
  connect(m_other, &Pane::settingChanged, this, &MainWindow::refreshDifference);
  connect(&m_other->navigator(), &views::Navigator::selectionChanged, m_other, [this] { navigator().select(m_other->navigator().place().selected); });
  connect(&navigator(), &views::Navigator::selectionChanged, m_other, [this] { m_other->navigator().select(navigator().place().selected); });
  m_other->setMenu("Settings", [this](QMenu& menu) { fillSettings(menu, *m_other, [this](const QString& key, const QString& value) { m_other->set(key, value); }); });
  m_difference->show();
  for (QDockWidget* dock : m_docks) // both panes need the room; the stepper serves both
    if (dock != m_docks.back() && dock->isVisible()) dock->hide(), m_hidden << dock;
  m_other->open(file);
  refreshWords(), refreshDifference();
}

// The settings that the two panes do not share: "math = strict", each pane its own.
static std::pair<QString, QString> ownSettings(const Pane& a, const Pane& b) {
  const auto left = a.settings(), right = b.settings();
  QStringList first, second;
  for (const auto& [key, value] : left)
    if (right.at(key) != value) {
      const auto words = [&](const std::string& v) { return QString("%1 = %2").arg(QString::fromStdString(key), v.empty() ? "none" : QString::fromStdString(v)); };
      first << words(value), second << words(right.at(key));
    }
  if (first.isEmpty()) return {"same settings", "same settings: choose another under Settings"};
  return {first.join(", "), second.join(", ")};
}

void MainWindow::refreshDifference() {
  if (!m_other) return;
  m_other->navigator().follow(navigator());
  const auto [mine, its] = ownSettings(*m_pane, *m_other);
  m_pane->setHead("A", mine), m_other->setHead("B", its);
  m_difference->refresh();
  const views::Place &a = navigator().place(), &b = m_other->navigator().place();
  if (!a.at() || !b.at()) return;
  const trace::GraphDoc left = a.trace()->at(a.step), right = b.trace()->at(b.step);
  auto here = std::make_shared<const views::Difference>(views::differenceOf(left, right));
  auto there = std::make_shared<const views::Difference>(views::differenceOf(right, left));
  m_state->setText(QString("%1 kernels differ; %2 values only in A, %3 only in B").arg(std::max(here->kernels, there->kernels)).arg(here->values).arg(there->values));
  graph().setDifference(here, "A"), m_other->graph().setDifference(there, "B");
}

} // namespace cutaway::explorer
