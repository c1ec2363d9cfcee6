#pragma once
#include "kit/look.h"
#include "registry.h"

#include <QWidget>

class QButtonGroup;

namespace cutaway::views {

// The ways in which a view can show its subject, as buttons side by side at the right of a strip; M goes to the next.
class ModeSwitch : public QWidget {
  Q_OBJECT
 public:
  static constexpr int height = 36;
  ModeSwitch(const ViewRow& row, Look& look, QWidget* parent);
  int current() const;

 signals:
  void chosen(int mode);

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  void restyle();
  QButtonGroup* m_buttons;
  Look& m_look;
};

} // namespace cutaway::views
