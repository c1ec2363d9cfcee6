#pragma once
#include "base/journal.h"
#include "ir/graph.h"

namespace cutaway::driver {

// What a step says: a title of at most 48 characters and a sentence with the values filled in. The only place where codes
// of the journal become words. `graph` resolves the names of entities; it may be the graph before or after the step.
struct Described {
  std::string title;
  std::string explanation;
};
Described describe(const Event& event, const Graph& graph);

// "784 KiB", "3.06 MiB", "271.8 MiB".
std::string bytes_text(int64_t bytes);

} // namespace cutaway::driver
