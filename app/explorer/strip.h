#pragma once
#include <QFrame>

class QLabel;

namespace cutaway::explorer {

// A line under the tabs that says what went wrong and what to do; stays until dismissed.
class Strip : public QFrame {
  Q_OBJECT
 public:
  explicit Strip(QWidget* parent = nullptr);
  void say(const QString& words); // empty: gone
  QString words() const;

 private:
  QLabel* m_words;
};

} // namespace cutaway::explorer
