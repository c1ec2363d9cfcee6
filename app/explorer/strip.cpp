#include "explorer/strip.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace cutaway::explorer {

Strip::Strip(QWidget* parent) : QFrame(parent), m_words(new QLabel), m_link(new QPushButton) {
  setObjectName("error");
  m_words->setWordWrap(true), m_words->setTextFormat(Qt::PlainText);
  m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* copy = new QPushButton("Copy details");
  auto* dismiss = new QPushButton("Dismiss");
  for (QPushButton* b : {m_link, copy, dismiss}) b->setObjectName("link");
  connect(m_link, &QPushButton::clicked, this, &Strip::linkPressed);
  connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_words->text()); });
  connect(dismiss, &QPushButton::clicked, this, [this] { say({}); });
  auto* box = new QHBoxLayout(this);
  box->setContentsMargins(16, 8, 8, 8), box->setSpacing(8);
  box->addWidget(m_words, 1), box->addWidget(m_link), box->addWidget(copy), box->addWidget(dismiss);
  hide();
}

void Strip::say(const QString& words, const QString& link) {
  m_link->setText(link), m_link->setVisible(!link.isEmpty());
  m_words->setText(words);
  m_words->setAccessibleName(words);
  setVisible(!words.isEmpty());
}

} // namespace cutaway::explorer
