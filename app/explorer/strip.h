#pragma once
#include <QFrame>

class QLabel;
class QPushButton;

namespace cutaway::explorer {

// A line under the tabs that says what went wrong and what to do; stays until dismissed.
class Strip : public QFrame {
  Q_OBJECT
 public:
  explicit Strip(QWidget* parent = nullptr);
  // Empty: gone. `link`: the words of a button that shows what they name; empty: none.
  void say(const QString& words, const QString& link = {});

 signals:
  void linkPressed();

 private:
  QLabel* m_words;
  QPushButton* m_link;
};

} // namespace cutaway::explorer
