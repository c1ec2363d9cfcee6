#include "source/source_view.h"

#include "source/source_figure.h"

namespace cutaway::views {

SourceView::SourceView(const ViewRow& row, Navigator& navigator, Look& look, QWidget* parent) : FigureView(row, navigator, look, parent), m_navigator(navigator) {
  connect(&navigator, &Navigator::documentChanged, this, [this] {
    m_asked.reset();
    ask();
  });
  connect(&navigator, &Navigator::stepChanged, this, &SourceView::ask);
  connect(&navigator, &Navigator::selectionChanged, this, &SourceView::ask);
  connect(&navigator, &Navigator::textAdded, this, &SourceView::reveal); // the columns move apart for it
}

SourceView::~SourceView() {
  if (m_off) *m_off = true;
}

void SourceView::showEvent(QShowEvent* event) {
  FigureView::showEvent(event);
  ask();
}

void SourceView::ask() {
  const Place& place = m_navigator.place();
  const auto kernel = isVisible() && place.port ? sourceKernel(place) : std::nullopt;
  if (!kernel || kernel == m_asked) return;
  for (const auto& text : place.asked)
    if (text->entity == *kernel) return;
  if (m_off) *m_off = true;
  m_asked = kernel;
  m_off = std::make_shared<std::atomic<bool>>(false);
  place.port->assembly(place.segment, *kernel, m_off, [this](Result<std::shared_ptr<const trace::TextPanel>> answer) {
    if (answer) m_navigator.add(*answer); // without it: a kernel that is built in, a build without a kernel compiler
  });
}

} // namespace cutaway::views
