#include "explorer/first_page.h"

#include "cli/doctor.h"
#include "kit/numbers.h"

#include <QDateTime>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace cutaway::explorer {
namespace {

QLabel* label(const QString& text, const char* name) {
  auto* out = new QLabel(text);
  out->setObjectName(name);
  return out;
}

QString when(const QDateTime& then) {
  const qint64 days = then.date().daysTo(QDate::currentDate());
  return days <= 0 ? QString("today") : days == 1 ? QString("yesterday") : QString("%1 days ago").arg(days);
}

// "resnet50.onnx" over "97.7 MiB", and when it changed; its button opens it.
QWidget* fileRow(const QFileInfo& file, std::function<void()> chosen) {
  auto* row = new QPushButton;
  row->setObjectName("row"), row->setFixedHeight(46), row->setToolTip(file.absoluteFilePath());
  row->setAccessibleName("Open " + file.fileName());
  auto* box = new QHBoxLayout(row);
  box->setContentsMargins(0, 4, 0, 4);
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  words->addWidget(label(file.fileName(), "name")), words->addWidget(label(views::byteText(file.size()), "quiet"));
  box->addLayout(words, 1), box->addWidget(label(when(file.lastModified()), "quiet"));
  for (QLabel* l : row->findChildren<QLabel*>()) l->setAttribute(Qt::WA_TransparentForMouseEvents);
  QObject::connect(row, &QPushButton::clicked, row, chosen);
  return row;
}

void clear(QVBoxLayout* box) {
  while (QLayoutItem* item = box->takeAt(0)) {
    delete item->widget();
    delete item;
  }
}

void fillMachine(QVBoxLayout* box) {
  box->addWidget(label("On this computer", "head"));
  box->addSpacing(8);
  for (const cli::Finding& f : cli::findings()) {
    auto* row = new QWidget;
    row->setObjectName("fact"), row->setFixedHeight(30);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    auto* mark = label(f.there ? QString(QChar(0x2713)) : QString(QChar(0x2013)), f.there ? "good" : "quiet");
    mark->setFixedWidth(22);
    auto* name = label(QString::fromStdString(f.name), "name");
    name->setFixedWidth(110);
    line->addWidget(mark), line->addWidget(name), line->addWidget(label(QString::fromStdString(f.words), "second"), 1);
    box->addWidget(row);
  }
}

} // namespace

FirstPage::FirstPage(QWidget* parent) : QWidget(parent), m_recent(new QVBoxLayout), m_machine(new QVBoxLayout) {
  setObjectName("first"), setAttribute(Qt::WA_StyledBackground);
  auto* openButton = new QPushButton("Open…");
  openButton->setObjectName("primary"), openButton->setFixedSize(120, 36);
  connect(openButton, &QPushButton::clicked, this, &FirstPage::choose);
  auto* line = new QHBoxLayout;
  line->setSpacing(16);
  line->addWidget(openButton), line->addWidget(label("Ctrl+O", "quiet")), line->addStretch();
  m_recent->setSpacing(0);
  auto* left = new QVBoxLayout;
  left->setSpacing(0);
  left->addLayout(m_recent), left->addStretch();
  auto* right = new QVBoxLayout;
  m_machine->setSpacing(0);
  right->addLayout(m_machine), right->addStretch();
  auto* columns = new QHBoxLayout;
  columns->setSpacing(112);
  columns->addLayout(left, 1), columns->addLayout(right, 1);
  auto* inner = new QWidget;
  inner->setMaximumWidth(960);
  auto* box = new QVBoxLayout(inner);
  box->setContentsMargins(24, 96, 24, 24), box->setSpacing(0);
  box->addWidget(label("Open a model, a .cut text or a saved document", "title"));
  box->addSpacing(8);
  box->addWidget(label("or drop one anywhere in this window", "second"));
  box->addSpacing(24);
  box->addLayout(line);
  box->addSpacing(44);
  box->addLayout(columns, 1);
  auto* middle = new QHBoxLayout(this);
  middle->addStretch(1), middle->addWidget(inner, 8), middle->addStretch(1);
}

// A window that opens a file need not open the GPU's libraries to say what this computer has.
void FirstPage::showEvent(QShowEvent* event) {
  if (m_machine->isEmpty()) fillMachine(m_machine);
  QWidget::showEvent(event);
}

void FirstPage::refresh(const QStringList& recent) {
  clear(m_recent);
  m_recent->addWidget(label("Recent", "head"));
  m_recent->addSpacing(8);
  int shown = 0;
  for (const QString& name : recent) {
    const QFileInfo file(name);
    if (!file.exists()) continue;
    m_recent->addWidget(fileRow(file, [this, name] { emit open(name); }));
    ++shown;
  }
  if (!shown) m_recent->addWidget(label("No file yet. The sample opens with  cutaway resources/models/sample.onnx", "second"));
}

} // namespace cutaway::explorer
