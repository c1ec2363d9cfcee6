#pragma once
#include "kit/figure.h"
#include "trace/document.h"
#include "trace/port.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace cutaway::views {

// Where the user stands: what every view draws from, and nothing else. Cheap to copy.
struct Place {
  std::shared_ptr<const trace::Document> document;
  std::shared_ptr<trace::Port> port; // null: a saved document, nothing can be asked
  std::vector<std::shared_ptr<const trace::TextPanel>> asked; // texts that the port gave since, of this segment
  size_t segment = 0; // index into document->traces
  uint32_t step = 0;
  std::optional<Entity> selected;
  std::optional<TimeRange> range; // the part of a run that is shown; none: as the view thinks best
  bool awaited = false; // the first document is being made

  const trace::Trace* trace() const { return document && segment < document->traces.size() ? document->traces[segment].get() : nullptr; }
  const trace::Step* at() const {
    const trace::Trace* t = trace();
    return t && step < t->steps().size() ? &t->steps()[step] : nullptr;
  }
};

// Stands for nothing: a hit that can be heard and hovered, not selected.
inline constexpr Entity nothing{Entity::Kind::op, ~0u};

inline QString qt(const trace::Text& t) { return QString::fromStdString(t.str()); }

} // namespace cutaway::views
