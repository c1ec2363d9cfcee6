#pragma once
#include "place/place.h"

#include <QObject>

namespace cutaway::views {

// Moves through a document and tells the views: the one place where the user stands, the one selection.
class Navigator : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  const Place& place() const { return m_place; }
  uint32_t stepCount() const { return m_place.trace() ? uint32_t(m_place.trace()->steps().size()) : 0; }
  // The pass of the present step, as an index into the trace's passes; -1: none.
  int pass() const;

  // Shows another document: at the step that stands where the present one stood (same pass, same place in it), where
  // `keep` is set and there is one; else at its end.
  void setDocument(std::shared_ptr<const trace::Document> document, std::shared_ptr<trace::Port> port, bool keep);
  void dropPort(); // nothing can be asked until the next document
  void setAwaited(bool awaited); // counts until there is a document
  void setSegment(size_t segment);
  // A text that the port gave for the present segment.
  void add(std::shared_ptr<const trace::TextPanel> text);
  // Goes where `leader` stands, in this document: to the same place of the same pass, and selects what is selected there.
  void follow(const Navigator& leader);
  void goTo(uint32_t step);
  void stepBy(int64_t by);
  void passBy(int by);        // to the first step of the next or previous pass that has steps
  void changedPassBy(int by); // that changed something
  void select(std::optional<Entity> entity);
  // Shows this part of a run; none: what the view thinks best. Another document or segment begins there.
  void setRange(std::optional<TimeRange> range);

 signals:
  void documentChanged();
  void stepChanged(uint32_t before);
  void selectionChanged();
  void rangeChanged();
  void textAdded();

 private:
  // The step of another trace that stands where the present one stands in this; the end of a pass is the end there too.
  uint32_t matching(const trace::Trace& other) const;
  void seekPass(int by, bool changed);
  Place m_place;
};

bool changedSomething(const trace::Trace& trace, const trace::Pass& pass);

} // namespace cutaway::views
