#pragma once
#include "kit/look.h"

#include <QListView>

namespace cutaway::explorer {

// The pass list of a narrow window: numbers in 44 px. Pointer or focus opens the whole list over the canvas; it closes when the
// pointer leaves it or the focus goes elsewhere.
class PassRail : public QListView {
  Q_OBJECT
 public:
  static constexpr int width = 44;
  // `full`: the list with names, over the same model; the rail places it while it stands in for it.
  PassRail(QListView& full, views::Look& look, QWidget* parent = nullptr);
  void close();

 protected:
  void enterEvent(QEnterEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void open();
  QListView& m_full;
};

} // namespace cutaway::explorer
