#include "tensor/tensor_panel.h"

#include "shell/figure_view.h"
#include "tensor/tensor_figure.h"

#include <QFileDialog>
#include <QHBoxLayout>

namespace cutaway::views {

TensorPanel::TensorPanel(Navigator& navigator, Look& look, QWidget* parent)
    : QWidget(parent), m_navigator(navigator), m_words(new QLabel), m_ask(new QPushButton("Show numbers")), m_save(new QPushButton("Save as .npy…")) {
  setAttribute(Qt::WA_StyledBackground);
  setObjectName("tabs");
  const auto draw = [this](const Place&, const Theme& theme, QSizeF room) { return m_facts ? tensorFigure(*m_facts, theme, room) : Figure{}; };
  m_figure = new FigureView("Numbers of the value", draw, navigator, look, false);
  m_words->setObjectName("quiet"), m_words->setWordWrap(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(16, 8, 16, 8), bar->setSpacing(8);
  bar->addWidget(m_ask), bar->addWidget(m_save), bar->addStretch();
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0), box->setSpacing(0);
  m_words->setContentsMargins(16, 0, 16, 8);
  box->addLayout(bar), box->addWidget(m_words), box->addWidget(m_figure, 1);
  connect(m_ask, &QPushButton::clicked, this, &TensorPanel::ask);
  connect(m_save, &QPushButton::clicked, this, &TensorPanel::save);
  connect(&navigator, &Navigator::documentChanged, this, [this] {
    m_value = {};
    selectionChanged();
  });
  connect(&navigator, &Navigator::selectionChanged, this, &TensorPanel::selectionChanged);
  connect(&navigator, &Navigator::stepChanged, this, &TensorPanel::selectionChanged);
  selectionChanged();
}

TensorPanel::~TensorPanel() { callOff(); }

void TensorPanel::callOff() {
  if (m_off) *m_off = true;
  m_off.reset();
}

void TensorPanel::selectionChanged() {
  const ValueId value = valueOf(m_navigator.place());
  if (value == m_value && value.valid()) return;
  callOff();
  m_value = value, m_facts.reset();
  m_words->clear();
  refresh();
}

void TensorPanel::refresh() {
  setVisible(m_value.valid());
  const bool able = m_navigator.place().port != nullptr;
  m_ask->setText(m_off ? "Cancel" : "Show numbers");
  m_ask->setEnabled(able), m_save->setEnabled(able && !m_off);
  if (!able) m_words->setText("A saved document holds no numbers: open the model to see them.");
  m_words->setVisible(!m_words->text().isEmpty());
  m_figure->setVisible(m_facts != nullptr);
  setMinimumHeight(m_facts ? 430 : 0);
  m_figure->refresh();
}

void TensorPanel::ask() {
  if (m_off) {
    callOff();
    m_words->setText("Called off");
    return refresh();
  }
  if (!m_value.valid() || !m_navigator.place().port) return;
  m_off = std::make_shared<std::atomic<bool>>(false);
  m_words->setText("Running the model for this value");
  refresh();
  m_navigator.place().port->tensor(m_navigator.place().segment, m_value, m_off, [this](Result<std::shared_ptr<const trace::TensorFacts>> answer) {
    m_off.reset();
    m_words->setText(answer ? QString() : QString::fromStdString(answer.error().str()));
    if (answer) m_facts = *answer;
    refresh();
  });
}

void TensorPanel::save() {
  const QString path = QFileDialog::getSaveFileName(this, "Save the tensor", QString("value%1.npy").arg(m_value.v), "NumPy (*.npy)");
  if (!path.isEmpty()) saveAs(path);
}

void TensorPanel::saveAs(const QString& path) {
  if (!m_value.valid() || !m_navigator.place().port) return;
  m_off = std::make_shared<std::atomic<bool>>(false);
  refresh();
  m_navigator.place().port->save_tensor(m_navigator.place().segment, m_value, path.toStdString(), m_off, [this](Result<std::string> answer) {
    m_off.reset();
    m_words->setText(answer ? "Saved" : QString::fromStdString(answer.error().str()));
    if (answer) emit said("Saved " + QString::fromStdString(*answer));
    refresh();
  });
}

} // namespace cutaway::views
