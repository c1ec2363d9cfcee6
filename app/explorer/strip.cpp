#include "explorer/strip.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace cutaway::explorer {

Strip::Strip(QWidget* parent) : QFrame(parent), m_words(new QLabel) {
  setObjectName("error");
  m_words->setWordWrap(true), m_words->setTextFormat(Qt::PlainText);
  m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* copy = new QPushButton("Copy details");
  auto* dismiss = new QPushButton("Dismiss");
  for (QPushButton* b : {copy, dismiss}) b->setObjectName("link");
  connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_words->text()); });
  connect(dismiss, &QPushButton::clicked, this, [this] { say({}); });
  auto* box = new QHBoxLayout(this);
  box->setContentsMargins(16, 8, 8, 8), box->setSpacing(8);
  box->addWidget(m_words, 1), box->addWidget(copy), box->addWidget(dismiss);
  hide();
}

void Strip::say(const QString& words) {
  m_words->setText(words);
  m_words->setAccessibleName(words);
  setVisible(!words.isEmpty());
}

QString Strip::words() const { return m_words->text(); }

} // namespace cutaway::explorer
