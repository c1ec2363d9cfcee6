#pragma once
#include <QWidget>

class QVBoxLayout;

namespace cutaway::explorer {

// What stands in the window while nothing is open: how to open something, recent files, samples.
class FirstPage : public QWidget {
  Q_OBJECT
 public:
  explicit FirstPage(QWidget* parent = nullptr);
  void refresh(const QStringList& recent);

 signals:
  void choose();
  void open(const QString& file);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QVBoxLayout *m_recent, *m_machine; // the second empty until the page is first seen
};

} // namespace cutaway::explorer
