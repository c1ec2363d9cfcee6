#pragma once
#include "base/settings.h"
#include "ir/rewriter.h"

#include <span>

namespace cutaway::passes {

// What a pass works with. It changes the graph through the rewriter alone.
struct PassContext {
  const Graph& graph;
  Rewriter& rw;
  const Settings& settings;
};

struct PassRow {
  const char* name;
  void (*run)(const PassContext&);
  const char* summary;
  const char* needs;
  const char* ensures;
};
// The rows of passes.def, in order.
std::span<const PassRow> all_passes();

#define PASS(name, summary, needs, ensures) void name(const PassContext& c);
#include "passes/passes.def"
#undef PASS

} // namespace cutaway::passes
