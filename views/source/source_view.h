#pragma once
#include "shell/figure_view.h"

namespace cutaway::views {

// The source view in a window: asks the port for the assembly of the kernel that is shown, once a kernel.
class SourceView : public FigureView {
  Q_OBJECT
 public:
  SourceView(const ViewRow& row, Navigator& navigator, Look& look, QWidget* parent = nullptr);
  ~SourceView() override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void ask();
  Navigator& m_navigator;
  std::optional<Entity> m_asked; // the last; it may have none
  trace::CallOff m_off;
};

} // namespace cutaway::views
