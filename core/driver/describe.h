#pragma once
#include "base/journal.h"
#include "ir/graph.h"

#include <functional>
#include <string>

namespace cutaway::driver {

// What a step says: a title of at most 48 characters and a sentence with the values filled in. The only place where codes
// of the journal become words.
struct Described {
  std::string title;
  std::string explanation;
};
// How an entity is called; it may be asked of the graph before or after the step.
using Namer = std::function<std::string(Entity)>;
Described describe(const Event& event, const Namer& name);
// With the names of the model's nodes.
Described describe(const Event& event, const Graph& graph);

// Cut in the middle to at most `most` characters.
std::string shortened(const std::string& s, size_t most);

// "784 KiB", "3.06 MiB", "271.8 MiB".
std::string bytes_text(int64_t bytes);

} // namespace cutaway::driver
