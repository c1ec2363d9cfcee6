#include "place/navigator.h"

#include "place/reading.h"

#include <QThreadPool>

#include <algorithm>

namespace cutaway::views {

bool changedSomething(const trace::Trace& trace, const trace::Pass& pass) {
  for (uint32_t i = pass.first; i < pass.last; ++i)
    if (trace.steps()[i].changed()) return true;
  return false;
}

int Navigator::pass() const { return m_place.at() ? int(m_place.at()->pass) : -1; }

namespace {

// A large document takes longer to free than a window may stand still: the last to let go of it leaves that to another thread.
std::shared_ptr<const trace::Document> freedElsewhere(std::shared_ptr<const trace::Document> document) {
  const trace::Document* at = document.get();
  return {at, [document = std::move(document)](const trace::Document*) mutable { QThreadPool::globalInstance()->start([last = std::move(document)] {}); }};
}

} // namespace

void Navigator::setDocument(std::shared_ptr<const trace::Document> document, std::shared_ptr<trace::Port> port, bool keep) {
  Place next;
  next.port = std::move(port);
  if (document) next.document = freedElsewhere(std::move(document));
  if (keep) next.segment = m_place.segment, next.selected = m_place.selected;
  if (!keep || !next.trace()) next.segment = next.document ? mainSegment(*next.document) : 0;
  if (next.trace() && !next.trace()->steps().empty()) {
    const auto last = uint32_t(next.trace()->steps().size() - 1);
    next.step = keep && m_place.at() ? matching(*next.trace()) : last;
  }
  m_place = next;
  emit documentChanged();
}

void Navigator::dropPort() { m_place.port.reset(); }

uint32_t Navigator::matching(const trace::Trace& other) const {
  const trace::Pass& here = m_place.trace()->passes()[m_place.at()->pass];
  for (const trace::Pass& p : other.passes())
    if (p.name == here.name && p.last > p.first) return m_place.step + 1 == here.last ? p.last - 1 : std::min(p.first + (m_place.step - here.first), p.last - 1);
  return uint32_t(other.steps().size() - 1);
}

void Navigator::setAwaited(bool awaited) {
  if (m_place.document || m_place.awaited == awaited) return;
  m_place.awaited = awaited;
  emit documentChanged();
}

void Navigator::setSegment(size_t segment) {
  if (!m_place.document || segment >= m_place.document->traces.size() || segment == m_place.segment) return;
  m_place.segment = segment, m_place.selected.reset(), m_place.range.reset(), m_place.asked.clear();
  const size_t steps = m_place.trace()->steps().size();
  m_place.step = steps ? uint32_t(steps - 1) : 0;
  emit documentChanged();
}

void Navigator::add(std::shared_ptr<const trace::TextPanel> text) {
  m_place.asked.push_back(std::move(text));
  emit textAdded();
}

void Navigator::follow(const Navigator& leader) {
  if (!leader.place().at() || !m_place.at()) return;
  goTo(leader.matching(*m_place.trace()));
  select(leader.place().selected);
}

void Navigator::goTo(uint32_t step) {
  if (stepCount() == 0) return;
  step = std::min(step, stepCount() - 1);
  if (step == m_place.step) return;
  const uint32_t before = m_place.step;
  m_place.step = step;
  emit stepChanged(before);
}

void Navigator::stepBy(int64_t by) {
  if (stepCount()) goTo(uint32_t(std::clamp<int64_t>(int64_t(m_place.step) + by, 0, int64_t(stepCount()) - 1)));
}

void Navigator::seekPass(int by, bool changed) {
  const trace::Trace* t = m_place.trace();
  if (!t || !m_place.at()) return;
  const auto& passes = t->passes();
  if (by < 0 && m_place.step > passes[size_t(pass())].first && !changed) return goTo(passes[size_t(pass())].first);
  for (int i = pass() + by; i >= 0 && i < int(passes.size()); i += by)
    if (passes[size_t(i)].last > passes[size_t(i)].first && (!changed || changedSomething(*t, passes[size_t(i)]))) return goTo(passes[size_t(i)].first);
}
void Navigator::passBy(int by) { seekPass(by, false); }
void Navigator::changedPassBy(int by) { seekPass(by, true); }

void Navigator::setRange(std::optional<TimeRange> range) {
  if (m_place.range == range) return;
  m_place.range = range;
  emit rangeChanged();
}

void Navigator::select(std::optional<Entity> entity) {
  if (entity && *entity == nothing) entity.reset();
  if (m_place.selected == entity) return;
  m_place.selected = entity;
  emit selectionChanged();
}

} // namespace cutaway::views
